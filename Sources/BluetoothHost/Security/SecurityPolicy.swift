// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP

/// The host's demands on keys, links and pairings. By default no peer may start a pairing: this needs
/// ``acceptsPairing``, and an agent's consent. The library sets ``Window/onDemand`` if its program has set nothing.
package struct SecurityPolicy: Equatable, Sendable {
    /// When a peer may start to pair with us.
    package enum Window: Equatable, Sendable {
        case closed
        case open
        case openUntil(MonotonicTime)
        /// Open for peers that we have connected to. Open for Centrals as long as a published service or channel asks
        /// for encryption, and half of the room for bonds is left.
        case onDemand
    }

    /// The fate of a bond when its peer pairs anew.
    package enum Replacement: Equatable, Sendable {
        /// The bond stays. The program has to remove the bond first.
        case never
        /// The new bond replaces the old bond unless the new bond is weaker: unauthenticated for authenticated, legacy
        /// for Secure Connections, or a shorter key.
        case unlessWeaker
    }

    /// Values for a single pairing that a peer starts. People see these values before the peer pairs. A pairing that
    /// ends before it has used any of the values gives them back.
    package struct Once: Equatable, Sendable {
        /// Grows with each new set of values. Values used up by an earlier pairing do not come back with the rest of a
        /// policy.
        package let number: UInt64
        /// 0…999999, shown in place of new digits. With a passkey here, a peer's pairing begins only if it gets this
        /// passkey.
        package let passkey: UInt32?
        package let outOfBand: LocalOutOfBandData?

        package init(number: UInt64, passkey: UInt32?, outOfBand: LocalOutOfBandData?) {
            (self.number, self.passkey, self.outOfBand) = (number, passkey, outOfBand)
        }

        /// Compares numbers: equal values are used up together.
        package static func == (left: Self, right: Self) -> Bool { left.number == right.number }
    }

    /// Minimum size of a usable key, in octets: 7…16. Core 5.4, Vol 3, Part H, 2.3.4.
    package let minimumKeySize: UInt8
    /// As the Central, links to bonded peers are encrypted before any other data.
    package var encryptsAtConnection: Bool
    /// As the Central, we pair with a server that refuses a request for lack of authentication or encryption.
    package var pairsOnDemand = true
    /// Pairings that peers start, by a Pairing Request or a Security Request.
    package var acceptsPairing = Window.closed
    /// ``acceptsPairing`` also holds for peers that have connected to us.
    package var admitsCentrals = true
    package var once: Once?
    /// The input and output of a person at this end.
    package var ioCapability = IOCapability.noInputNoOutput
    package var models = Set(AssociationModel.allCases)
    /// Keys outlast their link: bondable mode. Core 5.4, Vol 3, Part C, 9.4.
    package var isBondable = true
    /// Every pairing must be protected against a man in the middle.
    package var requiresAuthentication = false
    /// Peers that may use LE legacy pairing, by identity or by a known address.
    package var legacyPeers: Set<DeviceAddress> = []
    /// Passkeys known beforehand, 0…999999: from a label on the device, for example.
    package var passkeys: [DeviceAddress: UInt32] = [:]
    package var replacement = Replacement.never
    /// Identities of devices that are known here. A peer under another address may not claim these identities, nor the
    /// identities in ``passkeys``.
    package var reservedIdentities: Set<DeviceAddress> = []
    /// An agent answers questions of pairings that peers start. Without an agent, the window alone answers
    /// ``PairingQuestion/consent``.
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
