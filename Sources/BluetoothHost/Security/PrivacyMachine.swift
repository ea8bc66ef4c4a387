// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP

/// Decides our address on the air, and when it changes. Core 5.4, Vol 3, Part C, 10.7.
///
/// The controller accepts another random address only while it neither advertises, scans nor initiates. The radio's
/// plan pauses all three uses while ``wantsAddressChange`` holds, and then sends the address of
/// ``makeAddress(fallback:at:)``.
package struct PrivacyMachine: Sendable {
    package enum Mode: Equatable, Sendable {
        /// The identity address.
        case off
        /// Addresses that bonded peers recognise.
        case resolvable
        /// Addresses that no peer recognises, for scanning and for non-connectable advertising.
        case nonResolvable
    }

    /// The uses with private addresses.
    package enum Scope: Sendable {
        case everything
        /// Advertising, and only while a bonded peer may recognise us by our key. Scanning and initiating have the
        /// identity address. If a controller has one random address for all uses, they share the private address.
        case advertising
    }

    /// The need for private addresses with ``Scope/advertising``.
    package enum Need: Sendable {
        /// Nothing is advertised.
        case none
        /// We advertise, and no peer has our key. A present private address stays for ``PrivacyMachine/farewell``: a
        /// Central that has just heard the address connects to the address.
        case advertising
        /// We advertise, and a bonded peer may recognise us by our key.
        case recognition
    }

    /// Core 5.4, Vol 3, Part C, Appendix A: TGAP(private_addr_int).
    package static let rotationInterval: Duration = .seconds(900)
    /// The stay of a private address that no peer needs any more. A peer that knows only our own address waits so long.
    package static let farewell: Duration = .seconds(10)
    /// After a refusal of the controller.
    package static let retryDelay: Duration = .seconds(1)
    /// Random octets for an address, and the most octets in store.
    private static let addressOctets = 8
    private static let storeCapacity = 64

    private var wish = Mode.off
    package private(set) var scope = Scope.everything
    private var need = Need.none
    /// The end of the stay of a private address that no peer needs any more.
    private var stayEnd: MonotonicTime?
    /// The private address's time is over then.
    private var renewal: MonotonicTime?
    /// The private address in use, or the identity address after private addresses; nil before the first change.
    package private(set) var address: DeviceAddress?
    package private(set) var wantsAddressChange = false
    /// When ``advance(to:)`` has to be called.
    package var deadline: MonotonicTime? {
        guard let stayEnd, let renewal else { return stayEnd ?? renewal }
        return min(stayEnd, renewal)
    }
    private var identityKey = SecretKey.zero
    private var interval = Self.rotationInterval
    private var randomness: [UInt8] = []

    package init() {}

    /// Changes the mode. The address follows in the radio's next pause. `identityKey`: our own.
    package mutating func set(
        _ mode: Mode, _ scope: Scope = .everything, identityKey: SecretKey,
        interval: Duration = Self.rotationInterval
    ) {
        let interval = max(interval, .seconds(1))
        guard mode != wish || scope != self.scope || identityKey != self.identityKey || interval != self.interval
        else { return }
        let old = self.mode
        (wish, self.scope, self.identityKey, self.interval) = (mode, scope, identityKey, interval)
        stayEnd = nil
        changed(from: old)
    }

    /// Counts with ``Scope/advertising``.
    package mutating func setNeed(_ need: Need, at now: MonotonicTime) {
        guard need != self.need else { return }
        let old = mode
        self.need = need
        // A new bond within the stay keeps the address, and the address's own time.
        let stays = scope == .advertising && need == .advertising && old != .off && renewal != nil
        stayEnd = stays ? now + Self.farewell : nil
        if mode != old { changed(from: old) }
    }

    private mutating func changed(from old: Mode) {
        // The controller may still have private addresses.
        wantsAddressChange = wantsAddressChange || mode != .off || old != .off
        renewal = nil
    }

    /// The mode in effect now.
    package var mode: Mode { scope == .everything || need == .recognition || stayEnd != nil ? wish : .off }

    /// There are private addresses now, or may be later.
    package var isWanted: Bool { wish != .off }

    /// Our own key, by which peers recognise us; nil without resolvable addresses of ours.
    package var distributedKey: SecretKey? { wish == .resolvable && identityKey != .zero ? identityKey : nil }

    /// The controller was set up anew, and has no private address.
    package mutating func restart() {
        address = nil
        (renewal, stayEnd) = (nil, nil)
        wantsAddressChange = mode != .off
    }

    // MARK: Randomness

    /// ``provide(randomness:)`` should be called: nothing is sent under the old address meanwhile.
    package var wantsRandomness: Bool { mode != .off && randomness.count < Self.addressOctets }

    /// Takes octets from a generator fit for keys. Octets beyond the store's capacity are left out.
    package mutating func provide(randomness octets: [UInt8]) {
        randomness += octets.prefix(Self.storeCapacity - randomness.count)
    }

    // MARK: Addresses

    package mutating func advance(to now: MonotonicTime) {
        guard let deadline, deadline <= now else { return }
        (renewal, stayEnd) = (nil, nil)
        wantsAddressChange = true
    }

    /// The address to use from now on; nil without randomness, or if no change is wanted. `fallback`: the static random
    /// address of this installation.
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
            renewal = now + interval
        }
        address = made
        wantsAddressChange = false
        return made
    }

    /// The controller refused the address.
    package mutating func refused(at now: MonotonicTime) {
        guard mode != .off else { return }
        renewal = now + Self.retryDelay
    }

    /// The kind of the controller's address for scanning and initiating. `hasPublicAddress`: the controller has a
    /// public address.
    package func ownAddressKind(hasPublicAddress: Bool) -> DeviceAddress.Kind {
        (mode == .off || scope == .advertising) && hasPublicAddress ? .public : .random
    }
}
