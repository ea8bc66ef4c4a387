// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import GATT
import HCI
import SMP
import Testing

@testable import HostBench

/// Attempts to reach protected values, and to impersonate a peer: rows 75, 76 and 83.
struct ProtectionAttacks {
    /// Every way to a protected value, without protection. `error` is the code for values that need encryption. `lacking` names the values
    /// for which the peer's key is too weak.
    private func triesEverything(_ scene: AttackBench, _ error: UInt8, lacking: Set<UInt16> = []) throws {
        func refusal(_ handle: UInt16) -> UInt8 {
            if lacking.contains(handle) { return 0x05 }
            return [GuardedTable.authorized, GuardedTable.authorizedConfiguration].contains(handle) ? 0x08 : error
        }
        for (value, configuration) in GuardedTable.guardedConfigurations {
            for bits in [1, 2, 3] as [UInt8] {
                try scene.asks(
                    [0x12] + little(configuration) + [bits, 0], refused: refusal(configuration), at: configuration)
            }
            try scene.asks(
                [0x16] + little(configuration) + [0, 0, 1, 0], refused: refusal(configuration), at: configuration)
            try scene.bench.send(att: [0x52] + little(configuration) + [1, 0])
            try scene.bench.send(att: [0xD2] + little(configuration) + [1, 0] + counting(12))
            try scene.asks([0x12] + little(value) + [1], refused: refusal(value), at: value)
            try scene.asks([0x16] + little(value) + [0, 0, 1], refused: refusal(value), at: value)
            try scene.bench.send(att: [0x52] + little(value) + [1])
            try scene.bench.send(att: [0xD2] + little(value) + [1] + counting(12))
        }
        for handle in GuardedTable.guarded.sorted() {
            try scene.asks([0x0A] + little(handle), refused: refusal(handle), at: handle)
            try scene.asks([0x0C] + little(handle) + [1, 0], refused: refusal(handle), at: handle)
            // Looked for by its value.
            let search = [0x06] + little(handle) + little(handle) + [0xF5, 0xFF]
            try scene.asks(search + GuardedTable.canary(16), refused: 0x0A, at: handle)
        }
        try scene.bench.send(att: "18 01")
        try scene.bench.expects(att: "19")
        scene.offerSecrets()
        try scene.bench.expectsNothing(for: .milliseconds(300))
    }

    @Test func `row 75: CVE-2026-2411, subscribing to protected values on a plain link`() throws {
        try attack(75, "CVE-2026-2411") { scene in
            try triesEverything(scene, 0x05)
            guard scene.side == .central else { return }
            // A peer with a key, on a link without encryption.
            try scene.bench.storeBond(isAuthenticated: true)
            try scene.reenter()
            try triesEverything(scene, 0x0F)
            // After encryption the peer's own value arrives.
            scene.owner.expectsTrust = true
            let status = try scene.bench.encrypts()
            try require(status == 0, "not encrypted: \(status)")
            try scene.bench.send(att: [0x12] + little(GuardedTable.encryptedConfiguration) + [1, 0])
            try scene.bench.expects(att: "13")
            scene.offerSecrets()
            try scene.bench.expects(att: [0x1B] + little(GuardedTable.encrypted) + GuardedTable.canary(20))
            try scene.leave()
            // Back in the plain, nothing of the old subscription comes.
            scene.owner.expectsTrust = false
            try scene.enter()
            scene.offerSecrets()
            try scene.bench.expectsNothing(for: .milliseconds(300))
            try scene.leave()
            try subscribesInItsPlace(scene)
            scene.forgetBond()
            try scene.enter()
        }
    }

