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

/// Keeps the controller's scanner as it should be, one command at a time: each waits for the answer to the one before, whose
/// refusal would make the next answer mean something else.
package struct ScanControlMachine: Sendable {
    package enum Effect: Hashable, Sendable {
        /// The scan is off meanwhile.
        case setParameters(ScanSetup)
        /// The scan begins with the parameters that were set just before.
        case enable(ScanSetup)
        case stop
    }

    /// The controller refused a command.
    package struct Refusal: Equatable, Sendable {
        package let effect: Effect
        package let status: HCIStatus
        /// The controller will refuse the same command again.
        package let isFinal: Bool
    }

    /// After a refusal that may pass.
    package static let retryDelay: Duration = .seconds(1)
    /// Refusals in a row that may pass.
    package static let refusalLimit = 3
    /// After a final refusal; doubled with each one more, up to the last.
    package static let firstPause: Duration = .seconds(60)
    /// After a final refusal of a scan that has worked.
    package static let patience: Duration = .seconds(10)
    package static let lastPause: Duration = .seconds(600)

    /// What the controller does, as far as is known.
    package private(set) var running: ScanSetup?
    /// The last start was granted.
    package private(set) var works = false
    private var command: Effect?
    /// The parameters are set, and the scan is not on yet.
    private var prepared: ScanSetup?
    /// A start was disallowed, perhaps because a scan runs that nobody here knows of.
    private var mayRun = false
    private var refusals = 0
    private var retry: MonotonicTime?
    /// ``retry`` is waited for.
    private var waits = false
    /// It is to be stopped and started once more.
    private var wantsRenewal = false

    package init() {}

    package var isChanging: Bool { command != nil || prepared != nil || mayRun }

    /// When to try again after a refusal.
    package var deadline: MonotonicTime? { command == nil && waits ? retry : nil }

    /// Has it stopped and started, though it says that it runs as it should.
    package mutating func renew() { wantsRenewal = running != nil }

    /// The next start need not wait for the end of a pause: it will be another command.
    package mutating func startAnew() { (refusals, retry) = (0, nil) }

    /// The refusals so far are to pass: the next start comes sooner.
    package mutating func bePatient(at now: MonotonicTime) { retry = now + Self.patience }

    /// What to do so that the scanner runs with `setup`, or not at all. A running scanner is stopped before its timing
    /// changes: controllers refuse new parameters meanwhile.
    package mutating func next(wanted setup: ScanSetup?, at now: MonotonicTime) -> Effect? {
        guard command == nil else { return nil }
        command = step(towards: setup, at: now)
        return command
    }

    private mutating func step(towards setup: ScanSetup?, at now: MonotonicTime) -> Effect? {
        waits = false
        let prepared = prepared
        self.prepared = nil
        if let prepared, prepared == setup { return .enable(prepared) }
        if mayRun { return .stop }
        guard running != setup || wantsRenewal else { return nil }
        if let retry, retry > now {
            waits = true
            return nil
        }
        wantsRenewal = false
        return running != nil ? .stop : setup.map { .setParameters($0) }
    }

    /// Takes the status of the command that ``next(wanted:at:)`` asked for; `isAlone`: nothing else uses the radio that could
    /// be why it is refused.
    package mutating func answered(_ status: HCIStatus, isAlone: Bool = true, at now: MonotonicTime) -> Refusal? {
        guard let command else { return nil }
        self.command = nil
        guard status == .success else { return refused(command, status, isAlone: isAlone, at: now) }
        switch command {
        case .setParameters(let setup): prepared = setup
        case .enable(let setup):
            (running, works) = (setup, true)
            startAnew()
        case .stop: (running, mayRun) = (nil, false)
        }
        return nil
    }

    private mutating func refused(
        _ command: Effect, _ status: HCIStatus, isAlone: Bool, at now: MonotonicTime
    ) -> Refusal? {
        if command == .stop {
            // Command Disallowed: it does not run. A scan that nobody has started is stopped to be on the safe side.
            guard running != nil, status != .commandDisallowed else {
                (running, mayRun) = (nil, false)
                return nil
            }
        } else {
            // After new parameters it may be the same: only a stop brings certainty.
            mayRun = status == .commandDisallowed
            if isAlone || !status.mayPass { works = false }
        }
        // Beside others it is their common fault, and is learned as such.
        if isAlone || !status.mayPass { refusals += 1 }
        let isFinal = !status.mayPass || refusals >= Self.refusalLimit
        if isFinal { refusals = max(refusals, Self.refusalLimit) }
        let doublings = min(max(0, refusals - Self.refusalLimit), 6)
        retry = now + (isFinal ? min(Self.firstPause * (1 << doublings), Self.lastPause) : Self.retryDelay)
        return Refusal(effect: command, status: status, isFinal: isFinal)
    }
}

extension HCIStatus {
    /// The controller may grant the same command a moment later, in another state.
    var mayPass: Bool {
        [
            .hardwareFailure, .memoryCapacityExceeded, .connectionLimitExceeded, .connectionAlreadyExists,
            .commandDisallowed, .connectionRejectedLimitedResources, .unspecifiedError, .controllerBusy,
        ].contains(self)
    }
}
