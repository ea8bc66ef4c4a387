// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth

/// The time in which phones may pair, and in which the gateway advertises for them.
package protocol PairingWindow: AnyObject, Sendable {
    var state: WindowState { get }
    /// Opens it for the configured time, or anew for that.
    func open(by opener: WindowState.Opener)
    func close()
    /// Somebody has named a broker, or taken it away: only a gateway that never was provisioned has its window open by itself.
    func setProvisioned(_ isProvisioned: Bool)
    /// Calls `observer` with the state, now and whenever it changes, on one queue, until the token goes away.
    func observe(_ observer: @escaping @Sendable (WindowState) -> Void) -> WindowObservation
}

/// Ends an observation when it goes away.
package final class WindowObservation: Sendable {
    private let end: @Sendable () -> Void
    package init(_ end: @escaping @Sendable () -> Void) { self.end = end }
    deinit { end() }
}

/// What holds now.
package struct WindowState: Equatable, Sendable {
    package enum Opener: String, Codable, Sendable {
        /// Nothing was provisioned yet.
        case unprovisioned
        case button
        case command
        /// A phone that is bonded already.
        case owner
    }

    /// What the next phone that pairs has to enter.
    package enum Passkey: Equatable, Sendable {
        /// Good for one attempt, shown wherever something can show it.
        case fresh(String)
        /// That of the label; nothing shows it.
        case label
        /// Nobody may pair, for this reason, in words: the label is used up, a cool-down, nothing can show one.
        case none(String)
    }

    /// nil: closed.
    package var opener: Opener?
    /// By the continuous clock; nil while it stays open.
    package var end: ContinuousClock.Instant?
    package var passkey: Passkey
    /// Attempts that have failed since it opened.
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
