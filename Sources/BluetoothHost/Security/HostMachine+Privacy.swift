// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import SMP

/// Private addresses: our own addresses on the air, and the identities behind the peers' addresses.
extension HostMachine {
    // MARK: Our own

    /// Chooses the address for advertising, scanning and initiating. `identityKey`: our own, made once.
    package mutating func setPrivacy(
        _ mode: PrivacyMachine.Mode, _ scope: PrivacyMachine.Scope = .everything, identityKey: SecretKey,
        interval: Duration = PrivacyMachine.rotationInterval, at now: MonotonicTime
    ) {
        addresses.set(mode, scope, identityKey: identityKey, interval: interval)
        pump(at: now)
    }

    /// Our own Identity Resolving Key, by which bonded peers recognise us; nil without private addresses.
    package var identityKey: SecretKey? { addresses.privacy.distributedKey }

    /// ``provide(randomness:at:)`` should be called, because the radio waits for it.
    package var wantsRandomness: Bool { addresses.privacy.wantsRandomness }

    /// Takes octets from a generator fit for keys.
    package mutating func provide(randomness octets: [UInt8], at now: MonotonicTime) {
        addresses.provide(randomness: octets)
        pump(at: now)
    }

    /// The address type for scanning and initiating.
    var ownAddressType: OwnAddressType {
        OwnAddressType(addresses.radioKind(with: controller), isMade: resolving.makesAddresses)
    }

    /// Plans changes of addresses; true if the radio has to pause for a change.
    mutating func planAddress(at now: MonotonicTime) -> Bool {
        let need: PrivacyMachine.Need =
            advertising.hasDemand ? bonds.hasIdentityKeys ? .recognition : .advertising : .none
        let isDue = addresses.plan(need, for: controller, at: now)
        return isDue || resolving.wantsPause(at: now)
    }

    /// Gives the controller another address if a change is due. Only while the controller neither advertises, scans nor
    /// initiates.
    mutating func changeAddress(at now: MonotonicTime) {
        guard let address = addresses.nextAddress(for: controller, at: now) else { return }
        submit(LESetRandomAddress(address: address), for: .randomAddress(address, advertiser: nil))
        advertising.controllerHas(address)
    }

    // MARK: On the air

    /// The address by which peers know us.
    package var identityAddress: DeviceAddress { addresses.identity(with: controller) }

    /// Our private addresses.
    package var privacy: PrivacyMachine { addresses.privacy }

    /// Our address on the air when a link in this role is made.
    func onAirAddress(as role: LinkRole) -> DeviceAddress {
        // The set is known only after the connection, and its address is noted then. As a rule, all sets share an
        // address.
        addresses.onAir(as: role, advertised: advertising.connectableAddress, with: controller)
    }

    // MARK: Peers

    /// Replaces the address of a bonded peer's report by the peer's identity address.
    mutating func identify(_ report: AdvertisingReport) -> AdvertisingReport {
        // The controller has resolved the address. If the host has not given the controller this identity, the address
        // is an ordinary address.
        guard !report.isResolved else { return report }
        let identity = bonds.identity(of: report.address)
        guard bonds.mayBePrivate(identity) else { return report }
        if identity != report.address, resolving.resolves(identity) { resolvingFailed(identity) }
        let previous = bonds.currentAddress(of: identity)
        if bonds.heard(report.address, of: identity), wishes.isWanted(identity) {
            if let previous, previous != identity { initiator.unwant(previous) }
            initiator.want(report.address)
            wishes.recordNewTarget()
        }
        return identity == report.address ? report : report.identified(as: identity)
    }

    /// Wants a link to a peer under every address that the peer may use on the air.
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

    /// A client wants a peer that only its key can find. The Filter Accept List does not know such a peer's address, so
    /// the host listens for the peer. Peers in the resolving list are found by the controller.
    var listensForPeers: Bool {
        wishes.peers.contains { bonds.mayBePrivate($0) && !resolving.resolves($0) }
    }
}
