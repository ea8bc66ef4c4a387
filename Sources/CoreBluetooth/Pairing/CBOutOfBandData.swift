// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import SMP

/// What goes between two devices by other means than the radio, for one pairing. A gateway can show a QR code and read
/// none: it gives its data by ``CBPairingPolicy/outOfBandData``, and takes none. Octets come most significant first, 16 of each.
package final class CBOutOfBandData: Sendable, Hashable {
    let local: LocalOutOfBandData
    /// What the peer has to be told: the commitment to our public key, and the number that is in it.
    package let confirm: [UInt8]
    package let random: [UInt8]

    /// What is told of a key pair that is good for one pairing.
    package init() {
        let (keyPair, random) = (KeyPair(), BondStore.randomOctets())
        local = LocalOutOfBandData(keyPair: keyPair, random: random)
        let x = keyPair.publicKey.x
        // Core 5.4, Vol 3, Part H, 2.3.5.6.4.
        confirm = Cryptography.f4(u: x, v: x, x: random, z: 0)
        self.random = random
    }

    /// By identity: each is good for one pairing.
    package static func == (left: CBOutOfBandData, right: CBOutOfBandData) -> Bool { left === right }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// The options of the pairing. `confirm`, `random`: of the peer, where it has told us; `temporaryKey`: for LE legacy
    /// pairing. `isTold`: the peer has our data.
    package func options(
        peerConfirm confirm: [UInt8]?, random: [UInt8]?, temporaryKey: [UInt8]?, isTold: Bool
    ) -> CBPairingOptions {
        var options = CBPairingOptions()
        let peer = OutOfBandData(
            confirm: confirm, random: random, temporaryKey: temporaryKey.flatMap { SecretKey($0) })
        options.outOfBand = Settings(local: isTold ? local : nil, peer: peer)
        return options
    }

    final class Settings: Hashable, Sendable {
        let local: LocalOutOfBandData?
        let peer: OutOfBandData

        init(local: LocalOutOfBandData?, peer: OutOfBandData) { (self.local, self.peer) = (local, peer) }

        static func == (left: Settings, right: Settings) -> Bool { left === right }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }
}
