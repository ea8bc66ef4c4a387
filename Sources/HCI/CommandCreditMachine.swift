// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Sends commands when the controller has room for them. The machine honours Num_HCI_Command_Packets and keeps one
/// command in flight. An answer that does not come in 2 s (10 s for Reset) is a fault of the controller. Core 5.4, Vol
/// 4, Part E, 4.4.
///
/// A command carries its purpose, and the purpose comes back with the answer: answers name no link, and no other part
/// has to remember the asker.
package struct CommandCreditMachine<Purpose: Sendable>: Sendable {
    package struct Command: Sendable {
        package let opcode: HCIOpcode
        package let packet: [UInt8]
        fileprivate let purpose: Purpose

        /// The first parameter of a command about a link.
        fileprivate var handle: UInt16? {
            guard opcode.isOfLink, packet.count >= 6 else { return nil }
            return UInt16(packet[4]) | UInt16(packet[5]) << 8
        }
    }

    package static var timeout: Duration { .seconds(2) }
    package static var resetTimeout: Duration { .seconds(10) }
    /// Commands that may wait.
    package static var capacity: Int { 128 }

    private var waiting: [Command] = []
    private var credits: UInt8 = 1
    private var outstanding: Command?
    /// When the command in flight is overdue, or the controller's permission to send the next one.
    package private(set) var deadline: MonotonicTime?

    package init() {}

    /// Queues a command; false when too many wait already.
    package mutating func submit(_ command: some HCICommand, for purpose: Purpose) -> Bool {
        guard waiting.count < Self.capacity else { return false }
        waiting.append(Command(opcode: type(of: command).opcode, packet: command.packet, purpose: purpose))
        return true
    }

    /// The purposes of all commands that are not answered yet, in their order.
    package var purposes: [Purpose] { (outstanding.map { [$0.purpose] } ?? []) + waiting.map(\.purpose) }

    /// The links that waiting commands with one of these opcodes are about.
    package func handles(of opcodes: Set<HCIOpcode>) -> [UInt16] {
        waiting.compactMap { opcodes.contains($0.opcode) ? $0.handle : nil }
    }

    /// Drops the commands that wait for the handle of an ended link: the next link with this handle must not get them.
    /// The answer to the command in flight still comes.
    ///
    /// - Returns: The purposes of the dropped commands.
    package mutating func withdraw(handle: UInt16) -> [Purpose] {
        let withdrawn = waiting.filter { $0.handle == handle }
        guard !withdrawn.isEmpty else { return [] }
        waiting.removeAll { $0.handle == handle }
        return withdrawn.map(\.purpose)
    }

    /// The next command to send now, if any.
    package mutating func next(at now: MonotonicTime) -> Command? {
        guard outstanding == nil, !waiting.isEmpty else { return nil }
        guard credits > 0 else {
            // A controller that withdraws the right to send and never gives it back would block every command for ever.
            deadline = deadline ?? now + Self.timeout
            return nil
        }
        let command = waiting.removeFirst()
        credits -= 1
        outstanding = command
        deadline = now + (command.opcode == .reset ? Self.resetTimeout : Self.timeout)
        return command
    }

    /// Takes the credits of a Command Complete or Command Status. Returns the purpose of the command in flight if the
    /// event answers this command.
    ///
    /// Opcode 0 only gives credits. An answer to no command in flight still gives its credits.
    package mutating func answered(_ opcode: HCIOpcode, credits: UInt8) -> Purpose? {
        self.credits = credits
        guard opcode != .none, let command = outstanding, command.opcode == opcode else { return nil }
        outstanding = nil
        deadline = nil
        return command.purpose
    }

    /// Gives up the command in flight, for a controller that stays in use: the right to send comes back.
    ///
    /// - Returns: The purpose of the command; nil if none is in flight.
    package mutating func abandon() -> Purpose? {
        guard let command = outstanding else { return nil }
        (outstanding, deadline, credits) = (nil, nil, max(1, credits))
        return command.purpose
    }

    /// The command that was not answered in time, or could not be sent. The caller then calls ``abandon()``, or gives
    /// up the controller: after that this machine only knows the purposes of the unanswered commands.
    package mutating func expire(at now: MonotonicTime) -> HCIOpcode? {
        guard let due = deadline, due <= now else { return nil }
        deadline = nil
        // Nil: the waiting command was withdrawn meanwhile.
        return outstanding?.opcode ?? waiting.first?.opcode
    }
}

extension HCIOpcode {
    /// The command names a connection handle, before anything else.
    fileprivate var isOfLink: Bool {
        switch self {
        case .disconnect, .readRSSI, .leConnectionUpdate, .leReadRemoteFeatures, .leEnableEncryption,
            .leLongTermKeyRequestReply, .leLongTermKeyRequestNegativeReply, .leRemoteConnectionParameterRequestReply,
            .leRemoteConnectionParameterRequestNegativeReply, .leSetDataLength, .leSetPHY:
            true
        default: false
        }
    }
}
