// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCITransport
import Logging
import SMP

/// A new identity. Peers that knew the old identity meet a stranger.
extension BluetoothHost {
    /// Changes our identity for good: we are on the air under a new static random address, whatever address the
    /// controller has. All bonds are removed, on disk too, and our private addresses come from a new key. Links end,
    /// then the controller is set up anew: clients hear ``HostState/resetting``, and publish and connect again.
    ///
    /// `done` is called on any thread when the change is on disk and the controller is being set up. `troubles` lists
    /// failures to write. Calls during a change share the change.
    package func changeIdentity(_ done: @escaping @Sendable (_ troubles: [String]) -> Void) {
        guard shutDownBy == nil else { return done(["the controller is being closed"]) }
        guard identityChange.begin(at: MonotonicClock.now, done) else { return }
        // The address comes first. A power cut then leaves the old identity with all its bonds, or the new identity.
        directory.changeIdentity()
        let peers = bonds.allPeers
        for peer in peers { machine.removeBond(with: peer) }
        machine.endAllLinks(at: MonotonicClock.now)
    }

    /// Once all links have ended, or have had their time.
    func finishIdentityChange(at now: MonotonicTime) {
        guard let callers = identityChange.takeDue(hasLinks: machine.hasLinks, at: now) else { return }
        bonds.apply(machine.takeBondChanges())
        bonds.forgetAll()
        do {
            // The key is in use only with private addresses.
            let key = try bonds.identityKey(isNew: true)
            machine.changeIdentity(to: directory.randomAddress, key: key, at: now)
        } catch {
            // An old key would show our identity to old peers.
            logger.error(
                "the key of our private addresses cannot be made anew; there are none in this run",
                metadata: ["error": "\(error)"])
            machine.changeIdentity(to: directory.randomAddress, key: nil, at: now)
        }
        logger.notice("the gateway has a new identity", metadata: ["address": "\(directory.randomAddress)"])
        if port != nil {
            port?.beginAgain()
            machine.start(at: now)
        }
        let (bonds, directory) = (bonds, directory)
        directory.afterSaving {
            bonds.confirmRemovals { troubles in
                for done in callers { done(troubles) }
            }
        }
    }
}

extension HostMachine {
    /// Takes effect with the next ``start(at:)``. `key`: of our private addresses; nil: there are none any more.
    mutating func changeIdentity(to address: DeviceAddress, key: SecretKey?, at now: MonotonicTime) {
        addresses.changeIdentity(to: address, key: key)
        bonds = BondTable()
        wishes.forgetNames()
        pairing.forgetAttempts()
    }

    mutating func endAllLinks(at now: MonotonicTime) {
        for handle in links.keys.sorted() { end(handle) }
        pump(at: now)
    }
}
