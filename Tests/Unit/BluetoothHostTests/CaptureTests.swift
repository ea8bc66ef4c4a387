// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CLibcrypto
import Foundation
import HCITransport
import SMP
import Testing

@testable import BluetoothHost
@testable import HostBench

/// An attacker's computations from the capture of a pairing.
struct CaptureTests {
    private static let passkey: UInt32 = 19_655

    /// Whole packets of a pairing, as sent and as captured, and the keys that no attacker may compute.
    private struct Recording {
        var packets: [[UInt8]] = []
        var captured: [[UInt8]] = []
        var addresses: (initiator: DeviceAddress, responder: DeviceAddress)
        var bonds: [Bond] = []
    }

    /// The Central's capture of a pairing of `a`, the Peripheral, and `b`.
    private func record(isLegacy: Bool, passkey: UInt32?) throws -> Recording {
        let path = NSTemporaryDirectory() + "martlet-\(UUID().uuidString).btsnoop"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let writer = try BTSnoopWriter(path: path)
        let scene = try PairingScene()
        let (initiator, responder) = (scene.address(of: 1), scene.address(of: 0))
        var recording = Recording(addresses: (initiator, responder))
        scene.open(0)
        if isLegacy { scene.setPolicy { $0.legacyPeers = [initiator, responder] } }
        scene.duet.observe = { player, packet, isSent in
            guard player == 1 else { return }
            recording.packets.append(packet)
            writer.record(packet.span.bytes, isSent ? .sent : .received)
        }
        if let passkey { scene.duet.a.host.policy.passkeys = [initiator: passkey] }
        #expect(
            scene.pair(by: 1) { settings in
                if isLegacy { settings.offersSecureConnections = false }
                guard let passkey else { return }
                (settings.passkey, settings.ioCapability) = (passkey, .keyboardOnly)
                settings.requiresAuthentication = true
            } == .started)
        #expect(scene.finish())
        try scene.reconnect()
        #expect(scene.duet.b.host.encrypt(scene.link(1), at: scene.duet.now) != .noKey)
        #expect(scene.run { scene.security(1)?.isEncrypted == true })
        scene.duet.observe = { _, _, _ in }
        writer.flush()
        recording.bonds = [try #require(scene.bond(0)), try #require(scene.bond(1))]
        var data = try Data(contentsOf: URL(fileURLWithPath: path)).dropFirst(16)
        while data.count > 24 {
            let length = data.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            recording.captured.append(Array(data.dropFirst(24).prefix(length)))
            data = data.dropFirst(24 + length)
        }
        return recording
    }

    /// The block that encrypts to this block: AES in reverse.
    private func inverse(_ key: SecretKey, _ block: [UInt8]) throws -> [UInt8] {
        let context = try #require(EVP_CIPHER_CTX_new())
        defer { EVP_CIPHER_CTX_free(context) }
        var inverse = [UInt8](repeating: 0, count: 32)
        var length: Int32 = 0
        try #require(EVP_DecryptInit_ex(context, EVP_aes_128_ecb(), nil, key.octets, nil) == 1)
        try #require(EVP_CIPHER_CTX_set_padding(context, 0) == 1)
        try #require(EVP_DecryptUpdate(context, &inverse, &length, block, 16) == 1 && length == 16)
        return Array(inverse.prefix(16))
    }

    private func exclusiveOr(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] { zip(left, right).map { $0 ^ $1 } }

