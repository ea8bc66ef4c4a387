// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCITransport
import Logging
import SMP

/// Bonds and keys between the machine and the disk.
extension BluetoothHost {
    /// When we are on the air with private addresses.
    package enum Privacy: Sendable {
        case off
        /// While we advertise, if a bonded peer may recognise us.
        case whenAdvertising
        case always
    }

    /// Our identity key; nil, with a log entry, if the stored key cannot be read. With another key, no bonded peer
    /// would recognise us any more.
    static func identityKey(of bonds: BondStore, _ logger: Logger) -> SecretKey? {
        do {
            return try bonds.identityKey()
        } catch {
            logger.error(
                "the key of our private addresses cannot be read; there are none in this run",
                metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// A fresh key pair for each pairing: no pairing reveals anything about another.
    static func makePairingSecrets() -> PairingSecrets? {
        var generator = SystemRandomNumberGenerator()
        var octets: [UInt8] = []
        while octets.count < PairingSecrets.octetCount { octets.append(u64: generator.next()) }
        return PairingSecrets(keyPair: KeyPair(), octets: octets)
    }

    /// Gives the machine the bonds of the present controller, and no other bonds. The controller has just become known,
    /// and no packet has passed since.
    func provideBonds(at now: MonotonicTime) {
        guard machine.state == .ready, bonds.controller != machine.identityAddress else { return }
        let stored = bonds.use(machine.identityAddress)
        if !machine.exchange(bonds: stored, at: now) {
            logger.error("there are more bonds than are kept", metadata: ["count": "\(stored.count)"])
        }
    }

    /// Forgets a peer, whichever controller made the bond, and ends the peer's link.
    package func removeBond(with identity: DeviceAddress) {
        machine.removeBond(with: identity)
        bonds.forget(identity)
        for link in machine.links(to: identity) { machine.endLink(link, at: MonotonicClock.now) }
    }
}
