// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Logging
import Synchronization
import Testing
import TestSupport
import VirtualRadio

@testable import CoreBluetooth

/// A state directory and its files.
final class StateDirectory: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "martlet-restoration-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ role: String) -> String { "\(path)/restoration/\(role)-test.json" }
    func has(_ role: String) -> Bool { FileManager.default.fileExists(atPath: file(role)) }

    func write(_ octets: Data, for role: String) throws {
        try FileManager.default.createDirectory(atPath: path + "/restoration", withIntermediateDirectories: true)
        try octets.write(to: URL(fileURLWithPath: file(role)))
    }

    var central: CentralSnapshot? { decode("central") }
    var peripheral: PeripheralSnapshot? { decode("peripheral") }

    private func decode<Snapshot: Decodable>(_ role: String) -> Snapshot? {
        FileManager.default.contents(atPath: file(role)).flatMap { try? JSONDecoder().decode(Snapshot.self, from: $0) }
    }

    /// Whether later runs know the identifiers.
    func knows(_ identifiers: [UUID]) -> Bool {
        let peers = FileManager.default.contents(atPath: path + "/peers.json")
        let text = peers.map { String(decoding: $0, as: UTF8.self) }
        return identifiers.allSatisfy { text?.contains($0.uuidString) == true }
    }

    /// The cached services of peers.
    var caches: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path + "/cache")) ?? []
        return names.filter { $0.hasSuffix(".json") }.compactMap { name in
            FileManager.default.contents(atPath: "\(path)/cache/\(name)").map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// The disk after a crash at this moment: complete files, and no unfinished file.
    func copy() throws -> StateDirectory {
        let copy = try StateDirectory()
        try FileManager.default.createDirectory(atPath: copy.path + "/restoration", withIntermediateDirectories: true)
        let kept = try FileManager.default.contentsOfDirectory(atPath: path + "/restoration")
        let caches = (try? FileManager.default.contentsOfDirectory(atPath: path + "/cache")) ?? []
        try FileManager.default.createDirectory(atPath: copy.path + "/cache", withIntermediateDirectories: true)
        let names = ["peers.json"] + kept.map { "restoration/" + $0 } + caches.map { "cache/" + $0 }
        for name in names where name.hasSuffix(".json") {
            try FileManager.default.contents(atPath: "\(path)/\(name)")?
                .write(to: URL(fileURLWithPath: "\(copy.path)/\(name)"))
        }
        return copy
    }
}

/// An application whose managers have restore identifiers. By itself it only keeps its restored objects.
final class RestorationApplication: NSObject, Sendable {
    private struct Told {
        var calls: [String] = []
        var peripherals: [CBPeripheral] = []
        var services: [CBMutableService] = []
        var discovered: [CBPeripheral] = []
        var values: [Data] = []
        /// The services of restored peripherals at the time of the restoration.
        var known: [String] = []
        var advertisedAtPower: Bool?
        var onRestore: (@Sendable (CBCentralManager, [CBPeripheral]) -> Void)?
        var onPower: (@Sendable (CBCentralManager) -> Void)?
    }

    static let address = DeviceAddress(kind: .public, value: 0xD0_0000_0001)

    let directory: StateDirectory
    let controller: CBController
    let queue = DispatchQueue(label: "restoration application")
    private let told = Mutex(Told())

