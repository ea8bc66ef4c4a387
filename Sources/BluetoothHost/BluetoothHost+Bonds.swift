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
        /// While we advertise, and have a bond with a peer that may recognise us.
        case whenAdvertising
        case always
    }

    /// Our own key; nil, which is told, where it is on disk and cannot be had. With another one, no bonded peer would
    /// recognise us any more.
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

    /// A fresh key pair for each pairing: no pairing tells anything about another one.
    static func makePairingSecrets() -> PairingSecrets? {
        var generator = SystemRandomNumberGenerator()
        var octets: [UInt8] = []
        while octets.count < PairingSecrets.octetCount { octets.append(u64: generator.next()) }
        return PairingSecrets(keyPair: KeyPair(), octets: octets)
    }

    /// The controller is known now, and has sent or been sent nothing since: it gets the bonds that were made with it, and
    /// those alone.
    func provideBonds(at now: MonotonicTime) {
        guard machine.state == .ready, bonds.controller != machine.identityAddress else { return }
        let stored = bonds.use(machine.identityAddress)
        if !machine.exchange(bonds: stored, at: now) {
            logger.error("there are more bonds than are kept", metadata: ["count": "\(stored.count)"])
        }
    }

    /// Forgets a peer, whichever controller it was paired with, and ends its link.
    package func removeBond(with identity: DeviceAddress) {
        machine.removeBond(with: identity)
        bonds.forget(identity)
        for link in machine.links(to: identity) { machine.endLink(link, at: MonotonicClock.now) }
    }
}
