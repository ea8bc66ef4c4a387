// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Logging
import Synchronization
import Testing
import TestSupport
import VirtualRadio

/// The peripheral side of an application, on its own controller in a central's air. It keeps its delegate's calls as text, in order, and
/// answers with the given values.
final class PeripheralApplication: NSObject, Sendable {
    private struct State {
        var calls: [String] = []
        var centrals: [CBCentral] = []
        var added: [CBService] = []
        var read: @Sendable (CBATTRequest) -> CBATTError.Code = { _ in .requestNotSupported }
        var write: @Sendable ([CBATTRequest]) -> CBATTError.Code = { _ in .success }
        var answersTwice = false
        var channel: CBL2CAPChannel?
        var publishedPSM: CBL2CAPPSM?
    }

    let controller: CBController
    let queue = DispatchQueue(label: "peripheral application")
    private let state = Mutex(State())

    static let address = DeviceAddress(kind: .public, value: 0xB0_0000_0002)

    init(
        on radio: VirtualRadio, stateDirectory: String? = nil,
        logger: Logger = Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() }
    ) throws {
        controller = CBController(
            transport: .descriptor(try radio.makeController(address: Self.address)), stateDirectory: stateDirectory,
            logger: logger)
    }

    deinit { controller.shutdown() }

    func makeManager() async throws -> CBPeripheralManager {
        let manager = CBPeripheralManager(
            delegate: self, queue: queue, options: [CBPeripheralManagerOptionControllerKey: controller])
        try await waitFor("power") { manager.state == .poweredOn }
        return manager
    }

    /// Publishes a service, and waits for the result.
    func publish(_ service: CBMutableService, with manager: CBPeripheralManager) async throws {
        let count = state.withLock { $0.added.count }
        manager.add(service)
        try await waitFor("didAdd") { self.state.withLock { $0.added.count } > count }
    }

    var calls: [String] { state.withLock { $0.calls } }
    var centrals: [CBCentral] { state.withLock { $0.centrals } }
    var channel: CBL2CAPChannel? { state.withLock { UncheckedBox($0.channel) }.value }
    var publishedPSM: CBL2CAPPSM? { state.withLock { $0.publishedPSM } }
    func forget() { state.withLock { $0.calls = [] } }
    func hears(_ call: String) async throws { try await waitFor(call) { self.calls.contains(call) } }
    func answersReads(_ body: @escaping @Sendable (CBATTRequest) -> CBATTError.Code) {
        state.withLock { $0.read = body }
    }
    func answersWrites(_ body: @escaping @Sendable ([CBATTRequest]) -> CBATTError.Code) {
        state.withLock { $0.write = body }
    }
    func answersTwice() { state.withLock { $0.answersTwice = true } }

    private func record(_ call: String) { state.withLock { $0.calls.append(call) } }
    private func text(_ error: (any Error)?) -> String {
        error.map { " \(($0 as NSError).domain) \(($0 as NSError).code)" } ?? ""
    }
}

/// Takes an object out of a lock. Sound, because tests use it from one task at a time.
struct UncheckedBox<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

extension PeripheralApplication: CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        record("state \(peripheral.state.rawValue)")
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
        record("restores \(dict.keys.sorted().joined(separator: " "))")
    }
    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        record("advertising" + text(error))
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        state.withLock { $0.added.append(service) }
        record("added" + text(error))
    }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        state.withLock { $0.centrals.append(central) }
        record("subscribed \(characteristic.uuid)")
    }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) { record("unsubscribed \(characteristic.uuid)") }
    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { record("ready") }
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        record("read \(request.characteristic.uuid) from \(request.offset)")
        let (answer, isTwice) = state.withLock { ($0.read, $0.answersTwice) }
        let result = answer(request)
        peripheral.respond(to: request, withResult: result)
        if isTwice { peripheral.respond(to: request, withResult: .unlikelyError) }
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        let parts = requests.map { "\($0.characteristic.uuid)@\($0.offset)+\($0.value?.count ?? -1)" }
        record("written " + parts.joined(separator: " "))
        let answer = state.withLock { $0.write }
        if let first = requests.first { peripheral.respond(to: first, withResult: answer(requests)) }
    }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) {
        state.withLock { $0.publishedPSM = PSM }
        record("published channel" + text(error))
    }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?
    ) {
        let box = UncheckedBox(channel)
        state.withLock { $0.channel = box.value }
        record("opened channel" + text(error))
    }
}
