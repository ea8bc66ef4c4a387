// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Checks the stream of packets from the broker before libmosquitto gets it.
///
/// A machine without I/O. The library trusts the broker: it ends the process over an unknown property (2.0.11),
/// reserves as much memory as a packet announces, and accepts packets that no request called for. Without TLS, any
/// attacker on the way can send such packets. docs/mqtt-guard.md lists the accepted packets, and says how long the
/// guard is needed.
package struct PacketGuard: Sendable {
    /// Octets of the longest accepted packet without its fixed header; ``Messages`` has the limit for messages.
    /// CONNACK, DISCONNECT and answers contain the broker's texts; real brokers send a few hundred octets.
    package static let longest = 65_536
    /// Messages with QoS 1 that may come while acknowledgements wait for the socket: libmosquitto keeps an
    /// acknowledgement for each. The limit is above the number of messages that a broker sends without an
    /// acknowledgement.
    package static let mostUnacknowledged = 1_024

    /// The limits for messages, on a connection that may subscribe.
    package struct Messages: Sendable {
        /// Octets of the longest packet, its fixed header included, like Maximum Packet Size. MQTT 5.0, 3.1.2.11.4.
        var longest: Int
        /// The broker may have kept a session with subscriptions for this client.
        var continuesSession: Bool

        package init(longest: Int, continuesSession: Bool) {
            self.longest = longest
            self.continuesSession = continuesSession
        }
    }

    private enum State {
        /// CONNECT was sent.
        case connecting
        case connected
        /// The broker has refused or ended the connection: no further packet is allowed.
        case over
    }

    /// MQTT 3.1.1 has no properties.
    let hasProperties: Bool
    /// Nil accepts no message.
    private let messages: Messages?
    private var state = State.connecting
    /// The beginning of a packet whose end has not come yet.
    private var partial: [UInt8] = []
    /// Messages of ours on their way, by packet identifier.
    private var awaited: Set<UInt16> = []
    /// The number of topic filters in each unanswered SUBSCRIBE or UNSUBSCRIBE, by packet identifier.
    var subscribes: [UInt16: Int] = [:]
    var unsubscribes: [UInt16: Int] = [:]
    /// The broker has granted a subscription, now or in an earlier connection. It may go on sending messages after the
    /// subscription has ended. MQTT 5.0, 3.10.4.
    var hasSubscription = false
    /// Messages with QoS 1 since all acknowledgements were sent.
    var unacknowledged = 0

    /// Octets of an unfinished answer to CONNECT; nil without an unfinished answer.
    package var unfinishedAnswer: Int? { state == .connecting && !partial.isEmpty ? partial.count : nil }

    /// - Parameters:
    ///   - hasProperties: True for MQTT 5, false for 3.1.1.
    ///   - messages: The limits for messages; nil accepts no messages.
    package init(hasProperties: Bool, messages: Messages? = nil) {
        self.hasProperties = hasProperties
        self.messages = messages
    }

    /// A message with this packet identifier was sent, and the broker will acknowledge it.
    package mutating func expectAcknowledgement(of id: UInt16) { awaited.insert(id) }

    /// SUBSCRIBE was sent. Messages may come before the answer. MQTT 5.0, 3.8.4.
    package mutating func expectSubscription(_ id: UInt16, filters: Int) { subscribes[id] = filters }

    /// UNSUBSCRIBE was sent.
    package mutating func expectEnd(_ id: UInt16, filters: Int) { unsubscribes[id] = filters }

    /// All octets that libmosquitto had to send are sent.
    package mutating func allIsSent() { unacknowledged = 0 }

    /// A web server answers CONNECT like any request that it does not understand (RFC 9112, 4). True while the answer's few octets
    /// leave that open; no packet begins so before CONNACK.
    private mutating func beginsAsHTTP(_ octets: ArraySlice<UInt8>) throws(PacketFault) -> Bool {
        guard state == .connecting, !octets.isEmpty else { return false }
        let mark = "HTTP/".utf8
        let begin = (partial + octets).prefix(mark.count)
        guard mark.starts(with: begin) else { return false }
        guard begin.count < mark.count else {
            throw PacketFault(packet: .puback, problem: .otherProtocol("HTTP"))
        }
        partial += octets
        return true
    }

    /// Checks the next octets of the stream, cut anywhere. After a fault the connection has to end.
    package mutating func check(_ octets: ArraySlice<UInt8>) throws(PacketFault) {
        guard try !beginsAsHTTP(octets) else { return }
        guard partial.isEmpty else {
            partial.append(contentsOf: octets)
            let count = try checkWhole(partial[...])
            return partial.removeFirst(count)
        }
        let count = try checkWhole(octets)
        if count < octets.count { partial = Array(octets.dropFirst(count)) }
    }

    /// - Returns: The octets of all complete packets.
    private mutating func checkWhole(_ octets: ArraySlice<UInt8>) throws(PacketFault) -> Int {
        var rest = octets
        while let first = rest.first {
            let packet = ControlPacketType(rawValue: first >> 4)
            try checkHeader(packet, flags: first & 0x0F)
            guard let header = try header(of: packet, in: rest) else { break }
            guard rest.count >= header.octets + header.length else { break }
            let body = rest.dropFirst(header.octets).prefix(header.length)
            let problem: PacketFault.Problem?
            do {
                problem = try checkBody(packet, flags: first & 0x0F, ByteReader(body))
            } catch {
                problem = .field(error)
            }
            if let problem { throw PacketFault(packet: packet, problem: problem) }
            rest = rest.dropFirst(header.octets + header.length)
        }
        return octets.count - rest.count
    }

    /// The octets of the fixed header, and the octets after the header; nil while the header is incomplete.
    private func header(
        of packet: ControlPacketType, in octets: ArraySlice<UInt8>
    ) throws(PacketFault) -> (octets: Int, length: Int)? {
        var length = 0
        var count = 1
        for octet in octets.dropFirst().prefix(4) {
            length |= Int(octet & 0x7F) << (7 * (count - 1))
            count += 1
            guard octet & 0x80 == 0 else { continue }
            guard isTaken(packet, octets: count + length, length: length) else {
                throw PacketFault(packet: packet, problem: .tooLong(length))
            }
            return (count, length)
        }
        if count > 4 { throw PacketFault(packet: packet, problem: .length) }
        return nil
    }

    private func isTaken(_ packet: ControlPacketType, octets: Int, length: Int) -> Bool {
        guard packet == .publish, let messages else { return length <= Self.longest }
        return octets <= messages.longest
    }

    /// No packet of ours has QoS 2 or names an authentication method, so a broker may send only these seven types.
    private func checkHeader(_ packet: ControlPacketType, flags: UInt8) throws(PacketFault) {
        let isExpected =
            switch (state, packet) {
            case (.connecting, .connack), (.connected, .puback), (.connected, .pingresp): true
            case (.connected, .disconnect): hasProperties
            case (.connected, .publish): messages != nil && (hasSubscription || !subscribes.isEmpty)
            case (.connected, .suback): !subscribes.isEmpty
            case (.connected, .unsuback): !unsubscribes.isEmpty
            default: false
            }
        guard isExpected else { throw PacketFault(packet: packet, problem: .unexpected) }
        let problem: PacketFault.Problem? =
            switch packet {
            case .publish: Self.problem(ofMessageFlags: flags)
            default: flags == 0 ? nil : .flags(flags)
            }
        if let problem { throw PacketFault(packet: packet, problem: problem) }
    }

    private mutating func checkBody(
        _ packet: ControlPacketType, flags: UInt8, _ body: ByteReader
    ) throws(DecodeError) -> PacketFault.Problem? {
        var body = body
        switch packet {
        case .connack: return try checkAcceptance(&body)
        case .puback: return try checkAcknowledgement(&body)
        case .publish: return try checkMessage(flags: flags, &body)
        case .suback: return try checkSubscription(&body)
        case .unsuback: return try checkEnd(&body)
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
        let flags = try body.u8("Connect Acknowledge Flags")
        guard flags <= 1 else { throw .invalid(field: "Connect Acknowledge Flags") }
        let reason = try body.u8("Reason Code")
        state = reason == 0 ? .connected : .over
        // Session Present. MQTT 5.0, 3.2.2.1.1.
        if flags == 1, messages?.continuesSession == true { hasSubscription = true }
        // A broker that only speaks MQTT 3.1.1 refuses in the form of 3.1.1.
        guard hasProperties, reason == 0 || body.remaining > 0 else {
            try body.finish()
            return nil
        }
        return try Self.checkProperties(of: .connack, &body)
    }

    /// MQTT 5.0, 3.4.
    private mutating func checkAcknowledgement(_ body: inout ByteReader) throws(DecodeError) -> PacketFault.Problem? {
        let id = try Self.identifier(&body)
        let isAwaited = awaited.remove(id) != nil
        guard hasProperties, body.remaining > 0 else {
            try body.finish()
            return nil
        }
        _ = try body.u8("Reason Code")
        guard body.remaining > 0 else { return nil }
        // The library would never free the memory of these properties.
        guard isAwaited || body.remaining == 1 else { return .notAwaited(id) }
        return try Self.checkProperties(of: .puback, &body)
    }

    /// MQTT 5.0, 2.2.1.
    static func identifier(_ body: inout ByteReader) throws(DecodeError) -> UInt16 {
        let id = try body.u16("Packet Identifier").byteSwapped
        guard id != 0 else { throw .invalid(field: "Packet Identifier") }
        return id
    }
}
