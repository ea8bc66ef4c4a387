// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import HCI
import SMP

/// Links between pairings, and the keys of a pairing on later links.
extension Bench {
    // MARK: Links

    /// Our host becomes the Central of a plain link with exchanged MTUs, or its Peripheral.
    func link(asCentral isCentral: Bool) throws {
        if isCentral {
            host.policy.encryptsAtConnection = false
            try connect()
        } else {
            try advertise("02 01 06")
            try accept()
        }
    }

    /// The link ends, and a new link with these roles begins.
    func relink(asCentral isCentral: Bool) throws {
        try unlink(asCentral: isCentral)
        if isCentral { try connect() } else { try accept() }
    }

    func unlink(asCentral isCentral: Bool) throws {
        try peer.disconnect()
        try wait(for: "the end of the link") {
            switch $0 {
            case .linkDown, .disconnected: true
            default: nil
            }
        }
        try expects(event: HCIEventCode.disconnectionComplete)
        run(for: .milliseconds(100))
        events.removeAll {
            switch $0 {
            case .linkDown, .disconnected, .presence, .linkUp, .connected, .mtuExchanged: true
            default: false
            }
        }
    }

    // MARK: Keys

    /// The status of encryption or, on an encrypted link, of the change of its key.
    func encryptionEnds() throws -> UInt8 {
        let ends = { (event: [UInt8]) -> UInt8? in
            let codes = [HCIEventCode.encryptionChange, .encryptionKeyRefreshComplete].map(\.rawValue)
            return codes.contains(event[0]) ? event[2] : nil
        }
        run(for: Self.patience, until: { peer.events.contains { ends($0) != nil } })
        guard let status = peer.takeEvent(ends) else {
            throw ScriptFailure("the tester's controller tells of no encryption: \(peer.events.map(text))")
        }
        return status
    }

    /// On a new link with these roles, the bond's key encrypts the link.
    func encryptsAgain(_ tester: SMTester, asCentral isCentral: Bool) throws {
        let numbers: [UInt8]
        let key: SecretKey
        if tester.isSecure {
            (numbers, key) = (Self.noNumbers, tester.key)
        } else {
            // The Peripheral's key serves.
            guard let legacy = isCentral ? tester.ownLongTermKey : tester.hostLongTermKey else {
                throw ScriptFailure("no key was given")
            }
            (numbers, key) = (legacy.requestNumbers, legacy.key)
        }
        if isCentral {
            host.policy.encryptsAtConnection = true
            try peer.advertise()
            try join(RawPeer.publicAddress)
            try keyIsWanted(numbers)
            try givesKey(key)
        } else {
            try accept()
            try require(try encrypts(numbers, with: key) == 0, "our host has not given its key")
        }
        let security = try toldEncrypted()
        try require(security.keySize == tester.keySize, "the link is \(security)")
        if isCentral { try isUsed() }
        try didNotPair()
    }

    /// As the Central of an encrypted link, the tester encrypts the link with another key.
    func refreshes(_ key: LegacyKey) throws {
        try peer.order(.leEnableEncryption, little(try peer.link) + key.requestNumbers + key.key.littleEndian)
        let status = try encryptionEnds()
        try require(status == 0, "the tester's controller says \(status)")
    }

    /// Our host becomes the Peripheral of a link to a bonded tester that its client wants. Only the key proves that the
    /// peer is the tester.
    func acceptUnproven() throws {
        host.connect(RawPeer.publicAddress, for: Self.client, at: now)
        try advertise("02 01 06")
        try accept()
    }
}
