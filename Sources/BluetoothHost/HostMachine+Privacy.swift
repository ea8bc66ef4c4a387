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
        privacy.set(mode, scope, identityKey: identityKey, interval: interval)
        pump(at: now)
    }

    /// Our own Identity Resolving Key, for bonded peers to recognise us by; nil where we have no private addresses.
    package var identityKey: SecretKey? { privacy.distributedKey }

    /// ``provide(randomness:at:)`` should be called: the radio waits for it.
    package var wantsRandomness: Bool { privacy.wantsRandomness }

    /// Takes octets from a generator fit for keys.
    package mutating func provide(randomness octets: [UInt8], at now: MonotonicTime) {
        privacy.provide(randomness: octets)
        pump(at: now)
    }

    var ownAddressKind: DeviceAddress.Kind {
        privacy.ownAddressKind(hasPublicAddress: controller.address.value != 0)
    }

    /// What we scan and initiate with.
    var ownAddressType: OwnAddressType { OwnAddressType(ownAddressKind, isMade: resolving.makesAddresses) }

    /// What is to be done about addresses before the radio may go on; true when it has to pause.
    mutating func planAddress(at now: MonotonicTime) -> Bool {
        privacy.setNeeded(roster.hasDemand && bonds.hasIdentityKeys)
        privacy.advance(to: now)
        // Sets take theirs one by one, when they are switched on again.
        if isOfSetsAlone { _ = privacy.makeAddress(fallback: randomAddress, at: now) }
        return resolving.wantsPause(at: now) || privacy.wantsAddressChange && !isOfSetsAlone
    }

    /// The private address is for advertising sets, which have addresses of their own; the controller keeps its own.
    private var isOfSetsAlone: Bool {
        privacy.scope == .advertising && controller.usesExtendedCommands
            && (controller.address.value != 0 || takenAddress == randomAddress)
    }

    /// Gives the controller another address if one is due. Only while it neither advertises, scans nor initiates.
    /// Extended advertising sets have addresses of their own: they get the new one when they are switched on again.
    mutating func changeAddress(at now: MonotonicTime) {
        guard !isOfSetsAlone, let address = privacy.makeAddress(fallback: randomAddress, at: now) else { return }
        submit(LESetRandomAddress(address: address), for: .randomAddress(address, advertiser: nil))
        for place in advertisers.indices { advertisers[place].hasControllerAddress(address) }
    }

    // MARK: On the air

    /// What scanning and initiating are on the air with.
    var radioAddress: DeviceAddress {
        ownAddressKind == .public ? controller.address : takenAddress ?? identityAddress
    }

    /// What we were on the air with when a link in this role was made.
    func onAirAddress(as role: LinkRole) -> DeviceAddress {
        switch role {
        case .central: initiatingAddress ?? radioAddress
        // Which set it was is said after the connection, and is told then; all have the same as a rule.
        case .peripheral: advertisers.lazy.compactMap(\.connectableAddress).first.map(concrete) ?? radioAddress
        }
    }

    /// The address that a controller's advertiser sends; those of the public kind are the controller's.
    private func concrete(_ address: DeviceAddress) -> DeviceAddress {
        address.kind == .public ? controller.address : address
    }

    /// The controller says which of its sets a link came from.
    mutating func noteAdvertiser(_ place: Int, of handle: UInt16) {
        guard links[handle]?.role == .peripheral, let address = advertisers[place].connectableAddress else { return }
        let local = concrete(address)
        links[handle]?.addresses.local = local
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
        if bonds.heard(report.address, of: identity), interests[identity] != nil {
            if let previous, previous != identity { initiator.unwant(previous) }
            initiator.want(report.address)
            hasNewTarget = true
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
        interests.keys.contains { bonds.mayBePrivate($0) && !resolving.resolves($0) }
    }
}
