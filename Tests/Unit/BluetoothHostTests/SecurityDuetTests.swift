// SPDX-License-Identifier: Apache-2.0

import SMP
import BluetoothCore
import GATT
import HCI
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// Two hosts of ours with bonds of each other.
struct SecurityDuetTests {
    static let controllers = [ControllerSettings(), ControllerSettings(extendedAdvertising: true)]

    private func bond(
        _ player: Duet.Player, _ keys: LongTermKeys = .secureConnections(Sample.key(0xAB)),
        identityKey: SecretKey? = nil
    ) throws -> Bond {
        try #require(Bond(identity: player.address, keys: keys, identityKey: identityKey, isAuthenticated: true))
    }

    @Test(arguments: controllers.indices, [false, true])
    func `both sides encrypt with the key of their bond`(index: Int, isLegacy: Bool) throws {
        let duet = Duet(Self.controllers[index], Self.controllers[index])
        let key = LegacyKey(key: Sample.key(3), ediv: 7, rand: 8)
        let ours: LongTermKeys =
            isLegacy ? .legacy(peerDistributed: nil, localDistributed: key) : .secureConnections(Sample.key(1))
        let theirs: LongTermKeys =
            isLegacy ? .legacy(peerDistributed: key, localDistributed: nil) : .secureConnections(Sample.key(1))
        duet.a.host.provide(bonds: [try bond(duet.b, ours)])
        duet.b.host.provide(bonds: [try bond(duet.a, theirs)])
        let links = try duet.connected()
        #expect(
            duet.run(for: .seconds(10)) {
                duet.players[0].host.security(of: links.a)?.isEncrypted == true
                    && duet.players[1].host.security(of: links.b)?.isEncrypted == true
            })
        let security = LinkSecurity(
            isEncrypted: true, isAuthenticated: true, isSecureConnections: !isLegacy, keySize: 16, hasBond: true)
        #expect(duet.a.host.security(of: links.a) == security && duet.b.host.security(of: links.b) == security)
        duet.run(for: .seconds(5))
        #expect(duet.air.dataTally(of: duet.a.controller).plain == 0)
        #expect(duet.air.dataTally(of: duet.b.controller).plain == 0)
        #expect(duet.air.dataTally(of: duet.b.controller).encrypted > 0)
        #expect(duet.violations == [])
    }

    @Test(arguments: controllers.indices)
    func `two hosts that change their addresses know each other`(index: Int) throws {
        let duet = Duet(Self.controllers[index], Self.controllers[index])
        let (first, second) = (Sample.key(0x21), Sample.key(0x22))
        duet.a.host.provide(bonds: [try bond(duet.b, identityKey: second)])
        duet.b.host.provide(bonds: [try bond(duet.a, identityKey: first)])
        for (player, key) in [first, second].enumerated() {
            duet.players[player].host.setPrivacy(
                .resolvable, identityKey: key, interval: .seconds(20), at: duet.now)
            duet.players[player].host.provide(
                randomness: (1...64).map { UInt8($0) &* UInt8(player + 3) }, at: duet.now)
        }
        duet.advertise()
        duet.scan()
        duet.run(for: .seconds(70))
        #expect(!duet.b.advertisements.isEmpty)
        #expect(duet.b.advertisements.allSatisfy { $0.advertisement.address == duet.a.address })
        duet.connect()
        #expect(duet.run(for: .seconds(10)) { duet.link(of: 1) != nil && duet.centralLink != nil })
        let link = try #require(duet.link(of: 1))
        let centrals = duet.a.events.compactMap { event in
            if case .linkUp(_, let peer, .peripheral) = event { peer } else { nil }
        }
        #expect(centrals == [duet.b.address])
        #expect(duet.run(for: .seconds(10)) { duet.players[1].host.security(of: link)?.isEncrypted == true })
        #expect(duet.violations == [])
    }
}
