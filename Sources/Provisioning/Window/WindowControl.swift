// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import CoreBluetooth
import Foundation
import Gateway
import Synchronization

/// The window on the control socket: what `martlet provision` asks, and its dialogue.
package final class WindowControl: Sendable {
    private let keeper: WindowKeeper
    private let operations: any GatewayOperations
    /// The gateway's identity address, where it is known.
    private let address: @Sendable () -> String?

    package init(
        _ keeper: WindowKeeper, operations: any GatewayOperations, address: @escaping @Sendable () -> String? = { nil }
    ) {
        (self.keeper, self.operations, self.address) = (keeper, operations, address)
    }

    /// Has the gateway answer on its control socket.
    package func install(on gateway: GatewayService) {
        gateway.addControlVerb(WindowRequest.verb) { [self] in await answer($0) }
        gateway.addControlDialogue(WindowRequest.dialogue) { [self] in dialogue($0) }
        gateway.addCommand("provision") { [self] data throws(OperationError) in
            try command(try RemoteCommands.arguments(Command.self, of: data))
        }
    }

    private struct Command: Decodable {
        var action: String
        var minutes: Int?
    }

    private struct CommandResult: Encodable {
        var isOpen: Bool
    }

    /// The same over MQTT, without a word of passkeys: who opens the window there does not see them.
    private func command(_ command: Command) throws(OperationError) -> Data {
        switch command.action {
        case "open":
            do throws(ControlError) {
                keeper.open(by: .command, for: try Self.duration(command.minutes))
            } catch {
                throw OperationError(.notValid, "\(error)")
            }
        case "close": keeper.close()
        default: throw OperationError(.notValid, #""action" is "open" or "close""#)
        }
        return try RemoteCommands.answer(CommandResult(isOpen: command.action == "open"))
    }

    package func answer(_ line: [UInt8]) async -> [UInt8] {
        guard let request = try? ControlCoding.decode(WindowRequest.self, from: line) else {
            return Self.failure("the request is malformed")
        }
        do {
            switch request.action {
            case .open:
                keeper.open(by: .command, for: try Self.duration(request.minutes))
                return Self.success(await report())
            case .close:
                keeper.close()
                return Self.success(await report())
            case .status: return Self.success(await report())
            case .label: return Self.success(try await label(isNew: request.new == true))
            case .forget:
                try await forget(request.phone)
                return Self.success(await report())
            }
        } catch let error as ControlError {
            return Self.failure("\(error)")
        } catch {
            return Self.failure("it could not be done")
        }
    }

    private static func duration(_ minutes: Int?) throws(ControlError) -> Duration? {
        guard let minutes else { return nil }
        guard (1...60).contains(minutes) else { throw .refused("a window is open for 1 to 60 minutes") }
        return .seconds(minutes * 60)
    }

    // MARK: Reports

    private func report() async -> WindowReport {
        var report = report(of: keeper.state, name: await operations.settings().name)
        report.phones = await phones()
        return report
    }

    private func report(of state: WindowState, name: String) -> WindowReport {
        var report = WindowReport(open: state.isOpen, failures: state.failures)
        report.opener = state.opener?.rawValue
        report.seconds = state.end.map { max(0, Int(ContinuousClock.now.duration(to: $0).components.seconds)) }
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

    private func forget(_ phone: String?) async throws {
        let known = await phones()
        let chosen = known.filter {
            phone == nil || $0.address.caseInsensitiveCompare(phone ?? "") == .orderedSame
                || $0.identifier.caseInsensitiveCompare(phone ?? "") == .orderedSame
        }
        if let phone, chosen.isEmpty { throw ControlError.refused("no phone \(phone) is known") }
        for phone in chosen {
            do throws(OperationError) {
                _ = try await operations.unpair(phone.identifier)
            } catch {
                throw ControlError.refused("\(error)")
            }
        }
    }

    // MARK: Dialogue

    private final class Dialogue: Sendable {
        let observation = Mutex<WindowObservation?>(nil)
        let line = Mutex<ControlDialogue?>(nil)
        let isOver = Mutex(false)
    }

    package func dialogue(_ line: [UInt8]) -> ControlDialogue? {
        guard let request = try? ControlCoding.decode(WindowRequest.self, from: line), request.action == .open
        else { return nil }
        let duration: Duration?
        do throws(ControlError) { duration = try Self.duration(request.minutes) } catch {
            let refusal = ControlDialogue(received: { _ in }, left: {})
            refusal.say(Self.failure("\(error)"), isLast: true)
            return refusal
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
            // Not on the socket's thread: the window may be waiting for the disk.
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
