// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Foundation
import HCI
import Logging
import SMP
import Testing

@testable import HostBench

/// Our host's demands on keys and on peers that pair: rows 92, 101, 103, 109, 112 and 113.
struct PairingPolicyAttacks {
    // MARK: Key sizes

    /// The attacker offers keys of `size` octets.
    private func offers(_ size: UInt8, _ scene: AttackBench, _ play: PairingPlay) throws -> SMTester {
        let tester = try scene.attackerPairs(play.features) { $0.keySize = size }
        if scene.side == .central {
            try tester.sendRequest()
        } else {
            try tester.takeRequest()
            try tester.sendResponse()
        }
        return tester
    }

    @Test func `row 92: CVE-2019-19196, key sizes that are none`() throws {
        try attack(92, "CVE-2019-19196") { scene in
            for play in [PairingPlay.justWorks, .legacyJustWorks] {
                scene.bench.host.policy = play.policy
                for size in (0...255 as ClosedRange<UInt8>) where size != 16 {
                    let tester = try offers(size, scene, play)
                    try scene.refuses(tester, size < 16 ? .encryptionKeySize : .invalidParameters)
                }
            }
            // A policy that admits short keys does not admit keys below the specification's minimum.
            scene.bench.host.policy = Bench.open(minimumKeySize: 0)
            for size in 0...6 as ClosedRange<UInt8> {
                try scene.refuses(try offers(size, scene, .justWorks), .encryptionKeySize)
            }
        }
    }

    @Test func `row 103: CVE-2019-9506, keys of seven octets`() throws {
        try attack(103, "CVE-2019-9506 (KNOB)") { scene in
            let bench = scene.bench
            for play in [PairingPlay.justWorks, .legacyJustWorks] {
                bench.host.policy = play.policy
                for size in 7...15 as ClosedRange<UInt8> {
                    try scene.refuses(try offers(size, scene, play), .encryptionKeySize)
                }
                bench.host.policy = play.isLegacy ? Bench.legacy(minimumKeySize: 7) : Bench.open(minimumKeySize: 7)
                bench.host.policy.encryptsAtConnection = false
                let tester = try scene.attackerPairs(play.features) { $0.keySize = 7 }
                try tester.pair()
                let bond = try bench.isPaired(tester)
                try require(bond.keySize == 7, "\(bond)")
                // Our host accepts such a key, but the key opens no value.
                for handle in [GuardedTable.sealed, GuardedTable.encrypted, GuardedTable.encryptedDescriptor] {
                    try scene.asks([0x0A] + little(handle), refused: 0x0C, at: handle)
                }
                let configuration = GuardedTable.encryptedConfiguration
                try scene.asks([0x12] + little(configuration) + [1, 0], refused: 0x0C, at: configuration)
                // A bond with such a key is worthless once the policy asks for longer keys.
                bench.host.policy = play.policy
                if scene.side == .central {
                    try scene.reenter()
                    let numbers = tester.hostLongTermKey?.requestNumbers ?? Bench.noNumbers
                    let status = try bench.encrypts(numbers, with: tester.hostLongTermKey?.key ?? tester.key)
                    try require(status == 0x06, "the key serves still: \(status)")
                } else {
                    try scene.leave()
                    bench.host.policy.encryptsAtConnection = true
                    bench.events = []
                    try bench.peer.advertise()
                    try bench.join(RawPeer.publicAddress)
                    // Neither under the key nor in the plain.
                    try bench.toldEncryptionFailed(.insufficientSecurity)
                    try bench.disconnected(.insufficientSecurity)
                }
                try scene.forgetsAttacker()
            }
        }
    }

    // MARK: Requests of the controller

    @Test func `row 101: CVE-2026-45816, a key is requested for an unknown connection`() throws {
        try attack(101, "CVE-2026-45816") { scene in
            let bench = scene.bench
            scene.controllerIsTrue = false
            bench.host.policy = SecurityPolicy(encryptsAtConnection: false)
            let bond = try scene.storeBond()
            try scene.reenter()
            func request(_ handle: UInt16, _ numbers: [UInt8] = Bench.noNumbers) {
                scene.tell(0x3E, [0x05] + little(handle) + numbers)
            }
            for handle in [AttackBench.nobody, 0x0EFF, 0x0FFF, 0xFFFF, 0xF000 | AttackBench.nobody] {
                request(handle)
                request(handle, Bench.legacyNumbers)
            }
            // Another link's key is not for this link. The host of a Central gives no key.
            if scene.side == .peripheral { request(try scene.hostHandle()) }
            for length in 0..<13 { scene.tell(0x3E, [0x05] + counting(length, from: 0xE0)) }
            bench.run(for: .seconds(1))
            try require(bench.parameters(of: .leLongTermKeyRequestReply).isEmpty, "our host has given a key")
            for _ in 0..<20 {
                for _ in 0..<100 { request(AttackBench.nobody) }
                bench.run(for: .milliseconds(100))
            }
            try require(bench.parameters(of: .leLongTermKeyRequestReply).isEmpty, "our host has given a key")
            try scene.thrives()
            try scene.keeps(bond)
            try scene.forgetsAttacker()
        }
    }

    // MARK: Strangers

