// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// The tester's frames to our host, and its expectations of our host's frames.
extension Bench {
    func send(att octets: String) throws { try peer.send(hex(octets), on: Self.attributeProtocol) }

    func send(att octets: [UInt8]) throws { try peer.send(octets, on: Self.attributeProtocol) }

    func send(signalling octets: String) throws { try peer.send(hex(octets), on: Self.signalling) }

    func send(security octets: String) throws { try peer.send(hex(octets), on: Self.securityManager) }

    @discardableResult
    func expects(att pattern: OctetPattern) throws -> [UInt8] { try expects(pattern, on: Self.attributeProtocol) }

    @discardableResult
    func expects(att octets: [UInt8]) throws -> [UInt8] {
        try expects(OctetPattern(text(octets)), on: Self.attributeProtocol)
    }

    @discardableResult
    func expects(signalling pattern: OctetPattern) throws -> [UInt8] { try expects(pattern, on: Self.signalling) }

    @discardableResult
    func expects(security pattern: OctetPattern) throws -> [UInt8] { try expects(pattern, on: Self.securityManager) }

    /// Expects a frame with this pattern as the next frame on the channel.
    @discardableResult
    func expects(_ pattern: OctetPattern, on channel: UInt16, within limit: Duration = patience) throws -> [UInt8] {
        run(for: limit, until: { peer.frames[channel]?.isEmpty == false })
        if channel == Self.attributeProtocol, peer.frames[channel]?.first == Self.hashRequest,
            !pattern.matches(Self.hashRequest)
        {
            // The tester's database has no hash. Scripts about other things need not mention the hash.
            _ = peer.takeFrame(on: channel)
            try send(att: "01 08 01 00 0A")
            return try expects(pattern, on: channel, within: limit)
        }
        guard let seen = peer.takeFrame(on: channel) else {
            throw ScriptFailure("expected \(pattern) on channel \(channel); nothing came. \(peer.frames)")
        }
        try require(pattern.matches(seen), "expected \(pattern) on channel \(channel); seen \(text(seen))")
        return seen
    }

    private static let hashRequest = hex("08 01 00 FF FF 2A 2B")

    /// Our host's client asks; the tester expects the request and answers.
    func answers(_ request: OctetPattern, with response: String) throws {
        try expects(att: request)
        try send(att: response)
    }

    /// No frame comes on any channel.
    func expectsNothing(for time: Duration = .seconds(1)) throws {
        run(for: time)
        let seen = peer.frames.filter { !$0.value.isEmpty }
        try require(
            seen.isEmpty,
            "expected nothing; seen "
                + seen.map { "on channel \($0): \($1.map(text).joined(separator: ", "))" }.joined(separator: "; "))
    }

    /// The next LE Meta event of the kind, without event code, length and subevent code.
    @discardableResult
    func expects(event code: LESubeventCode, within limit: Duration = patience) throws -> [UInt8] {
        try expectsEvent("LE event \(code)", within: limit) { event in
            event[0] == 0x3E && event[2] == code.rawValue ? Array(event[3...]) : nil
        }
    }

    /// The next event of the kind, without event code and length.
    @discardableResult
    func expects(event code: HCIEventCode, within limit: Duration = patience) throws -> [UInt8] {
        try expectsEvent("event \(code)", within: limit) { $0[0] == code.rawValue ? Array($0[2...]) : nil }
    }

    /// The parameters of the host's commands with this opcode, in order.
    func parameters(of opcode: HCIOpcode) -> [[UInt8]] {
        commands.filter { Array($0[..<2]) == little(opcode.rawValue) }.map { Array($0[3...]) }
    }

    private func expectsEvent(
        _ name: String, within limit: Duration, _ match: ([UInt8]) -> [UInt8]?
    ) throws -> [UInt8] {
        run(for: limit, until: { peer.events.contains { match($0) != nil } })
        guard let event = peer.takeEvent(match) else {
            throw ScriptFailure("the tester's controller gave no \(name); it gave \(peer.events.map(text))")
        }
        return event
    }
}
