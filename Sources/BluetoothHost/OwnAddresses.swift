// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import SMP

/// The addresses that we are known by and that we are on the air with: the controller's public one, our static random one,
/// and private ones. An address counts when the controller has taken it, not when it is asked to.
struct OwnAddresses: Sendable {
    private(set) var privacy = PrivacyMachine()
    /// The random address to use when the controller has no public one, or we hide it.
    private(set) var random: DeviceAddress
    /// We are known by ``random``, whatever address the controller has.
    private(set) var hidesPublicAddress: Bool
    /// The random address that the controller has taken; nil: none.
    private var taken: DeviceAddress?
    /// What we are on the air with as the initiator, from the last command that began to initiate.
    private var initiating: DeviceAddress?

    init(random: DeviceAddress, hidesPublicAddress: Bool) {
        (self.random, self.hidesPublicAddress) = (random, hidesPublicAddress)
    }

    /// The controller is set up, without a public address with ``random``.
    mutating func restart(with controller: ControllerInformation) {
        taken = controller.hasAddress ? nil : random
        initiating = nil
        privacy.restart()
    }

    /// We are somebody else from the next set-up on. `key`: of our private addresses; nil: there are none any more.
    mutating func changeIdentity(to address: DeviceAddress, key: SecretKey?) {
        (random, hidesPublicAddress) = (address, true)
        guard privacy.isWanted else { return }
        if let key {
            privacy.set(.resolvable, privacy.scope, identityKey: key)
        } else {
            privacy.set(.off, identityKey: .zero)
        }
    }

    // MARK: Private addresses

    /// Chooses the address that we advertise, scan and initiate with. `identityKey`: our own, made once.
    mutating func set(
        _ mode: PrivacyMachine.Mode, _ scope: PrivacyMachine.Scope, identityKey: SecretKey, interval: Duration
    ) {
        privacy.set(mode, scope, identityKey: identityKey, interval: interval)
    }

    mutating func provide(randomness octets: [UInt8]) { privacy.provide(randomness: octets) }

    /// `isNeeded`: a peer that may recognise a private address of ours is advertised for. True when the radio has to pause
    /// for another address.
    mutating func plan(isNeeded: Bool, for controller: ControllerInformation, at now: MonotonicTime) -> Bool {
        privacy.setNeeded(isNeeded)
        privacy.advance(to: now)
        // Sets take theirs one by one, when they are switched on again.
        guard isOfSetsAlone(controller) else { return privacy.wantsAddressChange }
        _ = privacy.makeAddress(fallback: random, at: now)
        return false
    }

    /// The random address that the controller is to have from now on, if another one is due; its advertising sets have
    /// addresses of their own.
    mutating func nextAddress(for controller: ControllerInformation, at now: MonotonicTime) -> DeviceAddress? {
        isOfSetsAlone(controller) ? nil : privacy.makeAddress(fallback: random, at: now)
    }

    /// The private address is for advertising sets, which have addresses of their own; the controller keeps its own.
    private func isOfSetsAlone(_ controller: ControllerInformation) -> Bool {
        privacy.scope == .advertising && controller.usesExtendedCommands && (controller.hasAddress || taken == random)
    }

    mutating func controllerTook(_ address: DeviceAddress) { taken = address }

    /// The controller has refused the address that ``nextAddress(for:at:)`` gave.
    mutating func refused(at now: MonotonicTime) { privacy.refused(at: now) }

    // MARK: On the air

    /// The address that peers know us by.
    func identity(with controller: ControllerInformation) -> DeviceAddress {
        controller.hasAddress ? controller.address : random
    }

    /// What is advertised: with privacy a private address, as soon as there is one.
    func advertised(with controller: ControllerInformation) -> DeviceAddress {
        guard privacy.mode != .off, let address = privacy.address else { return identity(with: controller) }
        return address
    }

    /// Which of the controller's two addresses scanning and initiating have.
    func radioKind(with controller: ControllerInformation) -> DeviceAddress.Kind {
        privacy.ownAddressKind(hasPublicAddress: controller.hasAddress)
    }

    /// What scanning and initiating are on the air with.
    func radio(with controller: ControllerInformation) -> DeviceAddress {
        radioKind(with: controller) == .public ? controller.address : taken ?? identity(with: controller)
    }

    mutating func beginsToInitiate(with controller: ControllerInformation) { initiating = radio(with: controller) }

    /// What we were on the air with when a link in this role was made. `advertised`: what an advertiser that
    /// somebody may have connected to sends; nil: none does.
    func onAir(
        as role: LinkRole, advertised: DeviceAddress?, with controller: ControllerInformation
    ) -> DeviceAddress {
        switch role {
        case .central: initiating ?? radio(with: controller)
        case .peripheral: advertised.map(controller.concrete) ?? radio(with: controller)
        }
    }
}
