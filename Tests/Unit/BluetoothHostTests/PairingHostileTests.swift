// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import SMP
import Testing
import TestSupport
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// Octets that no pairing wants, at any moment of running pairings.
struct PairingHostileTests {
    private func pdu(_ generator: inout SeededGenerator, seen: [[UInt8]]) -> [UInt8] {
        switch generator.next() % 4 {
        case 0:
            // A repeat of an earlier PDU of either side.
            return seen.isEmpty ? [] : seen[Int(generator.next() % UInt64(seen.count))]
        case 1:
            var octets = seen.isEmpty ? [0x01] : seen[Int(generator.next() % UInt64(seen.count))]
            if !octets.isEmpty {
                octets[Int(generator.next() % UInt64(octets.count))] ^= 1 << UInt8(generator.next() % 8)
            }
            return octets
        case 2:
            let lengths = [0, 1, 6, 7, 16, 10, 64, 65]
            let code = UInt8(generator.next() % 0x10)
            let length = lengths[Int(generator.next() % 8)]
            return [code] + (0..<length).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        default:
            return (0..<(generator.next() % 80)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        }
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `whatever comes in between, both sides have the same key or none`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let scene = try PairingScene()
        let capabilities = IOCapability.allCases
        let addresses: Set = [scene.address(of: 0), scene.address(of: 1)]
        scene.setPolicy {
            $0.acceptsPairing = .open
            $0.ioCapability = capabilities[Int(generator.next() % UInt64(capabilities.count))]
            $0.legacyPeers = addresses
            $0.replacement = .unlessWeaker
        }
        for _ in 0..<12 {
            if scene.isDown(0) || scene.isDown(1) { try scene.reconnect() }
            scene.pair(by: Int(generator.next() % 2)) { $0.requiresAuthentication = generator.next() % 2 == 0 }
            for _ in 0..<(generator.next() % 3) {
                scene.run(for: .milliseconds(Int64(generator.next() % 400)))
                let seen = scene.sentPairingPDUs(0) + scene.sentPairingPDUs(1)
                let player = Int(generator.next() % 2)
                if generator.next() % 8 == 0, player == 0 {
                    scene.injectKeyRequest(to: 0)
                } else {
                    scene.inject(pdu(&generator, seen: seen), to: player)
                }
            }
            scene.run(for: .seconds(40)) {
                scene.duet.players.allSatisfy { player in
                    player.host.links.values.allSatisfy { $0.pairing.run == nil }
                }
            }
            for player in 0...1 where scene.security(player)?.isAuthenticated == true {
                #expect(scene.security(1 - player)?.isAuthenticated == true)
            }
            scene.run(for: .seconds(1))
            let isAgreed = scene.security(0)?.isEncrypted == true && scene.security(1)?.isEncrypted == true
            if isAgreed, scene.hasFinished(0), scene.hasFinished(1) {
                #expect(scene.bond(0)?.keys == scene.bond(1)?.keys)
            }
            scene.forget()
        }
        let counters = scene.counters(1)
        #expect(counters.pairingsStarted == counters.pairingsSucceeded + counters.pairingsFailed)
    }
}