    /// Short Term Keys that follow from these packets with these passkeys, 0 without a passkey: from the random
    /// numbers, or else from the confirm values, by c1 in reverse. Core 5.4, Vol 3, Part H, 2.2.3, 2.2.4.
    private func shortTermKeys(from packets: [[UInt8]], of recording: Recording, passkeys: [UInt32]) throws -> Set<
        SecretKey
    > {
        let pdus = packets.compactMap { $0.count > 9 && $0[0] == 2 && $0[7] == 6 && $0[8] == 0 ? Array($0[9...]) : nil }
        func values(_ code: UInt8) -> [[UInt8]] {
            pdus.filter { $0.first == code && $0.count == 17 }.map { $0.dropFirst().reversed() }
        }
        let request = try #require(pdus.first { $0.first == 1 })
        let response = try #require(pdus.first { $0.first == 2 })
        let (initiator, responder) = recording.addresses
        let first = response.reversed() + request.reversed() + [responder.kind.rawValue, initiator.kind.rawValue]
        let second = [initiator, responder].map { address in
            stride(from: 40, through: 0, by: -8).map { UInt8(truncatingIfNeeded: address.value >> UInt64($0)) }
        }.reduce([0, 0, 0, 0], +)
        var keys: Set<SecretKey> = []
        for passkey in passkeys {
            let temporary = SecretKey(number: passkey)
            let opened = try values(0x03).map { confirm in
                exclusiveOr(
                    try inverse(temporary, exclusiveOr(try inverse(temporary, confirm), second)), first)
            }
            for randoms in [values(0x04), opened] where randoms.count == 2 {
                let octets = Cryptography.s1(temporary, responderRandom: randoms[1], initiatorRandom: randoms[0])
                if let key = SecretKey(octets) { keys.insert(key) }
            }
        }
        return keys
    }

    /// Keys that the controller was given for encryption. An attacker looks for these keys in the true packets.
    private func usedKeys(in packets: [[UInt8]]) -> Set<SecretKey> {
        Set(packets.filter { $0.starts(with: [1, 0x19, 0x20]) }.compactMap { SecretKey($0.suffix(16).reversed()) })
    }

    @Test(arguments: [nil, Self.passkey]) func `no key of LE legacy pairing follows from a capture`(
        passkey: UInt32?
    ) throws {
        let recording = try record(isLegacy: true, passkey: passkey)
        // The tried passkeys stand for all million passkeys, with the right passkey among them.
        let passkeys: [UInt32] = passkey.map { [0, $0 - 1, $0, 999_999] } ?? [0]
        let used = usedKeys(in: recording.packets)
        let computed = try shortTermKeys(from: recording.packets, of: recording, passkeys: passkeys)
        #expect(used.intersection(computed).count == 1, "the attack works on the packets as they were")
        let confirms = recording.packets.filter { $0.count < 10 || $0[0] != 2 || $0[9] != 4 }
        #expect(
            try !shortTermKeys(from: confirms, of: recording, passkeys: passkeys).isDisjoint(with: used),
            "and without the random numbers, too")
        let captured = try shortTermKeys(from: recording.captured, of: recording, passkeys: passkeys)
        #expect(captured.isDisjoint(with: used))
        #expect(usedKeys(in: recording.captured) == [.zero])
        expectNoSecret(of: recording)
    }

    @Test(arguments: [nil, Self.passkey]) func `no key of Secure Connections is in a capture`(passkey: UInt32?) throws {
        let recording = try record(isLegacy: false, passkey: passkey)
        #expect(usedKeys(in: recording.packets).count == 1)
        #expect(usedKeys(in: recording.captured) == [.zero])
        expectNoSecret(of: recording)
    }

    /// Every secret octet is zero in the capture, and all other octets are unchanged.
    private func expectNoSecret(of recording: Recording) {
        #expect(recording.captured.count == recording.packets.count)
        let secret: Set<UInt8> = [0x03, 0x04, 0x06, 0x07, 0x08, 0x09, 0x0A]
        for (packet, captured) in zip(recording.packets, recording.captured) {
            let isPairing = packet.count > 9 && packet[0] == 2 && packet[7] == 6 && packet[8] == 0
            if isPairing, secret.contains(packet[9]) {
                #expect(captured == packet.prefix(10) + [UInt8](repeating: 0, count: packet.count - 10))
            } else if ![0x19, 0x1A].contains(packet[1]) || packet[0] != 1 {
                #expect(captured == packet || packet.starts(with: [1, 0x27, 0x20]))
            }
        }
        let file = Data(recording.captured.joined())
        for bond in recording.bonds {
            for key in [bond.centralKey?.key, bond.identityKey].compactMap({ $0 }) {
                #expect(file.range(of: Data(key.octets)) == nil)
                #expect(file.range(of: Data(key.littleEndian)) == nil)
            }
        }
    }
}
