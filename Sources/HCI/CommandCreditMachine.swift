// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Sends commands when the controller has room for them: Num_HCI_Command_Packets is honoured, one command is in
/// flight at a time, and an answer that does not come in 2 s (10 s for Reset) is a fault of the controller.
/// Core 5.4, Vol 4, Part E, 4.4.
package struct CommandCreditMachine: Sendable {
    package struct Command: Equatable, Sendable {
        package let opcode: HCIOpcode
        package let packet: [UInt8]

        /// The first parameter of a command about a link.
        fileprivate var handle: UInt16? {
            guard CommandCreditMachine.ofLinks.contains(opcode), packet.count >= 6 else { return nil }
            return UInt16(packet[4]) | UInt16(packet[5]) << 8
        }
    }

    /// Commands that name a connection handle, before anything else.
    private static let ofLinks: Set<HCIOpcode> = [
        .disconnect, .readRSSI, .leConnectionUpdate, .leReadRemoteFeatures, .leEnableEncryption,
        .leLongTermKeyRequestReply, .leLongTermKeyRequestNegativeReply, .leRemoteConnectionParameterRequestReply,
        .leRemoteConnectionParameterRequestNegativeReply, .leSetDataLength, .leSetPHY,
    ]

    package static let timeout: Duration = .seconds(2)
    package static let resetTimeout: Duration = .seconds(10)
    /// Commands that may wait.
    package static let capacity = 128

    private var waiting: [Command] = []
    private var credits: UInt8 = 1
    /// The command in flight.
    package private(set) var outstanding: HCIOpcode?
    /// When the command in flight is overdue, or the right to send the next one.
    package private(set) var deadline: MonotonicTime?

    package init() {}

    /// Queues a command; false when too many wait already.
    package mutating func submit(_ command: some HCICommand) -> Bool {
        guard waiting.count < Self.capacity else { return false }
        waiting.append(Command(opcode: type(of: command).opcode, packet: command.packet))
        return true
    }

    /// The links that waiting commands with one of these opcodes are about.
    package func handles(of opcodes: Set<HCIOpcode>) -> [UInt16] {
        waiting.compactMap { opcodes.contains($0.opcode) ? $0.handle : nil }
    }

    /// A link has ended: what waits for its handle is dropped, lest the link that gets the handle next has it.
    package mutating func withdraw(handle: UInt16) { waiting.removeAll { $0.handle == handle } }

    /// The next command to send now, if any.
    package mutating func next(at now: MonotonicTime) -> Command? {
        guard outstanding == nil, !waiting.isEmpty else { return nil }
        guard credits > 0 else {
            // A controller that takes the right away and never gives it back would hold everything up for ever.
            deadline = deadline ?? now + Self.timeout
            return nil
        }
        let command = waiting.removeFirst()
        credits -= 1
        outstanding = command.opcode
        deadline = now + (command.opcode == .reset ? Self.resetTimeout : Self.timeout)
        return command
    }

    /// Takes the credits of a Command Complete or Command Status; true when it answers the command in flight.
    ///
    /// Opcode 0 only gives credits. An answer that nobody waits for still gives its credits.
    package mutating func answered(_ opcode: HCIOpcode, credits: UInt8) -> Bool {
        self.credits = credits
        guard opcode != .none, outstanding == opcode else { return false }
        outstanding = nil
        deadline = nil
        return true
    }

    /// The command that was not answered in time, or could not be sent; it and all that wait are dropped.
    package mutating func expire(at now: MonotonicTime) -> HCIOpcode? {
        guard let due = deadline, due <= now else { return nil }
        guard let opcode = outstanding ?? waiting.first?.opcode else {
            // It was taken back meanwhile.
            deadline = nil
            return nil
        }
        self = CommandCreditMachine()
        return opcode
    }
}
