// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import SMP

/// Encryption of the link, and the distribution of keys. Core 5.4, Vol 3, Part H, 2.4.3 and 3.6.
extension SMTester {
    /// The two controllers compare the keys: a wrong key ends the link.
    func encrypt() throws {
        if isInitiator {
            try bench.peer.order(
                .leEnableEncryption, little(try bench.peer.link) + Bench.noNumbers + key.littleEndian)
        } else {
            try bench.keyIsWanted()
            try bench.givesKey(key)
        }
        let status = try bench.encryptionEnds()
        try require(status == 0, "the tester's controller says \(status)")
    }

    /// First the responder's keys, then the initiator's.
    func distribute() throws {
        if isInitiator {
            try takeKeys()
            try sendKeys()
        } else {
            try sendKeys()
            try takeKeys()
        }
    }

    /// The agreed keys for this side to distribute.
    private func agreed(ours: Bool) -> UInt8 {
        let keys = ours == isInitiator ? responderFeatures.initiatorKeys : responderFeatures.responderKeys
        // With Secure Connections, no key is sent, because both sides have the key.
        return isSecure ? keys & ~SMFeatures.encryptionKey : keys
    }

    /// Takes our host's keys, in their order, and no other keys.
    func takeKeys() throws {
        let keys = agreed(ours: false)
        if keys & SMFeatures.encryptionKey != 0 {
            let key = SMFunctions.secret(try number(of: Code.encryptionInformation))
            let numbers = try expects(Code.centralIdentification, octets: 10)
            hostLongTermKey = LegacyKey(
                key: key, ediv: UInt16(numbers[1]) | UInt16(numbers[2]) << 8,
                rand: numbers[3...].reversed().reduce(0) { $0 << 8 | UInt64($1) })
        }
        guard keys & SMFeatures.identityKey != 0 else { return }
        hostIdentityKey = SMFunctions.secret(try number(of: Code.identityInformation))
        let identity = try expects(Code.identityAddress, octets: 7)
        hostIdentity = DeviceAddress(
            kind: identity[1] == 0 ? .public : .random,
            value: identity[2...].reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }

    func sendKeys() throws {
        let keys = agreed(ours: true)
        if keys & SMFeatures.encryptionKey != 0 {
            try send(Code.encryptionInformation, ownLongTermKey.key.octets)
            try send([Code.centralIdentification] + ownLongTermKey.numbers)
        }
        guard keys & SMFeatures.identityKey != 0 else { return }
        try send(Code.identityInformation, ownIdentityKey.octets)
        try send([Code.identityAddress, RawPeer.publicAddress.kind.rawValue] + address48(RawPeer.publicAddress))
    }
}

extension LegacyKey {
    /// The key's numbers, as on the air: EDIV, then Rand.
    var numbers: [UInt8] {
        little(ediv) + (0..<8).map { UInt8(truncatingIfNeeded: rand >> (UInt64($0) * 8)) }
    }

    /// The key's numbers for HCI: Rand, then EDIV.
    var requestNumbers: [UInt8] { Array(numbers[2...] + numbers[..<2]) }
}