    init(on radio: VirtualRadio, _ directory: StateDirectory, logger: Logger? = nil) throws {
        self.directory = directory
        let silent = Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() }
        controller = CBController(
            transport: .descriptor(try radio.makeController(address: Self.address)), stateDirectory: directory.path,
            logger: logger ?? silent)
    }

    deinit { controller.shutdown() }

    /// Ends the application by a crash; returns the remaining state directory.
    func crash() throws -> StateDirectory {
        let copy = try directory.copy()
        controller.shutdown(preservingState: true)
        return copy
    }

    func makeCentral() async throws -> CBCentralManager {
        let manager = CBCentralManager(
            delegate: self, queue: queue,
            options: [
                CBCentralManagerOptionControllerKey: controller, CBCentralManagerOptionRestoreIdentifierKey: "test",
            ])
        try await waitFor("power") { calls.contains("state 5") }
        return manager
    }

    /// `patience`: seconds to wait for restored subscribers.
    func makePeripheral(patience: TimeInterval = 30) async throws -> CBPeripheralManager {
        // Nothing is told before everything is set.
        queue.suspend()
        let manager = CBPeripheralManager(
            delegate: self, queue: queue,
            options: [
                CBPeripheralManagerOptionControllerKey: controller,
                CBPeripheralManagerOptionRestoreIdentifierKey: "test",
            ])
        manager.changing.withLock { $0.absenceLimit = patience }
        queue.resume()
        try await waitFor("power") { calls.contains("state 5") }
        return manager
    }

    /// All calls up to the first poweredOn, without the earlier states. Empty if other calls came first.
    var firstCalls: [String] {
        let calls = calls
        let begin = calls.prefix { !$0.hasPrefix("state") }
        let states = calls.dropFirst(begin.count).prefix { $0 != "state 5" && $0.hasPrefix("state") }
        return Array(begin + calls.dropFirst(begin.count + states.count).prefix(1))
    }
    var calls: [String] { told.withLock { $0.calls } }
    var peripherals: [CBPeripheral] { told.withLock { $0.peripherals } }
    var services: [CBMutableService] { told.withLock { $0.services } }
    var discovered: [CBPeripheral] { told.withLock { $0.discovered } }
    var values: [Data] { told.withLock { $0.values } }
    var known: [String] { told.withLock { $0.known } }
    var advertisedAtPower: Bool? { told.withLock { $0.advertisedAtPower } }

    /// Sets the application's actions at the restoration of its peripherals, and at poweredOn.
    func does(
        onRestore: (@Sendable (CBCentralManager, [CBPeripheral]) -> Void)? = nil,
        onPower: (@Sendable (CBCentralManager) -> Void)? = nil
    ) {
        told.withLock { ($0.onRestore, $0.onPower) = (onRestore, onPower) }
    }

    func hears(_ call: String) async throws { try await waitFor("\(call) in \(calls)") { calls.contains(call) } }
    private func record(_ call: String) { told.withLock { $0.calls.append(call) } }
}

extension RestorationApplication: CBCentralManagerDelegate, CBPeripheralDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        record("state \(central.state.rawValue)")
        if central.state == .poweredOn { told.withLock { $0.onPower }?(central) }
    }

    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        let peripherals = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
        for peripheral in peripherals { peripheral.delegate = self }
        let known = peripherals.flatMap { $0.services ?? [] }.map { service in
            let characteristics = (service.characteristics ?? []).map { characteristic in
                let descriptors = characteristic.descriptors?.map(\.uuid.uuidString) ?? []
                return "\(characteristic.uuid)\(characteristic.isNotifying ? "*" : "") \(descriptors)"
            }
            return "\(service.uuid): \(characteristics.joined(separator: ", "))"
        }
        let onRestore = told.withLock { told in
            (told.peripherals, told.known) = (peripherals, known)
            return told.onRestore
        }
        onRestore?(central, peripherals)
        let services = dict[CBCentralManagerRestoredStateScanServicesKey] as? [CBUUID]
        let options = dict[CBCentralManagerRestoredStateScanOptionsKey] as? [String: Any]
        let duplicates = options?[CBCentralManagerScanOptionAllowDuplicatesKey] as? NSNumber
        record(
            "restores \(peripherals.map { "\($0.state)" }), scan \(services?.map(\.uuidString) ?? []) "
                + "duplicates \(duplicates?.boolValue ?? false)")
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) { told.withLock { $0.discovered.append(peripheral) } }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { record("connected") }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) { record("disconnected") }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        let found = (peripheral.services ?? []).map(\.uuid.uuidString)
        record("services " + ((error as? CBError).map { "\($0.code.rawValue)" } ?? "\(found)"))
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        record("modified \(invalidatedServices.map(\.uuid.uuidString))")
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) { if let value = characteristic.value { told.withLock { $0.values.append(value) } } }
}

extension RestorationApplication: CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        record("state \(peripheral.state.rawValue)")
        if peripheral.state == .poweredOn { told.withLock { $0.advertisedAtPower = peripheral.isAdvertising } }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
        let services = dict[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService] ?? []
        told.withLock { $0.services = services }
        let advertisement = dict[CBPeripheralManagerRestoredStateAdvertisementDataKey] as? [String: Any]
        let uuids = advertisement?[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID]
        record(
            "restores \(services.map(\.uuid.uuidString)), advertises "
                + "\(advertisement?[CBAdvertisementDataLocalNameKey] ?? "nothing") \(uuids?.map(\.uuidString) ?? [])")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        record("added \(service.uuid)" + (error == nil ? "" : " in vain"))
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { record("ready") }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        record("advertising" + (error == nil ? "" : " in vain"))
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) { record("subscribed \(characteristic.uuid)") }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) { record("unsubscribed \(characteristic.uuid)") }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        request.value = Data("\(request.characteristic.uuid)".utf8)
        peripheral.respond(to: request, withResult: .success)
    }
}
