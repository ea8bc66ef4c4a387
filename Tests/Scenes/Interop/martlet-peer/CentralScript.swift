// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// The steps of the central, in order; each reports success or failure.
final class CentralScript {
    struct Unmet: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    let controller: CBController
    let central: CBCentralManager
    let delegate: CentralDelegate
    let name: String
    let patience: TimeInterval
    private let leaving: Set<String>
    private var failures = 0

    var inbox: Inbox { delegate.inbox }

    init(controller: CBController, name: String, patience: TimeInterval, leaving: Set<String>) {
        self.controller = controller
        self.name = name
        self.patience = patience
        self.leaving = leaving
        // At first a refusal stays a refusal; a later step changes this.
        controller.pairingPolicy.pairsOnDemand = false
        delegate = CentralDelegate(wanted: name)
        central = CBCentralManager(
            delegate: delegate, queue: DispatchQueue(label: "martlet-peer"),
            options: [CBCentralManagerOptionControllerKey: controller])
    }

    /// Whether every step held.
    func run() -> Bool {
        // Without these nothing else can be asked.
        let isConnected =
            step("power", powerOn) && step("scan", scan) && step("connect", connect)
            && step("discover services", discoverServices) && step("discover characteristics", discoverCharacteristics)
        guard isConnected else { return false }
        step("read rssi", readRSSI)
        step("discover included services", discoverIncludedServices)
        step("discover descriptors", discoverDescriptors)
        step("mtu", checkMTU)
        runValues()
        runProcedures()
        step("subscribe notify", subscribeToNotifications)
        step("subscribe indicate", subscribeToIndications)
        step("unsubscribe", unsubscribe)
        runRefusals()
        step("services changed", changeServices)
        step("services removed", removeServices)
        step("l2cap", echoOverChannel)
        step("paired on demand", pairOnDemand)
        step("dropped and reconnected", reconnect)
        step("cancel", cancel)
        return failures == 0
    }

    /// Runs the step and reports it; false after a failure.
    @discardableResult
    func step(_ name: String, _ body: () throws -> String) -> Bool {
        guard !leaving.contains(name.replacingOccurrences(of: " ", with: "-")) else {
            Report.line(["step": name, "left": true])
            return true
        }
        let started = Date()
        do {
            let detail = try body()
            Report.line(["step": name, "ok": true, "detail": detail, "seconds": -started.timeIntervalSinceNow])
            return true
        } catch {
            failures += 1
            Report.line(["step": name, "ok": false, "detail": "\(error)", "seconds": -started.timeIntervalSinceNow])
            return false
        }
    }

    // MARK: Parts of steps

    func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws {
        if !condition { throw Unmet(message()) }
    }

    /// The answer, with any result.
    func answer(_ kind: Inbox.Kind, about subject: AnyObject? = nil) throws -> Inbox.Call {
        guard let call = inbox.take(kind, about: subject, within: patience) else {
            throw Unmet("no \(kind) within \(patience) s")
        }
        return call
    }

    /// The answer, which must not be an error.
    @discardableResult
    func success(_ kind: Inbox.Kind, about subject: AnyObject? = nil) throws -> Inbox.Call {
        let call = try answer(kind, about: subject)
        if let failure = call.failure { throw failure }
        return call
    }

    /// The error of the answer, which must have one of the codes.
    func refusal(_ kind: Inbox.Kind, about subject: AnyObject, codes: [CBATTError.Code]) throws -> String {
        guard let failure = try answer(kind, about: subject).failure else { throw Unmet("no error") }
        try expect(
            failure.domain == CBATTErrorDomain && codes.contains { $0.rawValue == failure.code },
            "\(failure) instead of \(codes.map { String($0.rawValue, radix: 16) })")
        return "\(failure)"
    }

    func peripheral() throws -> CBPeripheral {
        guard let peripheral = delegate.found else { throw Unmet("no peripheral") }
        return peripheral
    }

    func service(_ uuid: CBUUID) throws -> CBService {
        guard let service = try peripheral().services?.first(where: { $0.uuid == uuid }) else {
            throw Unmet("no service \(uuid)")
        }
        return service
    }

    func characteristic(_ uuid: CBUUID, of owner: CBUUID = ReferenceDatabase.main) throws -> CBCharacteristic {
        guard let found = try service(owner).characteristics?.first(where: { $0.uuid == uuid }) else {
            throw Unmet("no characteristic \(uuid)")
        }
        return found
    }

    func descriptor(_ type: String) throws -> CBDescriptor {
        let found = try characteristic(ReferenceDatabase.described).descriptors?
            .first { $0.uuid == CBUUID(string: type) }
        guard let found else { throw Unmet("no descriptor \(type)") }
        return found
    }

    func read(_ characteristic: CBCharacteristic) throws -> Data {
        try peripheral().readValue(for: characteristic)
        return try success(.value, about: characteristic).value
    }

    func write(_ value: Data, to characteristic: CBCharacteristic) throws {
        try peripheral().writeValue(value, for: characteristic, type: .withResponse)
        try success(.written, about: characteristic)
    }

    /// Tells the server to do something.
    func command(_ command: ReferenceDatabase.Command, _ number: UInt8? = nil) throws {
        try write(
            Data([command.rawValue] + (number.map { [$0] } ?? [])), to: characteristic(ReferenceDatabase.control))
    }
}
