// SPDX-License-Identifier: Apache-2.0

import SMP
import BluetoothCore
import HCI
import Testing

@testable import BluetoothHost

/// Requests for our keys, on links with the peer as the Central: HCI packet in, HCI packet out.
struct SecurityKeyRequestTests {
    private static let handle: UInt16 = 0x0123
    private static let legacy = LongTermKeys.legacy(
        peerDistributed: LegacyKey(key: Sample.key(1), ediv: 1, rand: 2),
        localDistributed: LegacyKey(key: Sample.key(2), ediv: 3, rand: 4))

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var keys: LongTermKeys? = .secureConnections(Sample.key(0xAB))
        var keySize: UInt8 = 16
        var isCentral = false
        var ediv: UInt16 = 0
        var rand: UInt64 = 0
        /// Nil: a negative reply.
        let answer: SecretKey?
    }

    static let rows = [
        Row(testDescription: "the key of Secure Connections has no numbers", answer: Sample.key(0xAB)),
        Row(testDescription: "numbers name no key of Secure Connections", ediv: 1, answer: nil),
        Row(testDescription: "nor do random ones", rand: 1, answer: nil),
        Row(testDescription: "a legacy key is ours", keys: legacy, ediv: 3, rand: 4, answer: Sample.key(2)),
        Row(testDescription: "not the peer's", keys: legacy, ediv: 1, rand: 2, answer: nil),
        Row(testDescription: "both numbers count", keys: legacy, ediv: 3, rand: 5, answer: nil),
        Row(testDescription: "a legacy key has numbers", keys: legacy, answer: nil),
        Row(testDescription: "no bond, no key", keys: nil, answer: nil),
        Row(testDescription: "a key that is too short", keySize: 15, answer: nil),
        Row(testDescription: "a controller that mixes the roles up", isCentral: true, answer: nil),
    ]

    private func machine(_ row: Row) throws -> HostMachine {
        var machine = HostMachine(randomAddress: Sample.identity(0xFF))
        if let keys = row.keys {
            machine.provide(bonds: [try #require(Sample.bond(1, keys: keys, keySize: row.keySize))])
        }
        let role: LinkRole = row.isCentral ? .central : .peripheral
        let link = Link(
            id: LinkID(rawValue: 1), information: LinkInformation(of: Sample.identity(1), role: role, at: .zero),
            addresses: OnAirAddresses(local: Sample.identity(0xFF), peer: Sample.identity(1)),
            linkLayer: LinkLayerMachine(role: role, features: [], possible: [], at: .zero),
            clients: ClientSet(ClientID(rawValue: 0)))
        machine.links[Self.handle] = link
        return machine
    }

    private func give(_ octets: [UInt8], to machine: inout HostMachine) {
        machine.received(octets.span.bytes, at: .zero)
    }

    private func request(ediv: UInt16, rand: UInt64, on handle: UInt16 = handle) -> [UInt8] {
        var packet: [UInt8] = [4, 0x3E, 13, 5]
        packet.append(u16: handle)
        packet.append(u64: rand)
        packet.append(u16: ediv)
        return packet
    }

    @Test(arguments: rows)
    func `a key is given to whom it was made for`(row: Row) throws {
        var machine = try machine(row)
        give(request(ediv: row.ediv, rand: row.rand), to: &machine)
        if let key = row.answer {
            let reply = LELongTermKeyRequestReply(handle: Self.handle, key: key.littleEndian)
            #expect(machine.takeOutbound() == reply.packet)
        } else {
            #expect(machine.takeOutbound() == LELongTermKeyRequestNegativeReply(handle: Self.handle).packet)
        }
        #expect(machine.security(of: LinkID(rawValue: 1))?.isEncrypted == false)
    }

    @Test func `a request on no link gets a negative answer`() throws {
        var machine = HostMachine(randomAddress: Sample.identity(0xFF))
        give(request(ediv: 0, rand: 0), to: &machine)
        #expect(machine.takeOutbound() == LELongTermKeyRequestNegativeReply(handle: Self.handle).packet)
    }

    /// The machine's commands to a controller that answers each command.
    private func conversation(with machine: inout HostMachine) -> [[UInt8]] {
        var commands: [[UInt8]] = []
        while commands.count < 1_000 {
            let packet = machine.takeOutbound()
            guard packet.count > 3 else { break }
            commands.append(packet)
            give([4, 0x0E, 6, 1, packet[1], packet[2], 0, packet[4], packet[5]], to: &machine)
        }
        return commands
    }

    @Test func `requests that come faster than answers can be sent are answered once`() throws {
        var machine = try machine(Row(testDescription: "", answer: nil))
        let state = machine.state
        // The first answer is on its way, the second answer waits.
        for _ in 0..<500 { give(request(ediv: 0, rand: 0), to: &machine) }
        let reply = LELongTermKeyRequestReply(handle: Self.handle, key: Sample.key(0xAB).littleEndian)
        #expect(conversation(with: &machine) == [reply.packet, reply.packet])
        // Requests on many handles, none of them ours.
        for handle in 0x0200..<(0x0200 + 500 as UInt16) {
            give(request(ediv: 0, rand: 0, on: handle), to: &machine)
        }
        give(request(ediv: 0, rand: 0), to: &machine)
        let answers = [
            LELongTermKeyRequestNegativeReply(handle: 0x0200).packet,
            LELongTermKeyRequestNegativeReply(handle: 0x0201).packet, reply.packet,
        ]
        #expect(conversation(with: &machine) == answers)
        give(request(ediv: 0, rand: 0), to: &machine)
        #expect(conversation(with: &machine) == [reply.packet], "the next one is answered as ever")
        #expect(machine.state == state)
    }

    @Test(arguments: [false, true])
    func `the link counts as encrypted when the controller says so`(tellsKeySize: Bool) throws {
        var machine = try machine(Row(testDescription: "", answer: nil))
        give(request(ediv: 0, rand: 0), to: &machine)
        let handle: [UInt8] = [0x23, 0x01]
        let event: [UInt8] = tellsKeySize ? [4, 0x59, 5, 0] + handle + [1, 16] : [4, 0x08, 4, 0] + handle + [1]
        give(event, to: &machine)
        let security = LinkSecurity(isEncrypted: true, isSecureConnections: true, keySize: 16, hasBond: true)
        #expect(machine.security(of: LinkID(rawValue: 1)) == security)
        #expect(machine.encrypt(LinkID(rawValue: 1), at: .zero) == .notCentral)
        let batch = machine.takeEvents()
        #expect(batch.clients == .all, "every server of the process hears of it")
        // Key refresh: asked again, then said to be done.
        give(request(ediv: 0, rand: 0), to: &machine)
        give([4, 0x30, 3, 0] + handle, to: &machine)
        #expect(machine.security(of: LinkID(rawValue: 1)) == security)
    }

    @Test func `events in any order never make a link better than its bond`() throws {
        var random: UInt64 = 5
        func next(_ bound: UInt64) -> UInt8 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8((random >> 33) % bound)
        }
        for _ in 0..<500 {
            var machine = try machine(Row(testDescription: "", answer: nil))
            let handle: [UInt8] = [0x23, 0x01]
            for _ in 0..<12 {
                let status: UInt8 = [0, 0, 0x06, 0x3D][Int(next(4))]
                switch next(5) {
                case 0: give(request(ediv: UInt16(next(2)), rand: 0), to: &machine)
                case 1: give([4, 0x08, 4, status] + handle + [next(2)], to: &machine)
                case 2: give([4, 0x59, 5, status] + handle + [next(2), next(18)], to: &machine)
                case 3: give([4, 0x30, 3, status] + handle, to: &machine)
                default: give([4, 0x0F, 4, status, 1, 0x19, 0x20], to: &machine)
                }
                guard let security = machine.security(of: LinkID(rawValue: 1)), security.isEncrypted else { continue }
                #expect(security.keySize == 16 && security.isSecureConnections && !security.isAuthenticated)
            }
        }
    }

    @Test func `encryption with a key that is not ours ends the link`() throws {
        var machine = try machine(Row(testDescription: "", answer: nil))
        give([4, 0x08, 4, 0, 0x23, 0x01, 1], to: &machine)
        #expect(machine.takeOutbound() == Disconnect(handle: Self.handle, reason: .authenticationFailure).packet)
        #expect(machine.security(of: LinkID(rawValue: 1))?.isEncrypted == false)
    }
}
