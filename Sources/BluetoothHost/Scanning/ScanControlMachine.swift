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

/// Brings the controller's scanner to its wanted state, one command at a time. Each command waits for the answer to the
/// last: after a refusal, the next answer would mean something else.
package struct ScanControlMachine: Sendable {
    package enum Effect: Hashable, Sendable {
        /// The scan is off meanwhile.
        case setParameters(ScanSetup)
        /// The scan begins with the parameters set just before.
        case enable(ScanSetup)
        case stop
    }

    /// The controller refused a command.
    package struct Refusal: Equatable, Sendable {
        package let effect: Effect
        package let status: HCIStatus
        /// The controller will refuse the command again.
        package let isFinal: Bool
        /// The other uses of the radio are the cause.
        package var isOfCombination = false
    }

    /// The pause after a refusal that may pass.
    package static let retryDelay: Duration = .seconds(1)
    /// After this many refusals in a row, a refusal is final.
    package static let refusalLimit = 3
    /// The pause after a final refusal. Each further refusal doubles it, up to `lastPause`.
    package static let firstPause: Duration = .seconds(60)
    /// The pause after a final refusal of a scan that has worked.
    package static let patience: Duration = .seconds(10)
    package static let lastPause: Duration = .seconds(600)

    /// The running scan, as far as known.
    package private(set) var running: ScanSetup?
    /// The last start was granted.
    package private(set) var works = false
    private var command: Effect?
    /// The parameters are set, and the scan is not on yet.
    private var prepared: ScanSetup?
    /// A start was disallowed, perhaps because an unknown scan runs.
    private var mayRun = false
    private var refusals = 0
    /// Refusals in a row beside other uses of the radio.
    private var refusalsInCompany = 0
    private var retry: MonotonicTime?
    /// The machine waits for ``retry``.
    private var waits = false
    /// The scan is to be stopped and started once more.
    private var wantsRenewal = false

    package init() {}

    package var isChanging: Bool { command != nil || prepared != nil || mayRun }

    /// When to try again after a refusal.
    package var deadline: MonotonicTime? { command == nil && waits ? retry : nil }

    /// Stops and starts the scan, although the controller claims a running scan.
    package mutating func renew() { wantsRenewal = running != nil }

    /// The next start need not wait for the end of a pause, because it will be another command.
    package mutating func startAnew() { (refusals, refusalsInCompany, retry) = (0, 0, nil) }

    /// The refusals so far are expected to pass: the next start comes sooner.
    package mutating func bePatient(at now: MonotonicTime) { retry = now + Self.patience }

    /// The next command towards a scan with `setup`, or towards no scan. A running scan is stopped before a change of
    /// its timing, because controllers refuse new parameters during a scan.
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

    /// Takes the status of the command from ``next(wanted:at:)``. `isAlone`: no other use of the radio can be the
    /// reason for a refusal.
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
            // Command Disallowed: no scan runs. An unknown scan is stopped only to be on the safe side.
            guard running != nil, status != .commandDisallowed else {
                (running, mayRun) = (nil, false)
                return nil
            }
        } else {
            // After refused parameters, an unknown scan may run as well. Only a stop brings certainty.
            mayRun = status == .commandDisallowed
            if isAlone || !status.mayPass { works = false }
        }
        // Beside other uses, the combination is at fault, and is learned as a combination.
        if isAlone || !status.mayPass { refusals += 1 } else { refusalsInCompany += 1 }
        let isOfCombination = !isAlone && command != .stop && status.isOfCombination(after: refusalsInCompany)
        let isFinal = !status.mayPass || refusals >= Self.refusalLimit
        if isFinal { refusals = max(refusals, Self.refusalLimit) }
        let doublings = min(max(0, refusals - Self.refusalLimit), 6)
        retry = now + (isFinal ? min(Self.firstPause * (1 << doublings), Self.lastPause) : Self.retryDelay)
        return Refusal(effect: command, status: status, isFinal: isFinal, isOfCombination: isOfCombination)
    }
}

extension HCIStatus {
    /// The controller may grant the command a moment later, in another state.
    var mayPass: Bool {
        [
            .hardwareFailure, .memoryCapacityExceeded, .connectionLimitExceeded, .connectionAlreadyExists,
            .commandDisallowed, .connectionRejectedLimitedResources, .unspecifiedError, .controllerBusy,
        ].contains(self)
    }

    /// Whether the other uses of the radio are the cause of a refusal. Command Disallowed says so. Controllers have other
    /// statuses for it, too, which may also pass by themselves: so many refusals in a row are no accident.
    func isOfCombination(after refusals: Int) -> Bool { self == .commandDisallowed || mayPass && refusals >= 3 }
}
