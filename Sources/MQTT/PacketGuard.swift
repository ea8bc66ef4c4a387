// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Checks the stream of packets from the broker before libmosquitto gets it.
///
/// A machine without I/O. The library trusts the broker: it ends the process over a property that it does not know
/// (2.0.11), reserves as much memory as a packet announces, and takes packets that a publisher does not get. Without TLS,
/// whoever is on the way can send all that.
package struct PacketGuard: Sendable {
    /// Octets of the longest packet that is let through, its fixed header not counted. CONNACK and DISCONNECT are the
    /// only ones with texts of the broker's in them; what brokers really send has a few hundred.
    package static let longest = 65_536

    private enum State {
        /// CONNECT was sent.
        case connecting
        case connected
        /// The broker has refused or ended the connection: nothing may follow.
        case over
    }

    /// MQTT 3.1.1 has none.
    private let hasProperties: Bool
    private var state = State.connecting
    /// The beginning of a packet whose end has not come yet.
    private var partial: [UInt8] = []
    /// Messages on their way, by packet identifier.
    private var awaited: Set<UInt16> = []

    /// - Parameter hasProperties: MQTT 5 is spoken, not 3.1.1.
    package init(hasProperties: Bool) { self.hasProperties = hasProperties }

    /// A message with this packet identifier was sent, which the broker will acknowledge.
    package mutating func expectAcknowledgement(of id: UInt16) { awaited.insert(id) }

    /// Checks what comes next in the stream, cut anywhere. After a fault the connection has to end.
    package mutating func check(_ octets: ArraySlice<UInt8>) throws(PacketFault) {
        guard partial.isEmpty else {
            partial.append(contentsOf: octets)
            let count = try checkWhole(partial[...])
            return partial.removeFirst(count)
        }
        let count = try checkWhole(octets)
        if count < octets.count { partial = Array(octets.dropFirst(count)) }
    }

    /// - Returns: How many octets the packets have that are there to their end.
    private mutating func checkWhole(_ octets: ArraySlice<UInt8>) throws(PacketFault) -> Int {
        var rest = octets
        while let first = rest.first {
            let packet = ControlPacketType(rawValue: first >> 4)
            try checkHeader(packet, flags: first & 0x0F)
            guard let header = try Self.header(of: packet, in: rest) else { break }
            guard rest.count >= header.octets + header.length else { break }
            let body = rest.dropFirst(header.octets).prefix(header.length)
            let problem: PacketFault.Problem?
            do {
                problem = try checkBody(packet, ByteReader(body))
            } catch {
                problem = .field(error)
            }
            if let problem { throw PacketFault(packet: packet, problem: problem) }
            rest = rest.dropFirst(header.octets + header.length)
        }
        return octets.count - rest.count
    }

    /// The octets of the fixed header, and those that follow it; nil while it is not there to its end.
    private static func header(
        of packet: ControlPacketType, in octets: ArraySlice<UInt8>
    ) throws(PacketFault) -> (octets: Int, length: Int)? {
        var length = 0
        var count = 1
        for octet in octets.dropFirst().prefix(4) {
            length |= Int(octet & 0x7F) << (7 * (count - 1))
            count += 1
            guard octet & 0x80 == 0 else { continue }
            guard length <= longest else { throw PacketFault(packet: packet, problem: .tooLong(length)) }
            return (count, length)
        }
        if count > 4 { throw PacketFault(packet: packet, problem: .length) }
        return nil
    }

    /// A publisher sends nothing of QoS 2, subscribes to nothing and names no authentication method: what a broker may
    /// send it are these four.
    private func checkHeader(_ packet: ControlPacketType, flags: UInt8) throws(PacketFault) {
        let isExpected =
            switch (state, packet) {
            case (.connecting, .connack), (.connected, .puback), (.connected, .pingresp): true
            case (.connected, .disconnect): hasProperties
            default: false
            }
        guard isExpected else { throw PacketFault(packet: packet, problem: .unexpected) }
        guard flags == 0 else { throw PacketFault(packet: packet, problem: .flags(flags)) }
    }

    private mutating func checkBody(
        _ packet: ControlPacketType, _ body: ByteReader
    ) throws(DecodeError) -> PacketFault.Problem? {
        var body = body
        switch packet {
        case .connack: return try checkAcceptance(&body)
        case .puback: return try checkAcknowledgement(&body)
        case .disconnect:
            state = .over
            guard body.remaining > 0 else { return nil }
            _ = try body.u8("Reason Code")
            return body.remaining > 0 ? try Self.checkProperties(of: packet, &body) : nil
        default:
            try body.finish()
            return nil
        }
    }

    /// MQTT 5.0, 3.2.
    private mutating func checkAcceptance(_ body: inout ByteReader) throws(DecodeError) -> PacketFault.Problem? {
        if try body.u8("Connect Acknowledge Flags") > 1 { throw .invalid(field: "Connect Acknowledge Flags") }
        let reason = try body.u8("Reason Code")
        state = reason == 0 ? .connected : .over
        // Brokers that speak MQTT 3.1.1 alone say so in its words.
        guard hasProperties, reason == 0 || body.remaining > 0 else {
            try body.finish()
            return nil
        }
        return try Self.checkProperties(of: .connack, &body)
    }

    /// MQTT 5.0, 3.4.
    private mutating func checkAcknowledgement(_ body: inout ByteReader) throws(DecodeError) -> PacketFault.Problem? {
        let id = try body.u16("Packet Identifier").byteSwapped
        if id == 0 { throw .invalid(field: "Packet Identifier") }
        let isAwaited = awaited.remove(id) != nil
        guard hasProperties, body.remaining > 0 else {
            try body.finish()
            return nil
        }
        _ = try body.u8("Reason Code")
        guard body.remaining > 0 else { return nil }
        // The library would never give back their memory.
        guard isAwaited || body.remaining == 1 else { return .notAwaited(id) }
        return try Self.checkProperties(of: .puback, &body)
    }
}
