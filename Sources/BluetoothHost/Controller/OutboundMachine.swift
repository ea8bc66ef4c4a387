// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Packets on their way to the controller. Commands and ACL data wait for the controller's credits. Packets with a
/// credit wait for the end of the turn (``take()``).
struct OutboundMachine: Sendable {
    private var commands = CommandCreditMachine<CommandPurpose>()
    private var acl = ACLCreditMachine(packetLength: ACLCreditMachine.minimumPacketLength, count: 1)
    /// H4 packets with a credit, in order.
    private var octets: [UInt8] = []

    /// When ``expire(at:)`` or ``takeStalled(at:)`` has to be called.
    var deadline: MonotonicTime? { .earlier(commands.deadline, acl.deadline) }

    var isEmpty: Bool { octets.isEmpty }

    /// H4 packets to send, in order.
    mutating func take() -> [UInt8] {
        defer { octets.removeAll() }
        return octets
    }

    /// The controller is given up: nothing is sent or answered any more. Returns the purposes of the unanswered
    /// commands.
    mutating func giveUp() -> [CommandPurpose] {
        defer { (commands, octets) = (CommandCreditMachine(), []) }
        return commands.purposes
    }

    // MARK: Commands

    /// Queues a command; false when too many wait already.
    mutating func submit(_ command: any HCICommand, for purpose: CommandPurpose) -> Bool {
        commands.submit(command, for: purpose)
    }

    /// Sends the commands for which there are credits.
    mutating func sendCommands(at now: MonotonicTime) {
        while let command = commands.next(at: now) { octets.append(contentsOf: command.packet) }
    }

    /// Takes Command Complete or Command Status. Returns the command's purpose; nil: no command waits for this answer.
    mutating func answered(_ opcode: HCIOpcode, credits: UInt8) -> CommandPurpose? {
        commands.answered(opcode, credits: credits)
    }

    /// A command was not answered in time. The caller gives the controller up, or abandons the command.
    mutating func expire(at now: MonotonicTime) -> HCIOpcode? { commands.expire(at: now) }

    /// Stops waiting for the command in flight. Returns its purpose.
    mutating func abandon() -> CommandPurpose? { commands.abandon() }

    /// The number of unanswered RSSI readings.
    var readingsOfRSSI: Int { commands.purposes.count { if case .rssi = $0 { true } else { false } } }

    /// The answer to a peer's wish for parameters waits, or is not answered yet.
    func repliesToParameters(of link: LinkID) -> Bool { commands.purposes.contains(.parameterReply(link)) }

    /// The connection handles for which an answer to a Long Term Key Request waits.
    var keyAnswers: [UInt16] {
        commands.handles(of: [.leLongTermKeyRequestReply, .leLongTermKeyRequestNegativeReply])
    }

    // MARK: Data

    /// The controller is set up, and has `count` buffers of `packetLength` octets for data.
    mutating func restart(packetLength: Int, count: Int) {
        acl = ACLCreditMachine(packetLength: packetLength, count: count)
    }

    mutating func connected(_ handle: UInt16) { acl.connected(handle) }

    /// The link has ended. Returns the purposes of the commands that still waited for the link.
    mutating func disconnected(_ handle: UInt16) -> [CommandPurpose] {
        acl.disconnected(handle)
        return commands.withdraw(handle: handle)
    }

    /// Queues an L2CAP PDU; false when the link is unknown or its queue is full.
    mutating func enqueue(_ pdu: [UInt8], on handle: UInt16) -> Bool { acl.enqueue(pdu, on: handle) }

    /// The number of this link's L2CAP PDUs that wait for credits.
    func waitingPDUs(on handle: UInt16) -> Int { acl.waitingPDUs(on: handle) }

    /// Sends the next ACL packet, if there is a credit. Returns the packet's link, and whether the packet ends a PDU.
    mutating func sendData(at now: MonotonicTime) -> (handle: UInt16, endsPDU: Bool)? {
        guard let (handle, packet, endsPDU) = acl.next(at: now) else { return nil }
        octets.append(contentsOf: packet)
        return (handle, endsPDU)
    }

    /// Takes Number Of Completed Packets.
    mutating func completed(_ list: [CompletedPackets], at now: MonotonicTime) {
        for item in list { acl.completed(item.count, on: item.handle, at: now) }
    }

    /// Links whose peers keep them alive and acknowledge nothing.
    mutating func takeStalled(at now: MonotonicTime) -> [UInt16] { acl.takeStalled(at: now) }
}
