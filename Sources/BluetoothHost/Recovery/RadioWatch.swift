// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Judges by its effect whether the radio works, and decides the next step: ``LivenessMachine`` and ``RecoveryLadder``
/// on one ``HostMachine``. Without I/O and clocks.
package struct RadioWatch: Sendable {
    private var liveness: LivenessMachine
    private var ladder = RecoveryLadder()
    private var renewal = ScanRenewal()
    /// Since when the host mends a silence of the radio.
    private var silentSince: MonotonicTime?
    /// When a scan for a sign of life is due.
    private var probeDeadline: MonotonicTime?
    /// The counts that ``liveness`` knows already.
    private var knownReports: UInt64 = 0
    private var knownPackets: UInt64 = 0

    package init(_ limits: LivenessLimits = LivenessLimits()) { liveness = LivenessMachine(limits) }

    /// When ``look(at:at:)`` has to be called without new input.
    package var deadline: MonotonicTime? {
        .earlier(.earlier(liveness.deadline, probeDeadline), renewal.deadline)
    }

    /// When the scanner last heard an advertisement.
    package var lastHeard: MonotonicTime? { liveness.lastHeard }

    /// When the last packet on a link came.
    package var lastReceived: MonotonicTime? { liveness.lastReceived }

    /// The last step against the present trouble, and its time.
    package var lastTaken: (step: RecoveryStep, at: MonotonicTime)? {
        guard let step = ladder.lastStep, let time = ladder.lastTaken else { return nil }
        return (step, time)
    }

    /// Looks at the host's counters since the last call; once a turn. Returns the trouble, if any.
    package mutating func look(at machine: inout HostMachine, at now: MonotonicTime) -> RadioTrouble? {
        if machine.counters.advertisingReports != knownReports {
            knownReports = machine.counters.advertisingReports
            liveness.heard(at: now)
        }
        if machine.counters.aclPacketsReceived != knownPackets {
            knownPackets = machine.counters.aclPacketsReceived
            liveness.received(at: now)
        }
        let due = machine.wantsConnections ? liveness.probeDue(at: now) : nil
        probeDeadline = due.flatMap { $0 > now ? $0 : nil }
        if renewal.isDue(isScanning: machine.isScanning, at: now) { machine.renewScan(at: now) }
        machine.probe(due.map { $0 <= now } ?? false, at: now)
        liveness.bears(machine.slots.used)
        liveness.scans(machine.isScanning, at: now)
        return liveness.trouble(at: now)
    }

    /// Decides about a trouble.
    /// - Parameter available: The steps that are possible now.
    package mutating func decide(
        about trouble: RadioTrouble, available: Set<RecoveryStep>, at now: MonotonicTime
    ) -> RecoveryLadder.Decision {
        var isSilence = false
        if case .silence = trouble { isSilence = true }
        silentSince = isSilence ? silentSince ?? now : nil
        let decision = ladder.decide(about: trouble, available: available, at: now)
        switch decision {
        case .take(let step): if step == .scan || isSilence { liveness.prove(at: now) }
        // Perhaps there is nothing to hear. From here on, the place counts as quiet.
        case .pause: if isSilence { liveness.giveUp(at: now) }
        }
        return decision
    }

    /// Takes a step that needs only the host; false for other steps.
    package static func perform(
        _ step: RecoveryStep, against trouble: RadioTrouble, on machine: inout HostMachine, at now: MonotonicTime
    ) -> Bool {
        switch step {
        case .scan: machine.renewScan(at: now)
        case .reset:
            machine.counters.restarts += 1
            if machine.state == .ready { machine.fail(trouble.words) }
            machine.start(at: now)
        case .reopen, .power, .rebind, .process, .reboot: return false
        }
        return true
    }

    /// The radio works again. Returns the step that has helped (nil if none was needed) and the duration of the
    /// trouble; nil if there was no trouble, or if the trouble goes on. `isRule`: as in ``scanHelped(at:)``.
    package mutating func cure(of machine: HostMachine, at now: MonotonicTime) -> (
        step: RecoveryStep?, after: Duration, isRule: Bool
    )? {
        guard ladder.isClimbing, machine.state == .ready, !isSilent, let cure = ladder.recordEffect(at: now) else {
            return nil
        }
        silentSince = nil
        return (cure.step, cure.after, cure.step == .scan && scanHelped(at: now))
    }

    /// A restart of the scan has helped. True: from now on, restarts happen as a rule.
    package mutating func scanHelped(at now: MonotonicTime) -> Bool { renewal.helped(at: now) }

    /// The last step was against a silence, and the silence goes on.
    private var isSilent: Bool {
        guard let silentSince else { return false }
        return liveness.lastHeard.map { $0 < silentSince } ?? true
    }
}
