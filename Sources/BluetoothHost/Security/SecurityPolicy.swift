// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP

/// What the host asks of keys, links and pairings. The defaults let nobody in: a pairing that a peer starts needs
/// ``acceptsPairing``, and somebody to agree. The library sets ``Window/onDemand`` where its program has set nothing.
package struct SecurityPolicy: Equatable, Sendable {
    /// When a peer may start to pair with us.
    package enum Window: Equatable, Sendable {
        case closed
        case open
        case openUntil(MonotonicTime)
        /// Open for peers that we have connected to; for Centrals as long as something that a client has published asks
        /// for encryption, and half of the room for bonds is left.
        case onDemand
    }

    /// What becomes of a bond when its peer pairs anew.
    package enum Replacement: Equatable, Sendable {
        /// The bond stays; it has to be removed first.
        case never
        /// The new one takes its place unless it is weaker: unauthenticated for authenticated, legacy for Secure
        /// Connections, or a shorter key.
        case unlessWeaker
    }

    /// What people are shown of us before a peer pairs, and what is good for one pairing that a peer starts. A pairing
    /// that ends before any of it was used gives it back.
    package struct Once: Equatable, Sendable {
        /// Grows with each that is set: what an earlier pairing has used up does not come back with the rest of a policy.
        package let number: UInt64
        /// 0…999999, shown in place of new digits. With it, peers start no pairing that is not lent it.
        package let passkey: UInt32?
        package let outOfBand: LocalOutOfBandData?

        package init(number: UInt64, passkey: UInt32?, outOfBand: LocalOutOfBandData?) {
            (self.number, self.passkey, self.outOfBand) = (number, passkey, outOfBand)
        }

        /// By number: the two are as good or as used up as each other.
        package static func == (left: Self, right: Self) -> Bool { left.number == right.number }
    }

    /// Octets that a key must have to be used: 7…16. Core 5.4, Vol 3, Part H, 2.3.4.
    package let minimumKeySize: UInt8
    /// As the Central, links to bonded peers are encrypted before anything else is said on them.
    package var encryptsAtConnection: Bool
    /// As the Central, a server that refuses for want of authentication or encryption is paired with.
    package var pairsOnDemand = true
    /// Pairings that peers start, by a Pairing Request or a Security Request.
    package var acceptsPairing = Window.closed
    /// ``acceptsPairing`` is for peers that have connected to us as well, not only for those that we have connected to.
    package var admitsCentrals = true
    package var once: Once?
    /// What somebody at this end can show and enter.
    package var ioCapability = IOCapability.noInputNoOutput
    package var models = Set(AssociationModel.allCases)
    /// Keys outlast the link that they were made on: bondable mode. Core 5.4, Vol 3, Part C, 9.4.
    package var isBondable = true
    /// Every pairing must be protected against somebody in the middle.
    package var requiresAuthentication = false
    /// Peers, by identity or by the address that they are known under, that may pair by LE legacy pairing.
    package var legacyPeers: Set<DeviceAddress> = []
    /// Passkeys, 0…999999, that are known beforehand, as from a label on the device.
    package var passkeys: [DeviceAddress: UInt32] = [:]
    package var replacement = Replacement.never
    /// Identities of devices that are known here: a peer under another address may not say that it is one of them. So it
    /// is for those in ``passkeys``.
    package var reservedIdentities: Set<DeviceAddress> = []
    /// Somebody is there to answer questions of pairings that peers start; without, ``PairingQuestion/consent`` is
    /// answered by the window alone.
    package var hasAgent = false

    /// A size outside 7…16 is moved to the nearer end.
    package init(minimumKeySize: UInt8 = 16, encryptsAtConnection: Bool = true) {
        self.minimumKeySize = min(max(minimumKeySize, Bond.keySizes.lowerBound), Bond.keySizes.upperBound)
        self.encryptsAtConnection = encryptsAtConnection
    }

    package func allows(_ bond: Bond) -> Bool { bond.keySize >= minimumKeySize }

    func reserves(_ identity: DeviceAddress) -> Bool {
        reservedIdentities.contains(identity) || passkeys[identity] != nil
    }

    package func acceptsPairing(at now: MonotonicTime) -> Bool {
        switch acceptsPairing {
        case .closed: false
        case .open, .onDemand: true
        case .openUntil(let end): now < end
        }
    }
}
