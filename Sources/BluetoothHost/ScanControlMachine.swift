// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// How the controller listens.
package struct ScanSetup: Hashable, Sendable {
    package var timing: ScanTiming
    /// Asks advertisers for their scan responses.
    package var isActive: Bool

    package init(timing: ScanTiming, isActive: Bool = true) {
        self.timing = timing
        self.isActive = isActive
    }

    package static let continuous = Self(timing: .continuous)
    package static let shared = Self(timing: .shared)
}

/// Keeps the controller's scanner as it should be, one change at a time.
package struct ScanControlMachine: Sendable {
    package enum Effect: Equatable, Sendable {
        case start(ScanSetup)
        case stop
    }

    package static let retryDelay: Duration = .seconds(1)

    /// What the controller does, as far as is known.
    package private(set) var running: ScanSetup?
    private var target: Effect?
    private var retry: MonotonicTime?
    /// It is to be stopped and started once more.
    private var wantsRenewal = false

    package init() {}

    package var isChanging: Bool { target != nil }

    /// A start waits for its answer.
    var isStarting: Bool { if case .start = target { true } else { false } }

    /// When to try again after an error.
    package var deadline: MonotonicTime? { target == nil ? retry : nil }

    /// Has it stopped and started, though it says that it runs as it should.
    package mutating func renew() { wantsRenewal = running != nil }

    /// What to do so that the scanner runs with `setup`, or not at all. A running scanner is stopped before its timing
    /// changes: controllers refuse new parameters meanwhile.
    package mutating func next(wanted setup: ScanSetup?, at now: MonotonicTime) -> Effect? {
        guard target == nil else { return nil }
        guard running != setup || wantsRenewal else {
            retry = nil
            return nil
        }
        if let retry, retry > now { return nil }
        retry = nil
        wantsRenewal = false
        let effect: Effect
        if running != nil {
            effect = .stop
        } else if let setup {
            effect = .start(setup)
        } else {
            return nil
        }
        target = effect
        return effect
    }

    /// Takes the status of Scan Enable; `isAlone`: nothing else uses the radio that could be why it is refused.
    package mutating func answered(_ status: HCIStatus, isAlone: Bool = true, at now: MonotonicTime) {
        guard let target else { return }
        self.target = nil
        guard status == .success else {
            retry = now + Self.retryDelay
            // Command Disallowed to a start means that it runs already; to a stop, that it does not.
            if status == .commandDisallowed { running = target == .stop || !isAlone ? nil : .continuous }
            return
        }
        switch target {
        case .start(let setup): running = setup
        case .stop: running = nil
        }
    }
}
