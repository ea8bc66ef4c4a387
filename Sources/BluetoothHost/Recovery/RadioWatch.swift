// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Judges by its effect whether the radio does its work, and says what is to be done next: ``LivenessMachine`` and
/// ``RecoveryLadder`` on one ``HostMachine``. Without I/O and clocks.
package struct RadioWatch: Sendable {
    private var liveness: LivenessMachine
    private var ladder = RecoveryLadder()
    private var renewal = ScanRenewal()
    /// A silence of the radio is being mended since then.
    private var silentSince: MonotonicTime?
    /// When a scan for a sign of life is due.
    private var probeDeadline: MonotonicTime?
    /// What ``liveness`` was told of.
    private var knownReports: UInt64 = 0
    private var knownPackets: UInt64 = 0

    package init(_ limits: LivenessLimits = LivenessLimits()) { liveness = LivenessMachine(limits) }

    /// When ``look(at:at:)`` has to be called, though nothing came in.
    package var deadline: MonotonicTime? {
        [liveness.deadline, probeDeadline, renewal.deadline].compactMap { $0 }.min()
    }

    /// When something was heard last.
    package var lastHeard: MonotonicTime? { liveness.lastHeard }

    /// The last step that was taken against the trouble under way, and when.
    package var lastTaken: (step: RecoveryStep, at: MonotonicTime)? {
        guard let step = ladder.lastStep, let time = ladder.lastTaken else { return nil }
        return (step, time)
    }

    /// Looks at what the host has heard since the last time; once a turn. Returns what is wrong.
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

    /// What is to be done about a trouble.
    /// - Parameter available: The steps that can be taken at all, now.
    package mutating func decide(
        about trouble: RadioTrouble, available: Set<RecoveryStep>, at now: MonotonicTime
    ) -> RecoveryLadder.Decision {
        var isSilence = false
        if case .silence = trouble { isSilence = true }
        silentSince = isSilence ? silentSince ?? now : nil
        let decision = ladder.decide(about: trouble, available: available, at: now)
        switch decision {
        case .take(let step): if step == .scan || isSilence { liveness.prove(at: now) }
        // Perhaps there is nobody to hear: it counts as quiet from here on.
        case .pause: if isSilence { liveness.giveUp(at: now) }
        }
        return decision
    }

    /// Takes a step that needs nothing but the host. False: it is none of these.
    package static func take(
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

    /// The radio does its work again: the step that has helped, nil where none was needed, and how long the trouble has lasted. Nil
    /// where there was no trouble, or is still. `isRule`: as ``scanHelped(at:)``.
    package mutating func cure(of machine: HostMachine, at now: MonotonicTime) -> (
        step: RecoveryStep?, after: Duration, isRule: Bool
    )? {
        guard ladder.isClimbing, machine.state == .ready, !isSilent, let cure = ladder.noteEffect(at: now) else {
            return nil
        }
        silentSince = nil
        return (cure.step, cure.after, cure.step == .scan && scanHelped(at: now))
    }

    /// Starting the scan again has brought something back. True: from now on that is done as a rule.
    package mutating func scanHelped(at now: MonotonicTime) -> Bool { renewal.helped(at: now) }

    /// A silence is what the last step was for, and nothing was heard since.
    private var isSilent: Bool {
        guard let silentSince else { return false }
        return liveness.lastHeard.map { $0 < silentSince } ?? true
    }
}
