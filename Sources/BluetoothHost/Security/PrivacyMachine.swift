// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP

/// Which address we are on the air with, and when it changes. Core 5.4, Vol 3, Part C, 10.7.
///
/// The controller takes another random address only while it neither advertises, scans nor initiates: the radio's plan
/// pauses all of that while ``wantsAddressChange`` holds, and then sends the address of ``makeAddress(fallback:at:)``.
package struct PrivacyMachine: Sendable {
    package enum Mode: Equatable, Sendable {
        /// The identity address.
        case off
        /// Addresses that bonded peers recognise.
        case resolvable
        /// Addresses that nobody recognises: for scanning and for advertising that cannot be connected to.
        case nonResolvable
    }

    /// What has private addresses.
    package enum Scope: Sendable {
        case everything
        /// Advertising, and only while some bonded peer may recognise us by our key. Scanning and initiating have the
        /// identity address; where a controller has one random address for all of that, they share the private one.
        case advertising
    }

    /// Core 5.4, Vol 3, Part C, Appendix A: TGAP(private_addr_int).
    package static let rotationInterval: Duration = .seconds(900)
    /// After a refusal of the controller.
    package static let retryDelay: Duration = .seconds(1)
    /// Random octets that one address needs, and that may be in store.
    private static let addressOctets = 8
    private static let storeCapacity = 64

    private var wish = Mode.off
    package private(set) var scope = Scope.everything
    /// Somebody is advertised for; counts with ``Scope/advertising``.
    private var isNeeded = false
    /// The private address in use, or the identity address after private ones; nil when nothing was ever changed.
    package private(set) var address: DeviceAddress?
    package private(set) var wantsAddressChange = false
    /// When ``advance(to:)`` has to be called.
    package private(set) var deadline: MonotonicTime?
    private var identityKey = SecretKey.zero
    private var interval = Self.rotationInterval
    private var randomness: [UInt8] = []

    package init() {}

    /// Changes the mode; the address follows as soon as the radio has a pause. `identityKey`: our own.
    package mutating func set(
        _ mode: Mode, _ scope: Scope = .everything, identityKey: SecretKey,
        interval: Duration = Self.rotationInterval
    ) {
        let interval = max(interval, .seconds(1))
        guard mode != wish || scope != self.scope || identityKey != self.identityKey || interval != self.interval
        else { return }
        let old = self.mode
        (wish, self.scope, self.identityKey, self.interval) = (mode, scope, identityKey, interval)
        changed(from: old)
    }

    /// With ``Scope/advertising``: whether anybody may recognise a private address of ours now.
    package mutating func setNeeded(_ isNeeded: Bool) {
        guard isNeeded != self.isNeeded else { return }
        let old = mode
        self.isNeeded = isNeeded
        if mode != old { changed(from: old) }
    }

    private mutating func changed(from old: Mode) {
        // Private addresses may be in the controller still.
        wantsAddressChange = wantsAddressChange || mode != .off || old != .off
        deadline = nil
    }

    /// What counts now.
    package var mode: Mode { scope == .everything || isNeeded ? wish : .off }

    /// There are private addresses now, or may be later.
    package var isWanted: Bool { wish != .off }

    /// Our own key, for peers to recognise us by; nil where no address of ours can be resolved.
    package var distributedKey: SecretKey? { wish == .resolvable && identityKey != .zero ? identityKey : nil }

    /// The controller was set up anew: it knows no private address.
    package mutating func restart() {
        address = nil
        deadline = nil
        wantsAddressChange = mode != .off
    }

    // MARK: Randomness

    /// ``provide(randomness:)`` should be called: nothing is sent under the old address meanwhile.
    package var wantsRandomness: Bool { mode != .off && randomness.count < Self.addressOctets }

    /// Takes octets from a generator fit for keys; those beyond the store's capacity are left out.
    package mutating func provide(randomness octets: [UInt8]) {
        randomness += octets.prefix(Self.storeCapacity - randomness.count)
    }

    // MARK: Addresses

    package mutating func advance(to now: MonotonicTime) {
        guard let deadline, deadline <= now else { return }
        self.deadline = nil
        wantsAddressChange = true
    }

    /// The address to use from now on; nil while there is no randomness, or when no change is wanted. `fallback`: the
    /// static random address of this installation.
    package mutating func makeAddress(fallback: DeviceAddress, at now: MonotonicTime) -> DeviceAddress? {
        guard wantsAddressChange else { return nil }
        let made: DeviceAddress
        switch mode {
        case .off: made = fallback
        case .resolvable, .nonResolvable:
            guard randomness.count >= Self.addressOctets else { return nil }
            let random = randomness.suffix(Self.addressOctets).reduce(0) { $0 << 8 | UInt64($1) }
            randomness.removeLast(Self.addressOctets)
            made =
                mode == .resolvable
                ? .resolvable(identityKey, random: UInt32(truncatingIfNeeded: random))
                : .nonResolvable(random: random)
            deadline = now + interval
        }
        address = made
        wantsAddressChange = false
        return made
    }

    /// The controller refused the address.
    package mutating func refused(at now: MonotonicTime) {
        guard mode != .off else { return }
        deadline = now + Self.retryDelay
    }

    /// Which of its two addresses the controller is to scan and initiate with. `hasPublicAddress`: it has one.
    package func ownAddressKind(hasPublicAddress: Bool) -> DeviceAddress.Kind {
        (mode == .off || scope == .advertising) && hasPublicAddress ? .public : .random
    }
}
