// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import Synchronization
import Testing
import TestSupport

@testable import CoreBluetooth

private let serviceUUID = CBUUID(string: "9E3C0021-5B1A-4F0D-8E5B-7C1D2E3F4A5B")
private let valueUUID = CBUUID(string: "9E3C0022-5B1A-4F0D-8E5B-7C1D2E3F4A5B")
private let otherUUID = CBUUID(string: "9E3C0023-5B1A-4F0D-8E5B-7C1D2E3F4A5B")

/// Statements of Apple's documents about peripherals and restoration: the second table of docs/core-bluetooth.md.
@Suite(.timeLimit(.minutes(10)))
struct PeripheralStatementTests {
    /// A peripheral with a service, and a central with a connection to it.
    private final class Scene {
        let central: Application
        let peripheral: PeripheralApplication
        let manager: CBPeripheralManager
        let value = CBMutableCharacteristic(
            type: valueUUID, properties: [.read, .notify], value: nil, permissions: .readable)
        let service = CBMutableService(type: serviceUUID, primary: true)
        private var centralManager: CBCentralManager?

        init() async throws {
            central = try Application()
            peripheral = try PeripheralApplication(on: central.radio)
            manager = try await peripheral.makeManager()
            service.characteristics = [value]
            try await peripheral.publish(service, with: manager)
        }

        /// `mtu`: the ATT_MTU that the central offers, in octets.
        func connect(mtu: Int = 517) async throws -> CBPeripheral {
            manager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [serviceUUID]])
            try await peripheral.hears("advertising")
            central.controller.host.perform { host in host.withMachine { machine, _ in machine.offeredMTU = mtu } }
            let centralManager = try await central.makeManager()
            self.centralManager = centralManager
            return try await central.connect(with: centralManager)
        }

        /// The central subscribes.
        func subscribe(_ remote: CBPeripheral) async throws -> (found: CBCharacteristic, subscriber: CBCentral) {
            let found = try await central.find(valueUUID, on: remote)
            remote.setNotifyValue(true, for: found)
            try await central.hears("notifying true")
            try await peripheral.hears("subscribed \(valueUUID)")
            return (found, try #require(peripheral.centrals.first))
        }
    }

    @Test func `a published service stays as it was published`() async throws {
        let scene = try await Scene()
        scene.service.characteristics = [
            CBMutableCharacteristic(type: otherUUID, properties: .read, value: Data([1]), permissions: .readable)
        ]
        let remote = try await scene.connect()
        remote.discoverServices([serviceUUID])
        try await scene.central.hears("services")
        let service = try #require(remote.services?.first)
        let found = try await remote.characteristics(in: service)
        #expect(found.map(\.uuid) == [valueUUID])
    }

    @Test(arguments: [(23, 20), (64, 61), (515, 512), (517, 512)])
    func `an update holds three octets less than the MTU, and 512 at most`(mtu: Int, length: Int) async throws {
        let scene = try await Scene()
        let remote = try await scene.connect(mtu: mtu)
        let (_, subscriber) = try await scene.subscribe(remote)
        try await waitFor("the MTU") { subscriber.maximumUpdateValueLength == length }
        #expect(scene.manager.updateValue(Data(count: 512), for: scene.value, onSubscribedCentrals: nil))
        try await waitFor("the update") { scene.central.values.map(\.count) == [length] }
    }

    @Test func `a long value is cut in a notification, and read as a whole`() async throws {
        let scene = try await Scene()
        let long = Data((0..<300).map { UInt8(truncatingIfNeeded: $0) })
        scene.peripheral.answersReads { request in
            request.value = long.dropFirst(request.offset)
            return .success
        }
        let remote = try await scene.connect(mtu: 64)
        let (found, subscriber) = try await scene.subscribe(remote)
        try await waitFor("the MTU") { subscriber.maximumUpdateValueLength == 61 }
        #expect(scene.manager.updateValue(long, for: scene.value, onSubscribedCentrals: nil))
        try await waitFor("the update") { scene.central.values == [long.prefix(61)] }
        remote.readValue(for: found)
        try await waitFor("the whole value") { scene.central.values.last == long }
    }

    // MARK: Restoration

    /// A delegate that keeps the services of a restored scan. Nil before any restoration.
    private final class Restored: NSObject, CBCentralManagerDelegate, Sendable {
        private let services = Mutex<[String]?>(nil)
        var restoredServices: [String]? { services.withLock { $0 } }

        func centralManagerDidUpdateState(_ central: CBCentralManager) {}
        func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
            let scan = dict[CBCentralManagerRestoredStateScanServicesKey] as? [CBUUID]
            services.withLock { $0 = (scan ?? []).map(\.uuidString) }
        }
    }

    @Test func `several managers are preserved, each under its own identifier, and no others`() async throws {
        let directory = NSTemporaryDirectory() + "martlet-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let scans: [(identifier: String?, service: String)] = [("one", "180D"), ("two", "1809"), (nil, "180F")]
        for run in 1...2 {
            let application = try Application(stateDirectory: directory)
            let delegates = scans.map { _ in Restored() }
            let managers = zip(scans, delegates).map { scan, delegate in
                var options: [String: Any] = [CBCentralManagerOptionControllerKey: application.controller]
                options[CBCentralManagerOptionRestoreIdentifierKey] = scan.identifier
                return CBCentralManager(delegate: delegate, queue: application.queue, options: options)
            }
            try await waitFor("power") { managers.allSatisfy { $0.state == .poweredOn } }
            if run == 1 {
                for (manager, scan) in zip(managers, scans) {
                    manager.scanForPeripherals(withServices: [CBUUID(string: scan.service)])
                }
                application.controller.shutdown(preservingState: true)
            } else {
                #expect(delegates.map(\.restoredServices) == [["180D"], ["1809"], nil])
                #expect(managers.map(\.isScanning) == [true, true, false])
            }
        }
    }
}