    /// The bonded peer is away, and a stranger with its address subscribes to open values.
    private func subscribesInItsPlace(_ scene: AttackBench) throws {
        let bench = scene.bench
        func state() throws -> [UInt8] {
            guard let bond = bench.host.bond(for: RawPeer.publicAddress) else { throw ScriptFailure("no bond") }
            return bond.clientState
        }
        func subscribes(to configuration: UInt16, _ bits: UInt8) throws {
            try bench.send(att: [0x12] + little(configuration) + [bits, 0])
            try bench.expects(att: "13")
        }
        func offers() throws {
            bench.host.update(GuardedTable.updated, [0xE1], on: [try bench.link], for: Bench.client, at: bench.now)
            scene.offerSecrets()
        }
        let news = [0x1B] + little(GuardedTable.updated) + [0xE1]
        for isSubscribed in [false, true] {
            // The bonded peer returns, and has one subscription or both.
            try scene.enter()
            scene.owner.expectsTrust = true
            try require(try bench.encrypts() == 0, "the bonded peer's key is refused")
            try subscribes(to: GuardedTable.encryptedConfiguration, 1)
            try subscribes(to: GuardedTable.updatedConfiguration, isSubscribed ? 1 : 0)
            try scene.leave()
            let stored = try state()
            try require(!stored.isEmpty, "nothing is kept of the bonded peer")
            _ = bench.host.takeBondChanges()
            // The stranger gets no values of the bonded peer. Its subscriptions end with its link.
            scene.owner.expectsTrust = false
            try scene.enter()
            try offers()
            try bench.expectsNothing(for: .milliseconds(300))
            try scene.asks(
                [0x12] + little(GuardedTable.encryptedConfiguration) + [0, 0], refused: 0x0F,
                at: GuardedTable.encryptedConfiguration)
            try subscribes(to: GuardedTable.updatedConfiguration, isSubscribed ? 0 : 1)
            try offers()
            if !isSubscribed { try bench.expects(att: OctetPattern(text(news))) }
            try bench.expectsNothing(for: .milliseconds(300))
            try require(try state() == stored, "a stranger changes what is kept of the bonded peer")
            try scene.leave()
            try require(try state() == stored, "a stranger's link changes what is kept of the bonded peer by its end")
            try require(bench.host.takeBondChanges().isEmpty, "a stranger makes the host write")
            // The bonded peer has its former subscriptions, and none of the stranger's.
            try scene.enter()
            scene.owner.expectsTrust = true
            try require(try bench.encrypts() == 0, "the bonded peer's key is refused")
            try offers()
            if isSubscribed { try bench.expects(att: OctetPattern(text(news))) }
            try bench.expects(att: [0x1B] + little(GuardedTable.encrypted) + GuardedTable.canary(20))
            try bench.expectsNothing(for: .milliseconds(300))
            try scene.leave()
        }
        scene.owner.expectsTrust = false
    }

    /// A link's protection, and the handles that it may read.
    private struct Worth {
        var keys = LongTermKeys.secureConnections(Bench.key)
        var keySize: UInt8 = 16
        var isAuthenticated = false
        var isAuthorized = false
        let readable: Set<UInt16>
    }

    private static let encrypted: Set<UInt16> = [
        GuardedTable.sealed, GuardedTable.encrypted, GuardedTable.encryptedDescriptor,
    ]

    private static let worths: [Worth] = [
        Worth(readable: encrypted), Worth(keySize: 7, readable: []),
        Worth(keySize: 15, isAuthenticated: true, readable: []),
        Worth(keys: Bench.legacyKeys, readable: encrypted),
        Worth(
            keys: Bench.legacyKeys, isAuthenticated: true, readable: encrypted.union([GuardedTable.authenticated])),
        Worth(
            isAuthenticated: true,
            readable: encrypted.union([GuardedTable.authenticated, GuardedTable.secureConnections])),
        Worth(isAuthorized: true, readable: encrypted.union([GuardedTable.authorized])),
        Worth(keySize: 7, isAuthenticated: true, isAuthorized: true, readable: [GuardedTable.authorized]),
        Worth(isAuthenticated: true, isAuthorized: true, readable: GuardedTable.guarded),
    ]

