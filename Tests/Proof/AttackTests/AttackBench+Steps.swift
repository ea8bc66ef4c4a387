// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import HCI

@testable import BluetoothHost
@testable import HostBench

/// Steps for many attacks.
extension AttackBench {
    // MARK: In the controller's place

    /// A connection handle without a link.
    static let nobody: UInt16 = 0x0E00

    /// The attacker's link, by the handle of our host and its controller.
    func hostHandle() throws -> UInt16 {
        guard let handle = bench.host.links.handle(of: try bench.link) else {
            throw ScriptFailure("the host has no link")
        }
        return handle
    }

    func bystanderHandle() throws -> UInt16 {
        guard let handle = bench.host.links.handle(of: bystanderLink) else {
            throw ScriptFailure("the bystander has no link")
        }
        return handle
    }

    /// Our host's controller tells an event; its length is right.
    func tell(_ code: UInt8, _ parameters: [UInt8]) { bench.give([4, code, UInt8(parameters.count)] + parameters) }

    /// `word`: the connection handle with its flags.
    func tellACL(_ octets: [UInt8], word: UInt16) {
        bench.give([2] + little(word) + little(UInt16(octets.count)) + octets)
    }

    /// One H4 packet with these octets, even if its length is wrong.
    func tellRaw(_ packet: [UInt8]) { bench.host.received(packet.span.bytes, at: bench.now) }

    /// LE Connection Complete.
    func tellConnection(
        _ handle: UInt16, role: UInt8 = 0, status: UInt8 = 0,
        to peer: DeviceAddress = DeviceAddress(kind: .random, value: 0xC000_0000_0666)
    ) {
        tell(
            0x3E,
            [1, status] + little(handle) + [role, peer.kind.rawValue] + address48(peer) + little(24) + little(0)
                + little(200) + [0])
    }

    func tellDisconnection(_ handle: UInt16, reason: UInt8 = 0x13) { tell(0x05, [0] + little(handle) + [reason]) }

    // MARK: Requests

    /// The attacker asks our server and is refused.
    func asks(_ request: [UInt8], refused error: UInt8, at handle: UInt16) throws {
        try bench.send(att: request)
        try bench.expects(att: [0x01, request[0]] + little(handle) + [error])
    }

    /// Our server works as before for the attacker.
    func answersStill() throws {
        try bench.send(att: [0x0A] + little(GuardedTable.fixed))
        try bench.expects(att: "0B 01 02 03")
    }

    /// Our client asks the attacker, which answers anything.
    func ask(_ request: GATTRequest, expecting pattern: OctetPattern, answer: [UInt8]) throws {
        try bench.ask(request)
        try bench.expects(att: pattern)
        try bench.send(att: answer)
    }

    /// Our client reads from the attacker as if nothing had been.
    func readsStill() throws {
        try ask(.read(handle: 3), expecting: "0A 03 00", answer: [0x0B, 0x66])
        try bench.told(value: "66")
    }

    /// Our host's client scans while `body` runs; returns its sightings.
    func scanning(_ demand: ScanDemand = ScanDemand(services: nil, allowsDuplicates: true), _ body: () throws -> Void)
        throws -> [Bench.Sighted]
    {
        bench.host.setScan(demand, for: Bench.client, at: bench.now)
        bench.run(for: .milliseconds(200))
        bench.advertisements = []
        try body()
        bench.run(for: .milliseconds(300))
        bench.host.setScan(nil, for: Bench.client, at: bench.now)
        bench.run(for: .seconds(1))
        return bench.advertisements
    }
}
