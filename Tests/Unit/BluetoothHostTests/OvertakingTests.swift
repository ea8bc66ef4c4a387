// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import HCI
import SMP
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// Data that overtakes events, as with USB, where data and events have separate pipes.
struct OvertakingTests {
    private static let key = Sample.key(0x42)

    private static func isPairing(_ packet: [UInt8], _ codes: ClosedRange<UInt8>) -> Bool {
        packet.count > 9 && packet[0] == 2 && packet[7] == 6 && packet[8] == 0 && codes.contains(packet[9])
    }

    private static func isEncryptionChange(_ packet: [UInt8]) -> Bool { packet[0] == 4 && packet[1] == 0x08 }

    /// A pairing with a late Encryption Change of `player`: it comes after the peer's keys, or never.
    private func scene(late player: Int, comes: Bool) throws -> PairingScene {
        let scene = try PairingScene()
        scene.open(player)
        var held: [[UInt8]] = []
        var keys = 0
        scene.duet.deliver = { index, packet in
            guard index == player else { return [packet] }
            if Self.isEncryptionChange(packet) {
                held.append(packet)
                return []
            }
            guard Self.isPairing(packet, 0x08...0x09) else { return [packet] }
            keys += 1
            guard keys == 2, comes else { return [packet] }
            defer { held = [] }
            return [packet] + held
        }
        // The side asked to pair has no key to give: a responder's key would have to come first.
        let identity = scene.address(of: 1 - player)
        scene.pair(by: 1 - player) { ($0.identity, $0.identityKey) = (identity, Self.key) }
        return scene
    }

    @Test(arguments: [0, 1]) func `keys that overtake Encryption Change are kept until it comes`(player: Int) throws {
        let scene = try scene(late: player, comes: true)
        #expect(scene.finish())
        #expect(scene.bond(player)?.identityKey == Self.key)
        #expect(scene.bond(0)?.keys == scene.bond(1)?.keys && scene.bond(0) != nil)
        #expect(!scene.isDown(0) && scene.duet.violations == [])
    }

    @Test(arguments: [0, 1]) func `keys without Encryption Change make no bond`(player: Int) throws {
        let scene = try scene(late: player, comes: false)
        #expect(scene.run(for: .seconds(60)) { scene.isDown(player) })
        #expect(scene.failure(player) != nil && !scene.hasFinished(player))
        #expect(scene.bond(player) == nil && scene.duet.players[player].host.takeBondChanges().isEmpty)
    }

    // MARK: LE Connection Complete

    private func packet(_ octet: UInt8, count: Int = 12) -> [UInt8] { [UInt8](repeating: octet, count: count) }

    @Test(arguments: [0, 1]) func `a request that overtakes its link is answered`(player: Int) throws {
        let duet = Duet(ControllerSettings(), ControllerSettings())
        var held: [[UInt8]] = []
        duet.deliver = { index, packet in
            guard index == player else { return [packet] }
            let isCompletion = packet[0] == 4 && packet[1] == 0x3E && (packet[3] == 0x01 || packet[3] == 0x0A)
            if isCompletion {
                // No peer speaks first to a Central of ours. Here, a peer reads the Central's name.
                if player == 1 { return [[2, packet[5], 0x20, 7, 0, 3, 0, 4, 0, 0x0A, 3, 0], packet] }
                held.append(packet)
                return []
            }
            guard packet[0] == 2 else { return [packet] }
            defer { held = [] }
            return [packet] + held
        }
        _ = try duet.connected()
        duet.run(for: .seconds(2))
        let answers = duet.players[player].sent.filter { $0.count > 9 && $0[0] == 2 && $0[7] == 4 }.map { $0[9] }
        // Exchange MTU Response, or Read Response.
        #expect(answers.contains(player == 0 ? 0x03 : 0x0B))
        #expect(duet.players[player].host.counters.unknownHandles == 1)
        #expect(duet.violations == [])
    }

    @Test func `early data is kept for its own link, in order, for a moment and within a bound`() {
        var early = EarlyData()
        let start = MonotonicTime.zero
        early.hold(packet(1).span.bytes, on: 7, at: start)
        early.hold(packet(2).span.bytes, on: 8, at: start)
        early.hold(packet(3).span.bytes, on: 7, at: start)
        early.hold(packet(4, count: EarlyData.longestPacket + 1).span.bytes, on: 7, at: start)
        #expect(early.take(9, at: start) == [])
        #expect(early.take(7, at: start + EarlyData.patience) == [packet(1), packet(3)])
        #expect(early.take(7, at: start) == [], "once")
        #expect(early.take(8, at: start + EarlyData.patience + .milliseconds(1)) == [], "too old")
        for number in 0..<100 { early.hold(packet(UInt8(number)).span.bytes, on: 7, at: start) }
        #expect(early.take(7, at: start).map(\.[0]) == (0..<UInt8(EarlyData.capacity)).map { $0 })
    }

    @Test func `data of a link that has ended is not the next one's`() {
        var early = EarlyData()
        let start = MonotonicTime.zero
        early.hold(packet(1).span.bytes, on: 7, at: start)
        early.ended(7, at: start)
        early.hold(packet(2).span.bytes, on: 7, at: start + EarlyData.pause)
        #expect(early.take(7, at: start + EarlyData.pause) == [])
        let later = start + EarlyData.pause + .milliseconds(1)
        early.hold(packet(3).span.bytes, on: 7, at: later)
        #expect(early.take(7, at: later) == [packet(3)])
    }
}