    @Test func `row 76: CVE-2024-1638, each protection alone at each security`() throws {
        try attack(76, "CVE-2024-1638", by: [.central]) { scene in
            scene.bench.host.policy = SecurityPolicy(minimumKeySize: 7)
            for worth in Self.worths {
                let bond = Bond(
                    identity: RawPeer.publicAddress, keys: worth.keys, keySize: worth.keySize,
                    isAuthenticated: worth.isAuthenticated, isAuthorized: worth.isAuthorized)
                try require(bond.map { scene.bench.host.store($0) } == true, "the bond was not taken")
                try scene.reenter()
                scene.owner.expectsTrust = false
                let isLegacy = worth.keys == Bench.legacyKeys
                var lacking: Set<UInt16> = []
                if !worth.isAuthenticated {
                    lacking = [GuardedTable.authenticated, GuardedTable.authenticatedConfiguration]
                }
                if !worth.isAuthenticated || isLegacy {
                    lacking.formUnion([GuardedTable.secureConnections, GuardedTable.secureConnectionsConfiguration])
                }
                try triesEverything(scene, 0x0F, lacking: lacking)
                scene.owner.expectsTrust = true
                let status = try scene.bench.encrypts(isLegacy ? Bench.legacyNumbers : Bench.noNumbers)
                try require(status == 0, "not encrypted: \(status)")
                for handle in GuardedTable.guarded.sorted() {
                    try scene.bench.send(att: [0x0A] + little(handle))
                    let seen = try scene.bench.expects(att: "*")
                    let isRead = seen == [0x0B] + GuardedTable.canary(seen.count - 1)
                    try require(
                        isRead == worth.readable.contains(handle), "handle \(handle) on \(worth): \(text(seen))")
                    try require(isRead || seen[0] == 0x01, "handle \(handle) on \(worth): \(text(seen))")
                }
                for (value, configuration) in GuardedTable.guardedConfigurations {
                    try scene.bench.send(att: [0x12] + little(configuration) + [1, 0])
                    let seen = try scene.bench.expects(att: "*")
                    try require(
                        (seen == [0x13]) == worth.readable.contains(value),
                        "configuration \(configuration) on \(worth): \(text(seen))")
                }
                scene.offerSecrets()
                let told = (scene.attacker.frames[Bench.attributeProtocol] ?? []).map {
                    UInt16($0[1]) | UInt16($0[2]) << 8
                }
                let expected = worth.readable.intersection(GuardedTable.guardedConfigurations.map(\.value))
                try require(Set(told) == expected, "told \(told) on \(worth)")
                try scene.leave()
                scene.forgetBond()
                try scene.enter()
            }
            scene.owner.expectsTrust = false
        }
    }

    /// The attacker has a bonded peer's address and not its key.
    private enum Spoof: CaseIterable {
        case hasNoKey
        case hasAnotherKey
        /// Stays silent when our host asks for encryption.
        case saysNothing
    }

    @Test func `row 83: CVE-2020-9770, a bonded peer's place is taken`() throws {
        try attack(83, "CVE-2020-9770 (BLESA)") { scene in
            guard scene.side == .peripheral else { return try comesItself(scene) }
            let bench = scene.bench
            for spoof in Spoof.allCases {
                try scene.leave()
                try bench.storeBond(isAuthenticated: true)
                bench.values = []
                try scene.attacker.advertise()
                try bench.join(RawPeer.publicAddress)
                // The client asks at once; the answers are there before the question.
                try bench.ask(.read(handle: 9))
                for lie in AttackBench.lies { try bench.send(att: lie) }
                try bench.keyIsWanted()
                for lie in AttackBench.lies { try bench.send(att: lie) }
                switch spoof {
                case .hasNoKey: try bench.hasNoKey()
                case .hasAnotherKey: try bench.givesKey(Bench.secret(0xB2))
                case .saysNothing: break
                }
                let isOver = bench.run(for: .seconds(42)) { scene.attacker.handles.isEmpty }
                try require(isOver, "\(spoof): the link goes on in the plain")
                let wasTold = bench.events.contains { if case .encryptionFailed = $0 { true } else { false } }
                try require(wasTold, "\(spoof): nobody is told")
                try require(bench.values.isEmpty, "\(spoof): the client was told \(bench.values)")
                let believed = bench.events.contains { if case .completed(_, .success) = $0 { true } else { false } }
                try require(!believed, "\(spoof): an answer was believed")
                let requests = (scene.attacker.frames[Bench.attributeProtocol] ?? []).filter { $0 != [0x1E] }
                try require(requests.isEmpty, "\(spoof): the host spoke in the plain: \(requests.map(text))")
                try require(bench.host.bond(for: RawPeer.publicAddress) != nil, "\(spoof): the bond is gone")
                bench.events = []
                scene.forgetBond()
                try scene.enter()
            }
        }
    }

