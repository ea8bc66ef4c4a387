// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import Foundation
import Synchronization
import Testing
import TestSupport
import VirtualRadio

@testable import CoreBluetooth

/// State restoration for programs that publish and advertise.
@Suite(.timeLimit(.minutes(10)))
struct RestorationPeripheralTests {
    private static let removed = CBUUID(string: "7A1B0010-6F0E-4C55-9C7D-2B0F3E8D4A11")
    private static let included = CBUUID(string: "7A1B0020-6F0E-4C55-9C7D-2B0F3E8D4A11")
    private static let service = CBUUID(string: "7A1B0030-6F0E-4C55-9C7D-2B0F3E8D4A11")
    private static let fixed = CBUUID(string: "7A1B0031-6F0E-4C55-9C7D-2B0F3E8D4A11")
    private static let dynamic = CBUUID(string: "7A1B0032-6F0E-4C55-9C7D-2B0F3E8D4A11")

    /// A central's view.
    private struct View: Equatable {
        var services: [String: [UInt16]] = [:]
        var characteristics: [String: UInt16] = [:]
        var values: [String: Data] = [:]
    }

    private func makeServices() -> [CBMutableService] {
        let removed = CBMutableService(type: Self.removed, primary: true)
        removed.characteristics = [
            CBMutableCharacteristic(type: Self.fixed, properties: .read, value: Data([1]), permissions: .readable)
        ]
        let included = CBMutableService(type: Self.included, primary: false)
        let service = CBMutableService(type: Self.service, primary: true)
        let dynamic = CBMutableCharacteristic(
            type: Self.dynamic, properties: [.read, .notify, .indicate], value: nil, permissions: .readable)
        dynamic.descriptors = [
            CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "Dynamic"),
            CBMutableDescriptor(
                type: CBUUID(string: CBUUIDCharacteristicFormatString), value: Data([4, 0, 0, 0x27, 1, 0, 0])),
        ]
        service.characteristics = [
            CBMutableCharacteristic(
                type: Self.fixed, properties: .read, value: Data("fixed".utf8), permissions: .readable),
            dynamic,
        ]
        return [removed, included, service]
    }

    /// Publishes three services, removes the first, and advertises.
    private func start(_ application: RestorationApplication) async throws -> CBPeripheralManager {
        let manager = try await application.makePeripheral()
        let services = makeServices()
        for service in services {
            if service === services[2] { service.includedServices = [services[1]] }
            manager.add(service)
            try await application.hears("added \(service.uuid)")
        }
        manager.remove(services[0])
        manager.startAdvertising([
            CBAdvertisementDataLocalNameKey: "Keeper", CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "180D")],
        ])
        try await application.hears("advertising")
        try await waitFor("what is kept") {
            let kept = application.directory.peripheral
            return kept?.services.count == 2 && kept?.advertisement?.localName == "Keeper"
        }
        return manager
    }

    private func find(_ observer: CBCentralManager, name: String = "Keeper") async throws -> CBAdvertisement {
        for await advertisement in observer.advertisements(withServices: [CBUUID(string: "180D")])
        where advertisement.localName == name { return advertisement }
        throw CBError(.connectionTimeout)
    }

    private func look(at remote: CBPeripheral) async throws -> View {
        var view = View()
        for service in try await remote.services() {
            view.services["\(service.uuid)"] = [service.handles.start, service.handles.end]
            for included in try await remote.includedServices(in: service) {
                view.services["\(included.uuid) in \(service.uuid)"] = [included.handles.start, included.handles.end]
            }
            guard service.uuid == Self.service else { continue }
            for characteristic in try await remote.characteristics(in: service) {
                view.characteristics["\(characteristic.uuid)"] = characteristic.valueHandle
                view.values["\(characteristic.uuid)"] = try await remote.value(for: characteristic)
                for descriptor in try await remote.descriptors(of: characteristic) {
                    guard descriptor.uuid.uuidString != CBUUIDClientCharacteristicConfigurationString else { continue }
                    view.values["\(characteristic.uuid) \(descriptor.uuid)"] = try await remote.value(for: descriptor)
                }
            }
        }
        return view
    }

    @Test func `services come back where they were, advertising goes on, and subscribers are known`() async throws {
        let observer = try Application()
        let central = try await observer.makeManager()
        let first = try RestorationApplication(on: observer.radio, StateDirectory())
        let manager = try await start(first)
        let remote = try await find(central).peripheral
        try await remote.connect()
        let before = try await look(at: remote)
        #expect(before.characteristics.count == 2 && before.values.count == 4)
        #expect(before.services.keys.contains("\(Self.included) in \(Self.service)"))
        let dynamic = try await remote.characteristic(Self.dynamic, in: Self.service)
        remote.setNotifyValue(true, for: dynamic)
        try await first.hears("subscribed \(Self.dynamic)")
        try await waitFor("what is kept") {
            let subscribers = first.directory.peripheral?.services.flatMap(\.characteristics).flatMap(\.subscribers)
            return subscribers?.count == 1 && first.directory.knows(subscribers ?? [])
        }

        let second = try RestorationApplication(on: observer.radio, try first.crash())
        let restored = try await second.makePeripheral()
        let uuids = [Self.included, Self.service].map(\.uuidString)
        #expect(second.firstCalls == ["restores \(uuids), advertises Keeper [\"180D\"]", "state 5"])
        let characteristic = try #require(
            second.services.last?.characteristics?.last as? CBMutableCharacteristic)
        #expect(characteristic.uuid == Self.dynamic && characteristic.subscribedCentrals?.count == 1)
        #expect(second.services.last?.includedServices?.first === second.services.first)
        // No central is there yet.
        #expect(!restored.updateValue(Data([1]), for: characteristic, onSubscribedCentrals: nil))
        // The advertising continues without a report. A second start is an error, as on Apple's systems.
        #expect(second.advertisedAtPower == true && restored.isAdvertising && !second.calls.contains("advertising"))
        restored.startAdvertising([CBAdvertisementDataLocalNameKey: "Other"])
        try await second.hears("advertising in vain")

        let advertisement = try await find(central)
        #expect(advertisement.serviceUUIDs == [CBUUID(string: "180D")])
        try await advertisement.peripheral.connect()
        #expect(try await look(at: advertisement.peripheral) == before)
        // The central has not subscribed again, because no bond keeps its subscription: the application hears of the unsubscription.
        try await second.hears("unsubscribed \(Self.dynamic)")
        #expect(characteristic.subscribedCentrals?.isEmpty == true)

        let again = try await advertisement.peripheral.characteristic(Self.dynamic, in: Self.service)
        advertisement.peripheral.delegate = observer
        advertisement.peripheral.setNotifyValue(true, for: again)
        try await second.hears("subscribed \(Self.dynamic)")
        observer.forget()
        #expect(restored.updateValue(Data([42]), for: characteristic, onSubscribedCentrals: nil))
        try await waitFor("the value") { observer.values == [Data([42])] }
        withExtendedLifetime(manager) {}
    }

    @Test func `a subscriber that does not come back is given up`() async throws {
        let observer = try Application()
        let central = try await observer.makeManager()
        let first = try RestorationApplication(on: observer.radio, StateDirectory())
        let manager = try await start(first)
        let remote = try await find(central).peripheral
        try await remote.connect()
        remote.setNotifyValue(true, for: try await remote.characteristic(Self.dynamic, in: Self.service))
        try await first.hears("subscribed \(Self.dynamic)")
        try await waitFor("what is kept") {
            let subscribers = first.directory.peripheral?.services.flatMap(\.characteristics).flatMap(\.subscribers)
            return subscribers?.count == 1 && first.directory.knows(subscribers ?? [])
        }
        let second = try RestorationApplication(on: observer.radio, try first.crash())
        let restored = try await second.makePeripheral(patience: 0.2)
        try await second.hears("unsubscribed \(Self.dynamic)")
        withExtendedLifetime((manager, restored)) {}
    }

    @Test func `what was closed stays closed`() async throws {
        let observer = try Application()
        let central = try await observer.makeManager()
        let first = try RestorationApplication(on: observer.radio, StateDirectory())
        let manager = try await start(first)
        manager.stopAdvertising()
        try await waitFor("what is kept") { first.directory.peripheral?.advertisement == nil }

        let second = try RestorationApplication(on: observer.radio, try first.crash())
        let restored = try await second.makePeripheral()
        let uuids = [Self.included, Self.service].map(\.uuidString)
        #expect(second.firstCalls == ["restores \(uuids), advertises nothing []", "state 5"])
        #expect(!restored.isAdvertising)
        // All services of the former run are published before this service.
        restored.add(CBMutableService(type: CBUUID(string: "1234"), primary: true))
        try await second.hears("added 1234")
        _ = observer.addSensor(.heartRate)
        central.scanForPeripherals(
            withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        try await waitFor("advertisements of another") { observer.discovered.count > 5 }
        #expect(!observer.discovered.contains { $0.name == "Keeper" })
        #expect(!restored.isAdvertising && !second.calls.contains("advertising"))
        withExtendedLifetime(manager) {}
    }

    @Test func `nothing of what was removed comes back`() async throws {
        let radio = VirtualRadio(seed: 22)
        let first = try RestorationApplication(on: radio, StateDirectory())
        let manager = try await start(first)
        manager.removeAllServices()
        manager.stopAdvertising()
        try await waitFor("nothing to keep") { first.directory.peripheral?.isEmpty == true }
        let second = try RestorationApplication(on: radio, try first.crash())
        let restored = try await second.makePeripheral()
        #expect(second.firstCalls == ["state 5"] && !restored.isAdvertising)
        radio.stop()
    }
}