    @Test func `row 109: CVE-2020-0556, a stranger pairs silently`() throws {
        try attack(109, "CVE-2020-0556, CVE-2023-45866") { scene in
            let bench = scene.bench
            /// The attacker begins as its role allows.
            func begins(_ play: PairingPlay = .justWorks) throws {
                if scene.side == .central {
                    try bench.send(security: [0x01] + play.features.parameters)
                } else {
                    try bench.send(security: "0B 09")
                }
            }
            // The pairing window is closed by default. Once it is open, it closes after its own time.
            var closed = SecurityPolicy(encryptsAtConnection: false)
            closed.hasAgent = true
            var past = closed
            past.acceptsPairing = .openUntil(bench.now)
            for policy in [closed, past] {
                bench.host.policy = policy
                for _ in 0..<5 {
                    try begins()
                    try bench.expects(security: "05 05")
                }
                try require(bench.questions.isEmpty, "somebody was asked")
                try scene.isUnpaired()
                scene.startsAnew()
                for handle in [GuardedTable.sealed, GuardedTable.encrypted, GuardedTable.authenticated] {
                    try scene.asks([0x0A] + little(handle), refused: 0x05, at: handle)
                }
            }
            guard scene.side == .central else { return }
            // Without a policy, the published values demand pairings: our host asks a person. Without a person, strangers get at most half
            // of the room, and no value that needs their identity.
            var unsaid = closed
            unsaid.acceptsPairing = .onDemand
            bench.host.policy = unsaid
            bench.person = Person(consents: false)
            try begins()
            try bench.expects(security: "05 05")
            try require(bench.questions == [.consent], "asked: \(bench.questions)")
            try scene.isUnpaired()
            scene.startsAnew()
            unsaid.hasAgent = false
            bench.host.policy = unsaid
            let crowd = (0..<UInt64(BondTable.capacity / 2)).compactMap { number in
                Bond(
                    identity: DeviceAddress(kind: .random, value: 0xC0_00_00_00_10_00 | number),
                    keys: .secureConnections(Bench.key), isOfCentral: true)
            }
            try require(bench.host.exchange(bonds: crowd, at: bench.now), "not exchanged")
            try begins()
            try bench.expects(security: "05 08")
            try require(bench.host.bonds.count == crowd.count, "there are \(bench.host.bonds.count) bonds")
            try require(bench.host.exchange(bonds: [], at: bench.now), "not exchanged")
            try scene.isUnpaired()
            scene.startsAnew()
            // While the window is open, our host asks the person, who has to agree.
            for play in [PairingPlay.justWorks, .legacyJustWorks] {
                bench.host.policy = play.policy
                bench.person = Person(consents: false)
                try begins(play)
                try bench.expects(security: "05 05")
                try require(bench.questions == [.consent], "asked: \(bench.questions)")
                try scene.hasFailed(.refused(.pairingNotSupported))
                bench.person = Person(consents: nil)
                try begins(play)
                try bench.expectsNothing(for: .seconds(29))
                try scene.hasFailed(.timedOut)
                try scene.reenter()
                bench.person = Person()
                let tester = try scene.attackerPairs(play)
                try tester.pair()
                try bench.isPaired(tester)
                let authenticated = GuardedTable.authenticated
                try scene.asks([0x0A] + little(authenticated), refused: 0x05, at: authenticated)
                try scene.forgetsAttacker()
            }
        }
    }

    // MARK: Another controller

    @Test func `row 112: controller spoof, another controller has other keys`() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "martlet-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        try attack(112, "controller spoof", by: [.central]) { scene in
            let bench = scene.bench
            func open() -> BondStore {
                let store = BondStore(directory: directory.path(), logger: Logger(label: "attacks"))
                store.load()
                return store
            }
            let bond = try scene.storeBond(isAuthenticated: true)
            let store = open()
            _ = store.use(Bench.hostAddress)
            store.apply([.stored(bond)])
            store.finishSaving()
            // A controller with another address, and a controller with the same number but another kind of address.
            for other in [AttackBench.absent, DeviceAddress(kind: .random, value: Bench.hostAddress.value)] {
                let store = open()
                let given = store.use(other)
                try require(given.isEmpty && store.records.isEmpty, "\(other) has been given \(given)")
                try require(bench.host.exchange(bonds: given, at: bench.now), "not exchanged")
                try scene.reenter()
                let status = try bench.encrypts()
                try require(status == 0x06, "the key of another controller serves: \(status)")
                scene.startsAnew()
            }
            let back = open().use(Bench.hostAddress)
            try require(back == [bond], "the right controller has \(back)")
            try require(bench.host.exchange(bonds: back, at: bench.now), "not exchanged")
            try scene.reenter()
            let status = try bench.encrypts()
            try require(status == 0, "the key is lost: \(status)")
            try scene.forgetsAttacker()
        }
    }

    // MARK: Signatures

    @Test func `row 113: signed write replay, signed writes are not taken`() throws {
        try attack(113, "signed write replay") { scene in
            let bench = scene.bench
            let signed = [0xD2] + little(GuardedTable.writable) + [0x66]
            func writes() throws {
                // A counter twice, then a different counter, and the former counter.
                for counter in [5, 5, 6, 4, 0xFF] as [UInt8] {
                    try bench.send(att: signed + [counter, 0, 0, 0] + counting(8, from: 0x90))
                }
                try bench.send(att: signed)
                try bench.expectsNothing(for: .milliseconds(500))
                try require(scene.owner.writes.isEmpty, "something was written: \(scene.owner.writes)")
                try scene.answersStill()
            }
            try writes()
            for play in [PairingPlay.justWorks, .legacyJustWorks] {
                let tester = try scene.attackerPairs(play) {
                    $0.initiatorKeys |= SMFeatures.signingKey
                    if scene.side == .central { $0.responderKeys |= SMFeatures.signingKey }
                }
                try tester.pair()
                let bond = try bench.isPaired(tester)
                let file = String(decoding: try JSONEncoder().encode(bond), as: UTF8.self).lowercased()
                try require(!file.contains("sign"), "there is a key for signing")
                try bench.send(security: [0x0A] + counting(16))
                try writes()
                try scene.reenter()
                try writes()
                try scene.forgetsAttacker()
            }
        }
    }
}
