// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import SMP

/// Private addresses: our own on the air, and the peers' behind which we find who they are.
extension HostMachine {
    // MARK: Our own

    /// Chooses the address that we advertise, scan and initiate with. `identityKey`: our own, made once.
    package mutating func setPrivacy(
        _ mode: PrivacyMachine.Mode, _ scope: PrivacyMachine.Scope = .everything, identityKey: SecretKey,
        interval: Duration = PrivacyMachine.rotationInterval, at now: MonotonicTime
    ) {
        addresses.set(mode, scope, identityKey: identityKey, interval: interval)
        pump(at: now)
    }

    /// Our own Identity Resolving Key, for bonded peers to recognise us by; nil where we have no private addresses.
    package var identityKey: SecretKey? { addresses.privacy.distributedKey }

    /// ``provide(randomness:at:)`` should be called: the radio waits for it.
    package var wantsRandomness: Bool { addresses.privacy.wantsRandomness }

    /// Takes octets from a generator fit for keys.
    package mutating func provide(randomness octets: [UInt8], at now: MonotonicTime) {
        addresses.provide(randomness: octets)
        pump(at: now)
    }

    /// What we scan and initiate with.
    var ownAddressType: OwnAddressType {
        OwnAddressType(addresses.radioKind(with: controller), isMade: resolving.makesAddresses)
    }

    /// What is to be done about addresses before the radio may go on; true when it has to pause.
    mutating func planAddress(at now: MonotonicTime) -> Bool {
        let isNeeded = advertising.hasDemand && bonds.hasIdentityKeys
        let isDue = addresses.plan(isNeeded: isNeeded, for: controller, at: now)
        return isDue || resolving.wantsPause(at: now)
    }

    /// Gives the controller another address if one is due. Only while it neither advertises, scans nor initiates.
    mutating func changeAddress(at now: MonotonicTime) {
        guard let address = addresses.nextAddress(for: controller, at: now) else { return }
        submit(LESetRandomAddress(address: address), for: .randomAddress(address, advertiser: nil))
        advertising.controllerHas(address)
    }

    // MARK: On the air

    /// The address that peers know us by.
    package var identityAddress: DeviceAddress { addresses.identity(with: controller) }

    /// Our private addresses.
    package var privacy: PrivacyMachine { addresses.privacy }

    /// What we were on the air with when a link in this role was made.
    func onAirAddress(as role: LinkRole) -> DeviceAddress {
        // Which set it was is said after the connection, and is told then; all have the same as a rule.
        addresses.onAir(as: role, advertised: advertising.connectableAddress, with: controller)
    }

    // MARK: Peers

    /// Who is behind a report: a bonded peer is told of under its identity address, whatever it is on the air with.
    mutating func identify(_ report: AdvertisingReport) -> AdvertisingReport {
        // The controller has done it. Where nobody has told it this identity, it is an address like any other.
        guard !report.isResolved else { return report }
        let identity = bonds.identity(of: report.address)
        guard bonds.mayBePrivate(identity) else { return report }
        if identity != report.address, resolving.resolves(identity) { resolvingFailed(identity) }
        let previous = bonds.currentAddress(of: identity)
        if bonds.heard(report.address, of: identity), wishes.isWanted(identity) {
            if let previous, previous != identity { initiator.unwant(previous) }
            initiator.want(report.address)
            wishes.noteNewTarget()
        }
        return identity == report.address ? report : report.identified(as: identity)
    }

    /// Wants a link to a peer under every address that it may be on the air with.
    mutating func want(_ peer: DeviceAddress) {
        initiator.want(peer)
        let current = resolving.resolves(peer) ? peer : bonds.currentAddress(of: peer) ?? peer
        initiator.want(current)
        if let seen = scan.lastSeen(peer) { initiator.sighted(current, at: seen) }
    }

    mutating func unwant(_ peer: DeviceAddress) {
        initiator.unwant(peer)
        if let current = bonds.currentAddress(of: peer) { initiator.unwant(current) }
    }

    /// Somebody wants a peer that can be found only by its key: the Filter Accept List does not know its address, so
    /// the host listens for it. Whom the controller resolves, it finds by itself.
    var listensForPeers: Bool {
        wishes.peers.contains { bonds.mayBePrivate($0) && !resolving.resolves($0) }
    }
}