    /// Our client waits for the bonded peer, and the attacker connects to us with its address.
    private func comesItself(_ scene: AttackBench) throws {
        let bench = scene.bench
        for spoof in Spoof.allCases {
            try scene.leave()
            try bench.storeBond(isAuthenticated: true)
            bench.values = []
            bench.events = []
            bench.host.connect(RawPeer.publicAddress, for: Bench.client, at: bench.now)
            try scene.enter()
            for lie in AttackBench.lies { try bench.send(att: lie) }
            // Our host wants to see the key, and tells its client of nothing before.
            _ = try bench.takeSecurityRequest()
            try scene.isNotTaken()
            switch spoof {
            case .saysNothing: bench.run(for: .seconds(42))
            case .hasNoKey:
                // The impostor would pair when our host asks for its key.
                try bench.send(security: "01 03 00 09 10 02 02")
                try bench.toldEncryptionFailed(.pinOrKeyMissing)
                let isOver = bench.run(for: .seconds(5)) { !scene.isLinked }
                try require(isOver, "the link goes on without a key")
            case .hasAnotherKey:
                let order = Bench.noNumbers + Bench.secret(0xB2).littleEndian
                try bench.peer.order(.leEnableEncryption, little(try bench.peer.link) + order)
                let isOver = bench.run(for: .seconds(5)) { !scene.isLinked }
                try require(isOver, "the link goes on with another key")
            }
            if scene.isLinked { for lie in AttackBench.lies { try bench.send(att: lie) } }
            bench.run(for: .seconds(1))
            try scene.isNotTaken()
            try require(bench.host.bond(for: RawPeer.publicAddress) != nil, "\(spoof): the bond is gone")
            try scene.leave()
            bench.host.disconnect(RawPeer.publicAddress, for: Bench.client, at: bench.now)
            bench.run(for: .seconds(2))
            scene.startsAnew()
            scene.forgetBond()
            try scene.enter()
        }
    }
}

extension AttackBench {
    /// An impostor's answers and notifications without encryption.
    static let lies = ["03 17 00", "0B 66", "1B 09 00 66", "1D 09 00 66", "23 09 00 01 00 66 0C 00 01 00 66", "13"]

    /// Our client, which waits for a bonded peer, has neither the impostor's link nor its values.
    func isNotTaken() throws {
        let isTold = bench.events.contains { event in
            switch event {
            case .connected, .encryptionChanged, .completed: true
            default: false
            }
        }
        try require(!isTold, "the impostor is taken for the bonded peer: \(bench.events)")
        let isHonest = bench.values.allSatisfy { $0.octets.first == 0xB5 }
        try require(isHonest, "the client was told \(bench.values)")
        let requests = (attacker.frames[Bench.attributeProtocol] ?? []).filter { $0 != [0x1E] && $0[0] != 0x01 }
        try require(requests.isEmpty, "the host spoke in the plain: \(requests.map(text))")
    }
}

extension AttackBench {
    /// Removes the attacker's bond.
    func forgetBond() {
        bench.host.removeBond(with: RawPeer.publicAddress)
        _ = bench.host.takeBondChanges()
        _ = bench.host.takeCacheChanges()
    }
}
