// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Synchronization
import Testing
import TestSupport
import VirtualRadio

private let serviceUUID = CBUUID(string: "7A1B0001-6F0E-4C55-9C7D-2B0F3E8D4A11")
private let readableUUID = CBUUID(string: "7A1B0002-6F0E-4C55-9C7D-2B0F3E8D4A11")
private let writableUUID = CBUUID(string: "7A1B0003-6F0E-4C55-9C7D-2B0F3E8D4A11")
private let notifyingUUID = CBUUID(string: "7A1B0004-6F0E-4C55-9C7D-2B0F3E8D4A11")

@Suite(.timeLimit(.minutes(10)))
struct PeripheralTests {
    /// A central application and a peripheral application in the same air.
    private func makePair() throws -> (central: Application, peripheral: PeripheralApplication) {
        let central = try Application()
        return (central, try PeripheralApplication(on: central.radio))
    }

    private func makeService() -> (service: CBMutableService, characteristics: [CBMutableCharacteristic]) {
        let service = CBMutableService(type: serviceUUID, primary: true)
        let characteristics = [
            CBMutableCharacteristic(type: readableUUID, properties: .read, value: nil, permissions: .readable),
            CBMutableCharacteristic(
                type: writableUUID, properties: [.write, .writeWithoutResponse], value: nil, permissions: .writeable),
            CBMutableCharacteristic(
                type: notifyingUUID, properties: [.notify, .indicate, .read], value: nil, permissions: .readable),
        ]
        characteristics[0].descriptors = [
            CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "A reading")
        ]
        service.characteristics = characteristics
        return (service, characteristics)
    }

    /// Both managers with their connection; they live as long as this does.
    private final class Connection {
        let manager: CBPeripheralManager
        let central: CBCentralManager
        let remote: CBPeripheral

        init(_ manager: CBPeripheralManager, _ central: CBCentralManager, _ remote: CBPeripheral) {
            (self.manager, self.central, self.remote) = (manager, central, remote)
        }
    }

    /// Publishes, advertises, and connects the central.
    private func connect(
        _ central: Application, _ peripheral: PeripheralApplication, _ service: CBMutableService
    ) async throws -> Connection {
        let manager = try await peripheral.makeManager()
        try await peripheral.publish(service, with: manager)
        manager.startAdvertising([
            CBAdvertisementDataLocalNameKey: "Gateway", CBAdvertisementDataServiceUUIDsKey: [service.uuid],
        ])
        try await peripheral.hears("advertising")
        let centralManager = try await central.makeManager()
        let remote = try await central.connect(with: centralManager)
        return Connection(manager, centralManager, remote)
    }

    @Test func `a service is published once it fits the rules`() async throws {
        let (central, peripheral) = try makePair()
        defer { central.forget() }
        let manager = try await peripheral.makeManager()
        let (service, _) = makeService()
        try await peripheral.publish(service, with: manager)
        #expect(peripheral.calls.last == "added")

        let cached = CBMutableService(type: CBUUID(string: "1234"), primary: true)
        cached.characteristics = [
            CBMutableCharacteristic(
                type: writableUUID, properties: [.read, .write], value: Data([1]), permissions: [.readable, .writeable])
        ]
        try await peripheral.publish(cached, with: manager)
        #expect(peripheral.calls.last == "added CBErrorDomain 1")

        let including = CBMutableService(type: CBUUID(string: "1235"), primary: true)
        including.includedServices = [cached]
        try await peripheral.publish(including, with: manager)
        #expect(peripheral.calls.last == "added CBErrorDomain 1")
        including.includedServices = [service]
        try await peripheral.publish(including, with: manager)
        #expect(peripheral.calls.last == "added")
    }

    @Test func `an advertisement carries name and services, and only one runs`() async throws {
        let (central, peripheral) = try makePair()
        let manager = try await peripheral.makeManager()
        manager.startAdvertising([
            CBAdvertisementDataLocalNameKey: "Gateway in the hall", CBAdvertisementDataServiceUUIDsKey: [serviceUUID],
        ])
        try await peripheral.hears("advertising")
        #expect(manager.isAdvertising)
        manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Another"])
        try await peripheral.hears("advertising CBErrorDomain 9")

        let centralManager = try await central.makeManager()
        centralManager.scanForPeripherals(withServices: [serviceUUID])
        // 128-bit UUID and name do not fit together: ten octets of the name are in the scan response.
        try await waitFor("the shortened name") { central.discovered.contains { $0.name == "Gateway in" } }
        manager.stopAdvertising()
        #expect(!manager.isAdvertising)
    }

    @Test func `centrals read, write and are refused as the delegate says`() async throws {
        let (central, peripheral) = try makePair()
        let (service, _) = makeService()
        let long = Data((0..<300).map { UInt8(truncatingIfNeeded: $0) })
        peripheral.answersReads { request in
            guard request.offset <= long.count else { return .invalidOffset }
            request.value = long.dropFirst(request.offset)
            return .success
        }
        peripheral.answersWrites { requests in
            requests.allSatisfy { $0.value?.first != 0xFF } ? .success : .invalidAttributeValueLength
        }
        let connection = try await connect(central, peripheral, service)
        let remote = connection.remote
        let readable = try await central.find(readableUUID, on: remote)
        remote.readValue(for: readable)
        try await waitFor("the value") { central.values.last == long }

        remote.discoverDescriptors(for: readable)
        try await central.hears("descriptors")
        let description = try #require(readable.descriptors?.first)
        remote.readValue(for: description)
        try await central.hears("descriptor 2901 A reading")

        let writable = try await central.find(writableUUID, on: remote)
        remote.writeValue(Data([1, 2, 3]), for: writable, type: .withResponse)
        try await central.hears("written")
        try await peripheral.hears("written \(writableUUID)@0+3")
        remote.writeValue(Data([0xFF]), for: writable, type: .withResponse)
        try await central.hears("written CBATTErrorDomain 13")
        remote.writeValue(Data([4, 5]), for: writable, type: .withoutResponse)
        try await peripheral.hears("written \(writableUUID)@0+2")
        remote.readValue(for: writable)
        try await central.hears("value CBATTErrorDomain 2")
    }

    @Test func `a second answer to a request changes nothing`() async throws {
        let (central, peripheral) = try makePair()
        let (service, _) = makeService()
        peripheral.answersTwice()
        peripheral.answersReads { request in
            request.value = Data([7])
            return .success
        }
        let connection = try await connect(central, peripheral, service)
        let remote = connection.remote
        let readable = try await central.find(readableUUID, on: remote)
        for count in 1...3 {
            remote.readValue(for: readable)
            try await waitFor("value \(count)") { central.values.count == count }
        }
        #expect(central.values == [Data([7]), Data([7]), Data([7])])
    }

    @Test func `subscribers get every update that was taken, and the rest waits for room`() async throws {
        let (central, peripheral) = try makePair()
        let (service, characteristics) = makeService()
        let connection = try await connect(central, peripheral, service)
        let remote = connection.remote
        let manager = connection.manager
        let centralManager = connection.central
        let notifying = try await central.find(notifyingUUID, on: remote)
        #expect(manager.updateValue(Data([1]), for: characteristics[2], onSubscribedCentrals: nil))
        remote.setNotifyValue(true, for: notifying)
        try await peripheral.hears("subscribed \(notifyingUUID)")
        try await central.hears("notifying true")
        #expect(characteristics[2].subscribedCentrals?.count == 1)
        let subscriber = try #require(peripheral.centrals.first)
        // MTU 517; no attribute is longer.
        #expect(subscriber.maximumUpdateValueLength == 512)

        var sent = 0
        var refusals = 0
        while sent < 500 {
            if manager.updateValue(
                Data([UInt8(sent >> 8), UInt8(sent & 255)]), for: characteristics[2], onSubscribedCentrals: nil)
            {
                sent += 1
            } else {
                refusals += 1
                try await peripheral.hears("ready")
                peripheral.forget()
            }
        }
        #expect(refusals > 0)
        try await waitFor("all updates") { central.values.count == 500 }
        #expect(central.values.map { Int($0[0]) << 8 | Int($0[1]) } == Array(0..<500))

        remote.setNotifyValue(false, for: notifying)
        try await peripheral.hears("unsubscribed \(notifyingUUID)")
        #expect(characteristics[2].subscribedCentrals?.isEmpty == true)
        remote.setNotifyValue(true, for: notifying)
        try await waitFor("a second subscription") { characteristics[2].subscribedCentrals?.count == 1 }
        peripheral.forget()
        centralManager.cancelPeripheralConnection(remote)
        try await peripheral.hears("unsubscribed \(notifyingUUID)")
    }

    @Test func `services that come and go are told to those that are connected`() async throws {
        let (central, peripheral) = try makePair()
        let (service, _) = makeService()
        let connection = try await connect(central, peripheral, service)
        let remote = connection.remote
        let manager = connection.manager
        _ = try await central.find(readableUUID, on: remote)
        manager.remove(service)
        try await waitFor("the change") { central.calls.contains { $0.hasPrefix("modified") } }
        remote.discoverServices([serviceUUID])
        try await waitFor("no service") { remote.services?.contains { $0.uuid == serviceUUID } == false }
    }

    @Test func `a manager that is made on a connection serves the central that is there already`() async throws {
        let (central, peripheral) = try makePair()
        let (service, _) = makeService()
        let connection = try await connect(central, peripheral, service)
        let second = try await peripheral.makeManager()
        let late = CBMutableCharacteristic(
            type: CBUUID(string: "1235"), properties: [.read, .notify], value: nil, permissions: .readable)
        let other = CBMutableService(type: CBUUID(string: "1234"), primary: true)
        other.characteristics = [late]
        peripheral.answersReads { request in
            request.value = Data([9])
            return .success
        }
        try await peripheral.publish(other, with: second)
        let remote = try await central.find(late.uuid, on: connection.remote)
        connection.remote.readValue(for: remote)
        try await waitFor("the value") { central.values == [Data([9])] }
        connection.remote.setNotifyValue(true, for: remote)
        try await peripheral.hears("subscribed 1235")
        try await central.hears("notifying true")
        // MTU 517 was agreed on before this manager was there.
        #expect(late.subscribedCentrals?.first?.maximumUpdateValueLength == 512)
        #expect(second.updateValue(Data([8]), for: late, onSubscribedCentrals: nil))
        try await waitFor("the update") { central.values == [Data([9]), Data([8])] }
    }

    @Test func `services of several managers are one database, and each answers for its own`() async throws {
        let (central, peripheral) = try makePair()
        let (service, _) = makeService()
        peripheral.answersReads { request in
            request.value = Data([1])
            return .success
        }
        let connection = try await connect(central, peripheral, service)
        let other = CBMutableService(type: CBUUID(string: "1234"), primary: true)
        other.characteristics = [
            CBMutableCharacteristic(
                type: CBUUID(string: "1235"), properties: .read, value: Data([2]), permissions: .readable)
        ]
        let second = try await peripheral.makeManager()
        try await peripheral.publish(other, with: second)
        let first = try await central.find(readableUUID, on: connection.remote)
        connection.remote.readValue(for: first)
        try await waitFor("the first manager's value") { central.values.last == Data([1]) }
        let fixed = try await central.find(CBUUID(string: "1235"), on: connection.remote)
        connection.remote.readValue(for: fixed)
        try await waitFor("the second manager's value") { central.values.last == Data([2]) }
        #expect(second.state == .poweredOn)
    }

    @Test func `a service that is taken back at once, or added twice, leaves nothing behind`() async throws {
        let (central, peripheral) = try makePair()
        defer { central.forget() }
        let manager = try await peripheral.makeManager()
        let (service, _) = makeService()
        // On a busy machine the service may be added before the removal: then the loop tries again.
        repeat {
            peripheral.forget()
            manager.add(service)
            manager.remove(service)
            try await waitFor("an answer") { !peripheral.calls.isEmpty }
        } while peripheral.calls == ["added"]
        #expect(peripheral.calls == ["added CBErrorDomain 5"])
        // More often than there is room for services.
        for _ in 0..<600 {
            let other = CBMutableService(type: CBUUID(string: "1234"), primary: true)
            manager.add(other)
            manager.remove(other)
        }
        try await peripheral.publish(service, with: manager)
        try await peripheral.hears("added")
        manager.add(service)
        try await peripheral.hears("added CBErrorDomain 1")
    }

    @Test func `an included service may be on its way, and a value that is kept later changes nothing`() async throws {
        let (central, peripheral) = try makePair()
        defer { central.forget() }
        let manager = try await peripheral.makeManager()
        let (service, characteristics) = makeService()
        let including = CBMutableService(type: CBUUID(string: "1235"), primary: true)
        including.includedServices = [service]
        manager.add(service)
        manager.add(including)
        try await waitFor("both") { peripheral.calls.count(where: { $0 == "added" }) == 2 }
        // A delegate may keep the written value in this way; reads of the characteristic still ask the delegate.
        characteristics[1].value = Data([1])
        manager.remove(including)
        manager.remove(service)
        peripheral.forget()
        try await peripheral.publish(service, with: manager)
        #expect(peripheral.calls == ["added"])
    }

    @Test func `one controller serves centrals while it is one`() async throws {
        let (central, peripheral) = try makePair()
        let (service, characteristics) = makeService()
        // The peripheral application is a central as well: it follows the sensor while it serves the other application.
        let own = CBCentralManager(
            delegate: nil, queue: peripheral.queue,
            options: [CBCentralManagerOptionControllerKey: peripheral.controller])
        let connection = try await connect(central, peripheral, service)
        // Added only now, so that the central has not connected to the sensor instead of the peripheral.
        _ = central.addSensor(.counter)
        let remote = connection.remote
        let manager = connection.manager
        try await waitFor("power") { own.state == .poweredOn }
        let watcher = Watcher()
        own.delegate = watcher
        own.scanForPeripherals(withServices: nil)
        try await waitFor("a connection to the sensor") { watcher.isConnected }
        let notifying = try await central.find(notifyingUUID, on: remote)
        remote.setNotifyValue(true, for: notifying)
        try await peripheral.hears("subscribed \(notifyingUUID)")
        #expect(manager.updateValue(Data([42]), for: characteristics[2], onSubscribedCentrals: nil))
        try await waitFor("the value") { central.values.contains(Data([42])) }
    }
}

/// Connects to the first discovered sensor.
private final class Watcher: NSObject, CBCentralManagerDelegate, Sendable {
    private let state = Mutex<(peripheral: CBPeripheral?, isConnected: Bool)>((nil, false))
    var isConnected: Bool { state.withLock { $0.isConnected } }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {}
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard peripheral.name?.hasPrefix("Sensor") == true, state.withLock({ $0.peripheral == nil }) else { return }
        state.withLock { $0.peripheral = peripheral }
        central.connect(peripheral)
    }
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        state.withLock { $0.isConnected = true }
    }
}
