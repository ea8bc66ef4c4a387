// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import SMP
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// Pairings on several links at once.
struct PairingLinksTests {
    /// One Central with Peripherals. All of them agree to everything.
    private func star(_ count: Int) throws -> (duet: Duet, links: [LinkID]) {
        let duet = Duet(ControllerSettings())
        for _ in 0..<count { duet.add(ControllerSettings()) }
        for player in 1...count {
            duet.players[player].host.policy.acceptsPairing = .open
            duet.players[player].host.setAdvertising(
                AdvertisingDemand(data: Duet.data), for: Duet.client, at: duet.now)
            duet.connect(by: 0, to: player)
        }
        let isConnected = duet.run(for: .seconds(30)) {
            duet.count(0) { if case .connected = $0 { true } else { false } } == count
        }
        #expect(isConnected)
        var links: [LinkID] = []
        for player in 1...count {
            let address = duet.players[player].address
            let link = duet.players[0].events.lazy.compactMap { event -> LinkID? in
                if case .connected(let link, address, _) = event { link } else { nil }
            }.first
            links.append(try #require(link))
        }
        return (duet, links)
    }

    private func finished(_ duet: Duet) -> Int {
        duet.count(0) { if case .pairing(_, _, _, .finished) = $0 { true } else { false } }
    }

    @Test func `every link pairs for itself`() throws {
        let (duet, links) = try star(6)
        for link in links { #expect(duet.players[0].host.pair(link, at: duet.now) == .started) }
        // Four pairings get secrets. The other clients are told, and try again.
        #expect(duet.run(for: .seconds(20)) { self.finished(duet) == PairingRules.secretsCapacity })
        let refused = duet.count(0) { if case .pairing(_, _, _, .failed(.refused(.busy))) = $0 { true } else { false } }
        #expect(refused == links.count - PairingRules.secretsCapacity)
        for link in links.dropFirst(PairingRules.secretsCapacity) {
            #expect(duet.players[0].host.pair(link, at: duet.now) == .started)
        }
        #expect(duet.run(for: .seconds(20)) { self.finished(duet) == links.count })
        let keys = Set(duet.players[0].host.bonds.all.map(\.keys))
        #expect(keys.count == links.count)
        for player in 1...links.count {
            let own = duet.players[player].host.bond(for: duet.players[0].address)
            #expect(own != nil && own?.keys == duet.players[0].host.bond(for: duet.players[player].address)?.keys)
        }
        #expect(duet.violations == [])
    }

    /// A PDU of one pairing, on another link.
    @Test func `what comes on one link is nothing to the pairing on another`() throws {
        let (duet, links) = try star(2)
        for link in links { #expect(duet.players[0].host.pair(link, at: duet.now) == .started) }
        // A public key, a nonce and an end, from a pairing on the other link.
        let foreign: [[UInt8]] = [
            [0x0C] + [UInt8](repeating: 1, count: 64), [0x04] + [UInt8](repeating: 2, count: 16), [0x05, 0x08],
        ]
        let handle = try #require(duet.players[0].host.links.handle(of: links[1]))
        for pdu in foreign {
            var packet: [UInt8] = [2]
            packet.append(u16: handle | 0x2000)
            packet.append(u16: UInt16(pdu.count + 4))
            packet.append(u16: UInt16(pdu.count))
            packet.append(u16: 6)
            packet += pdu
            duet.players[0].host.received(packet.span.bytes, at: duet.now)
        }
        #expect(duet.run(for: .seconds(20)) { self.finished(duet) == 1 })
        duet.run(for: .seconds(5))
        #expect(duet.players[0].host.bonds.all.map(\.identity) == [duet.players[1].address])
        #expect(duet.players[0].host.security(of: links[0])?.isEncrypted == true)
        #expect(duet.players[0].host.security(of: links[1])?.isEncrypted == false)
    }
}
