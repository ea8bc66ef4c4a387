// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth

/// The time in which phones may pair and the gateway advertises for them.
package protocol PairingWindow: AnyObject, Sendable {
    var state: WindowState { get }
    /// Opens the window for the configured time; the time of an open window begins anew.
    func open(by opener: WindowState.Opener)
    func close()
    /// Whether a broker is named. Only a gateway that never was provisioned opens its window by itself.
    func setProvisioned(_ isProvisioned: Bool)
    /// Calls `observer` with the state, now and after each change, on one queue, until the token's end.
    func observe(_ observer: @escaping @Sendable (WindowState) -> Void) -> WindowObservation
}

/// Ends an observation at the end of its own life.
package final class WindowObservation: Sendable {
    private let end: @Sendable () -> Void
    package init(_ end: @escaping @Sendable () -> Void) { self.end = end }
    deinit { end() }
}

/// The present state of the window.
package struct WindowState: Equatable, Sendable {
    package enum Opener: String, Codable, Sendable {
        /// Opened by itself, because nothing was provisioned yet.
        case unprovisioned
        case button
        case command
        /// A phone with a bond.
        case owner
    }

    /// The passkey for the next phone.
    package enum Passkey: Equatable, Sendable {
        /// Good for one attempt; shown on every screen.
        case fresh(String)
        /// The label's passkey, which no screen shows.
        case label
        /// Phones may not pair, for this reason, in words: the label is used up, a cool-down, or no screen.
        case none(String)
    }

    /// Seconds until the window closes by itself, rounded down, at least 0; nil: the window is closed, or stays open.
    package var secondsLeft: Int? {
        end.map { max(0, Int(ContinuousClock.now.duration(to: $0).components.seconds)) }
    }

    /// nil: closed.
    package var opener: Opener?
    /// By the continuous clock; nil: the window stays open.
    package var end: ContinuousClock.Instant?
    package var passkey: Passkey
    /// Failed attempts since the window opened.
    package var failures = 0

    package var isOpen: Bool { opener != nil }

    package init(
        opener: Opener? = nil, end: ContinuousClock.Instant? = nil, passkey: Passkey = .none("the window is closed"),
        failures: Int = 0
    ) {
        self.opener = opener
        self.end = end
        self.passkey = passkey
        self.failures = failures
    }
}
