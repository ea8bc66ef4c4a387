// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Configuration
import CoreBluetooth
import Foundation
import Gateway
import Operations
import Synchronization

/// The window on the control socket: requests of `martlet provision`, and its dialogue.
package final class WindowControl: Sendable {
    private let keeper: WindowKeeper
    private let operations: any GatewayOperations
    /// The gateway's identity address, if known.
    private let address: @Sendable () -> String?

    package init(
        _ keeper: WindowKeeper, operations: any GatewayOperations, address: @escaping @Sendable () -> String? = { nil }
    ) {
        (self.keeper, self.operations, self.address) = (keeper, operations, address)
    }

    /// Registers the window's operations with the gateway.
    package func install(on gateway: GatewayService) {
        gateway.provide(OperationTable.provision) { [self] wish, call throws(OperationError) in
            call.caller == .socket ? try await answer(wish) : try command(wish)
        }
        gateway.provide(.provisionOpen, dialogue: { [self] in dialogue($0) })
    }

    /// Answers page and broker without passkeys: a visitor sees a passkey only where the window shows it.
    private func command(_ wish: OperationTable.Window) throws(OperationError) -> WindowReport {
        switch wish.action {
        case .open:
            keeper.open(by: .command, for: try Self.duration(wish.minutes))
            return WindowReport(keeper.state)
        case .close:
            keeper.close()
            return WindowReport(keeper.state)
        case .status, .label, .forget: throw OperationError(.notValid, #""action" is "open" or "close""#)
        }
    }

    /// Answers on the control socket.
    package func answer(_ request: OperationTable.Window) async throws(OperationError) -> WindowReport {
        switch request.action {
        case .open:
            keeper.open(by: .command, for: try Self.duration(request.minutes))
            return await report()
        case .close:
            keeper.close()
            return await report()
        case .status: return await report()
        case .label:
            let label: LabelReport
            do { label = try await self.label(isNew: request.new == true) } catch {
                throw OperationError(.failed, (error as? ControlError).map { "\($0)" } ?? "it could not be done")
            }
            return WindowReport(keeper.state, label)
        case .forget:
            try await forget(request.phone)
            return await report()
        }
    }

    private static func duration(_ minutes: Int?) throws(OperationError) -> Duration? {
        guard let minutes else { return nil }
        guard (1...60).contains(minutes) else {
            throw OperationError(.notValid, "a window is open for 1 to 60 minutes")
        }
        return .seconds(minutes * 60)
    }

    // MARK: Reports

    private func report() async -> WindowReport {
        var report = report(of: keeper.state, name: await operations.settings().name)
        report.phones = await phones()
        return report
    }

    private func report(of state: WindowState, name: String) -> WindowReport {
        var report = WindowReport(state)
        report.opener = state.opener?.rawValue
        switch state.passkey {
        case .fresh(let digits):
            report.passkey = digits
            let data = keeper.outOfBand
            report.code = PairingCode.text(
                name: name, address: address(), passkey: digits, confirm: data?.confirm, random: data?.random)
        case .label: break
        case .none(let reason): report.problem = reason
        }
        let label = keeper.label
        report.label = label?.condition.rawValue
        report.labelTries = label?.triesLeft
        return report
    }

    package func label(isNew: Bool) async throws -> LabelReport {
        let record = try await keeper.label(isNew: isNew)
        let name = await operations.settings().name
        return LabelReport(
            name: name, passkey: record.passkey.revealed,
            code: PairingCode.text(
                name: name, address: address(), passkey: record.passkey.revealed, confirm: nil, random: nil),
            condition: record.condition.rawValue, tries: record.triesLeft)
    }

    private func phones() async -> [WindowReport.Phone] {
        await operations.bonds().bonds.filter(\.central).map {
            WindowReport.Phone(address: $0.address, identifier: $0.identifier, since: $0.since)
        }
    }

    private func forget(_ phone: String?) async throws(OperationError) {
        let known = await phones()
        let chosen = known.filter {
            phone == nil || $0.address.caseInsensitiveCompare(phone ?? "") == .orderedSame
                || $0.identifier.caseInsensitiveCompare(phone ?? "") == .orderedSame
        }
        if let phone, chosen.isEmpty { throw OperationError(.notFound, "no phone \(phone) is known") }
        for phone in chosen { _ = try await operations.unpair(phone.identifier) }
    }

    // MARK: Dialogue

    private final class Dialogue: Sendable {
        let observation = Mutex<WindowObservation?>(nil)
        let line = Mutex<ControlDialogue?>(nil)
        let isOver = Mutex(false)
    }

    package func dialogue(_ call: OperationCall) -> ControlDialogue? {
        let (request, duration): (OperationTable.WindowWatch, Duration?)
        do throws(OperationError) {
            request = try call.arguments(of: OperationTable.provisionOpen)
            duration = try Self.duration(request.minutes)
            guard request.action == .open else { throw OperationError(.notValid, #""action" is "open""#) }
        } catch {
            return .refusing(error.description)
        }
        let compares = request.compare == true
        let running = Dialogue()
        let end: @Sendable () -> Void = { [keeper] in
            let isFirst = running.isOver.withLock { isOver in
                defer { isOver = true }
                return !isOver
            }
            guard isFirst else { return }
            running.observation.withLock { $0 = nil }
            running.line.withLock { $0 = nil }
            // Not on the socket's thread, because the window may wait for the disk.
            Task { keeper.removeDialogue(compares: compares) }
        }
        let dialogue = ControlDialogue(
            received: { [keeper] line in
                guard let answer = try? ControlCoding.decode(WindowAnswer.self, from: line) else { return }
                Task {
                    switch answer.word {
                    case .same, .different: keeper.answerComparison(answer.word == .same)
                    case .close: keeper.close()
                    }
                }
            }, left: end)
        running.line.withLock { $0 = dialogue }
        Task { [self] in
            keeper.addDialogue(compares: compares)
            if request.watch != true { keeper.open(by: .command, for: duration) }
            let name = await operations.settings().name
            let observation = keeper.watch { [weak self] notice in
                guard let self, let line = running.line.withLock({ $0 }) else { return }
                let isLast = if case .state(let state) = notice { !state.isOpen } else { false }
                line.say(Self.success(self.line(of: notice, name: name)), isLast: isLast)
                if isLast { end() }
            }
            if running.isOver.withLock({ $0 }) { return }
            running.observation.withLock { $0 = observation }
        }
        return dialogue
    }

    private func line(of notice: WindowKeeper.Notice, name: String) -> WindowLine {
        switch notice {
        case .state(let state): WindowLine(kind: .state, window: report(of: state, name: name))
        case .began: WindowLine(kind: .began, text: "A phone asks for the passkey: enter it within 30 s.")
        case .compare(let digits): WindowLine(kind: .compare, digits: digits)
        case .ended(let outcome, let text): WindowLine(kind: outcome == .paired ? .paired : .failed, text: text)
        }
    }

    private static func success(_ value: some Codable & Sendable) -> [UInt8] {
        (try? ControlCoding.encode(ControlResponse.success(value))) ?? failure("the answer cannot be written")
    }

    private static func failure(_ text: String) -> [UInt8] {
        (try? ControlCoding.encode(ControlResponse<WindowReport>.failure(text)))
            ?? Array(#"{"error":"unknown","ok":false}"#.utf8)
    }
}
