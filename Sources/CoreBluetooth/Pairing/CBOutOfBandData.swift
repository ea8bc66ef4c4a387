// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import SMP

/// Data for one pairing that reach the peer by other means than the radio. A gateway can show a QR code, but cannot
/// read one: it gives its data by ``CBPairingPolicy/outOfBandData``, and accepts none. Octets come most significant
/// first, 16 of each.
package final class CBOutOfBandData: Sendable, Hashable {
    let local: LocalOutOfBandData
    /// The peer's data: the commitment to our public key, and the random number in the commitment.
    package let confirm: [UInt8]
    package let random: [UInt8]

    /// Makes a key pair for one pairing, and the data of the pair.
    package init() {
        let (keyPair, random) = (KeyPair(), BondStore.randomOctets())
        local = LocalOutOfBandData(keyPair: keyPair, random: random)
        let x = keyPair.publicKey.x
        // Core 5.4, Vol 3, Part H, 2.3.5.6.4.
        confirm = Cryptography.f4(u: x, v: x, x: random, z: 0)
        self.random = random
    }

    /// By identity: each object is for one pairing.
    package static func == (left: CBOutOfBandData, right: CBOutOfBandData) -> Bool { left === right }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// The options of the pairing. `confirm`, `random`: the peer's data, if we have them; `temporaryKey`: for LE legacy
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
