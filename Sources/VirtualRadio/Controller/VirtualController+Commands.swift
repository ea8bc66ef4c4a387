// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// One command of this controller.
struct ControllerCommand: Sendable {
    enum Answer {
        case complete
        case status
    }

    typealias Action = @Sendable (VirtualController, inout ByteReader) throws -> [UInt8]

    /// The command's bit in the Supported Commands. Core 5.4, Vol 4, Part E, 6.27.
    let octet: Int
    let bit: Int
    let answer: Answer
    /// The command's family, if the family matters.
    let commandSet: CommandSet?
    /// Octets after the status of a Command Complete; zeros after an error.
    let returns: Int
    /// The first two of these octets repeat the connection handle, even after an error.
    let repeatsHandle: Bool
    /// The command needs a resolving list.
    let needsResolvingList: Bool
    /// Reads the parameters, acts, and returns the parameters after the status.
    let action: Action

    init(
        _ octet: Int, _ bit: Int, _ answer: Answer = .complete, _ commandSet: CommandSet? = nil, returns: Int = 0,
        repeatsHandle: Bool = false, needsResolvingList: Bool = false, action: @escaping Action
    ) {
        self.octet = octet
        self.bit = bit
        self.answer = answer
        self.commandSet = commandSet
        self.returns = returns
        self.repeatsHandle = repeatsHandle
        self.needsResolvingList = needsResolvingList
        self.action = action
    }
}

enum CommandResult {
    case complete([UInt8])
    case status(HCIStatus)
    case none
}

extension VirtualController {
    static let commands: [HCIOpcode: ControllerCommand] = [
        baseCommands, advertisingCommands, extendedAdvertisingCommands, scanningCommands, initiatingCommands,
        linkCommands, securityCommands, privacyCommands,
    ].reduce(into: [:]) { all, some in all.merge(some) { first, _ in first } }

    func implements(_ command: ControllerCommand) -> Bool {
        (command.commandSet != .extended || settings.extendedAdvertising)
            && (!command.needsResolvingList || settings.resolvingListSize > 0)
    }

    func perform(_ opcode: HCIOpcode, _ parameters: ArraySlice<UInt8>) -> CommandResult {
        // Vol 4, Part E, 7.3.40: a valid command of this kind gets no answer. Flow control towards the host is never on
        // here.
        guard opcode != .hostNumberOfCompletedPackets else { return .none }
        guard let command = Self.commands[opcode], implements(command) else {
            return .complete([HCIStatus.unknownCommand.rawValue])
        }
        if let refusal = refusals[opcode] ?? faults.refusal(of: opcode), refusal.concerns(opcode, parameters) {
            return refused(command, parameters, refusal)
        }
        do {
            if settings.extendedAdvertising, let family = command.commandSet {
                guard host.commandSet ?? family == family else { throw HCIStatus.commandDisallowed }
            }
            var reader = ByteReader(parameters)
            let returned = try command.action(self, &reader)
            if let family = command.commandSet { host.commandSet = family }
            return command.answer == .status ? .status(.success) : .complete([HCIStatus.success.rawValue] + returned)
        } catch let status as HCIStatus {
            return failure(of: command, parameters, status)
        } catch {
            violations.record("command \(opcode) with wrong parameters: \(error)")
            return failure(of: command, parameters, .invalidCommandParameters)
        }
    }

    private func refused(
        _ command: ControllerCommand, _ parameters: ArraySlice<UInt8>, _ refusal: CommandRefusal
    ) -> CommandResult {
        guard let status = refusal.status else { return .none }
        switch refusal.form {
        case .usual: return failure(of: command, parameters, status)
        case .commandComplete: return .complete([status.rawValue])
        case .commandStatus: return .status(status)
        }
    }

    private func failure(
        of command: ControllerCommand, _ parameters: ArraySlice<UInt8>, _ status: HCIStatus
    ) -> CommandResult {
        guard command.answer == .complete else { return .status(status) }
        var returned = [UInt8](repeating: 0, count: command.returns)
        if command.repeatsHandle {
            for (index, octet) in parameters.prefix(min(2, returned.count)).enumerated() { returned[index] = octet }
        }
        return .complete([status.rawValue] + returned)
    }
}
