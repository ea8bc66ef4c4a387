// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import SMP

/// The addresses by which peers know us, and the addresses on the air: the controller's public address, our static
/// random address, and private addresses. A new address counts when the controller has accepted it.
struct OwnAddresses: Sendable {
    private(set) var privacy = PrivacyMachine()
    /// The random address for a controller without a public address, or if we hide the public address.
    private(set) var random: DeviceAddress
    /// Peers know us by ``random``, whatever address the controller has.
    private(set) var hidesPublicAddress: Bool
    /// The random address that the controller has accepted; nil: none.
    private var taken: DeviceAddress?
    /// Our address on the air as the initiator, since the last command that began to initiate.
    private var initiating: DeviceAddress?

    init(random: DeviceAddress, hidesPublicAddress: Bool) {
        (self.random, self.hidesPublicAddress) = (random, hidesPublicAddress)
    }

    /// The controller is set up. Without a public address, the controller has ``random``.
    mutating func restart(with controller: ControllerInformation) {
        taken = controller.hasAddress ? nil : random
        initiating = nil
        privacy.restart()
    }

    /// Changes our identity at the next set-up. `key`: for our private addresses; nil: there are none any more.
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

    /// Chooses the address for advertising, scanning and initiating. `identityKey`: our own, made once.
    mutating func set(
        _ mode: PrivacyMachine.Mode, _ scope: PrivacyMachine.Scope, identityKey: SecretKey, interval: Duration
    ) {
        privacy.set(mode, scope, identityKey: identityKey, interval: interval)
    }

    mutating func provide(randomness octets: [UInt8]) { privacy.provide(randomness: octets) }

    /// True if the radio has to pause for another address.
    mutating func plan(
        _ need: PrivacyMachine.Need, for controller: ControllerInformation, at now: MonotonicTime
    ) -> Bool {
        privacy.setNeed(need, at: now)
        privacy.advance(to: now)
        // Each set gets its address when it is switched on again.
        guard isOfSetsAlone(controller) else { return privacy.wantsAddressChange }
        _ = privacy.makeAddress(fallback: random, at: now)
        return false
    }

    /// The controller's next random address, if a change is due. Advertising sets have addresses of their own.
    mutating func nextAddress(for controller: ControllerInformation, at now: MonotonicTime) -> DeviceAddress? {
        isOfSetsAlone(controller) ? nil : privacy.makeAddress(fallback: random, at: now)
    }

    /// The private address is for advertising sets, which have addresses of their own. The controller keeps its
    /// address.
    private func isOfSetsAlone(_ controller: ControllerInformation) -> Bool {
        privacy.scope == .advertising && controller.usesExtendedCommands && (controller.hasAddress || taken == random)
    }

    mutating func controllerTook(_ address: DeviceAddress) { taken = address }

    /// The controller has refused the address from ``nextAddress(for:at:)``.
    mutating func refused(at now: MonotonicTime) { privacy.refused(at: now) }

    // MARK: On the air

    /// The address by which peers know us.
    func identity(with controller: ControllerInformation) -> DeviceAddress {
        controller.hasAddress ? controller.address : random
    }

    /// The address to advertise with: with privacy, a private address as soon as possible.
    func advertised(with controller: ControllerInformation) -> DeviceAddress {
        guard privacy.mode != .off, let address = privacy.address else { return identity(with: controller) }
        return address
    }

    /// The kind of the address for scanning and initiating.
    func radioKind(with controller: ControllerInformation) -> DeviceAddress.Kind {
        privacy.ownAddressKind(hasPublicAddress: controller.hasAddress)
    }

    /// The address on the air for scanning and initiating.
    func radio(with controller: ControllerInformation) -> DeviceAddress {
        radioKind(with: controller) == .public ? controller.address : taken ?? identity(with: controller)
    }

    mutating func beginsToInitiate(with controller: ControllerInformation) { initiating = radio(with: controller) }

    /// Our address on the air when a link in this role was made. `advertised`: the address of a connectable advertiser;
    /// nil: no advertiser is connectable.
    func onAir(
        as role: LinkRole, advertised: DeviceAddress?, with controller: ControllerInformation
    ) -> DeviceAddress {
        switch role {
        case .central: initiating ?? radio(with: controller)
        case .peripheral: advertised.map(controller.concrete) ?? radio(with: controller)
        }
    }
}
