// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCITransport
import Logging
import Synchronization

/// What the host does about a radio that does not do its work: judges it, climbs the ladder, and says so.
extension BluetoothHost {
    /// How long a helper may take for a step, before the adapter is tried all the same.
    static let stepLimit: Duration = .seconds(45)
    /// How long an adapter may be away after a step.
    private static let returnLimit: Duration = .seconds(60)

    /// Looks whether the radio does its work; once a turn.
    func mindRadio(at now: MonotonicTime) {
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
        machine.probe(due.map { $0 <= now } ?? false, at: now)
        liveness.scans(machine.isScanning, at: now)
        if let trouble = liveness.trouble(at: now) { recover(from: trouble, at: now) }
        noteCure(at: now)
    }

    private func noteCure(at now: MonotonicTime) {
        guard ladder.isClimbing, machine.state == .ready, !isSilent, let cure = ladder.noteEffect(at: now) else {
            return
        }
        silentSince = nil
        var metadata: Logger.Metadata = ["duration.ms": "\(cure.after.wholeMilliseconds)"]
        metadata["step"] = cure.step.map { "\($0.rawValue)" }
        logger.notice("the radio does its work again", metadata: metadata)
        shared.withLock {
            $0.health.trouble = nil
            $0.health.note(
                .cured, step: cure.step, reason: "the radio does its work again",
                uptimeMs: now.wholeMilliseconds, lastedMs: cure.after.wholeMilliseconds)
        }
    }

    /// A silence is what the last step was for, and nothing was heard since.
    private var isSilent: Bool {
        guard let silentSince else { return false }
        return liveness.lastHeard.map { $0 < silentSince } ?? true
    }

    /// Does what the ladder says. The transport may be closed afterwards.
    func recover(from trouble: RadioTrouble, at now: MonotonicTime) {
        var available = Set(RecoveryStep.allCases.filter(\.isOwn))
        available.formUnion(helper?.available.filter { !$0.isOwn } ?? [])
        if case .silence = trouble { silentSince = silentSince ?? now } else { silentSince = nil }
        shared.withLock { $0.health.trouble = trouble.words }
        switch ladder.decide(about: trouble, available: available, at: now) {
        case .take(let step):
            note(step, against: trouble, at: now)
            take(step, against: trouble, at: now)
        case .pause(let end): pause(until: end, trouble, at: now)
        }
    }

    private func note(_ step: RecoveryStep, against trouble: RadioTrouble, at now: MonotonicTime) {
        logger.warning(
            "the radio is brought back", metadata: ["step": "\(step.rawValue)", "reason": "\(trouble.words)"])
        shared.withLock {
            $0.health.note(.taken, step: step, reason: trouble.words, uptimeMs: now.wholeMilliseconds)
        }
    }

    private func pause(until end: MonotonicTime, _ trouble: RadioTrouble, at now: MonotonicTime) {
        if case .silence = trouble {
            // Perhaps there is nobody to hear: it counts as quiet from here on.
            liveness.giveUp(at: now)
            return
        }
        logger.error(
            "nothing brings the radio back for now",
            metadata: ["reason": "\(trouble.words)", "wait.ms": "\((end - now).wholeMilliseconds)"])
        lose(TransportError(kind: .lost, message: trouble.words), at: now)
        opening.wait(until: end)
    }

    private func take(_ step: RecoveryStep, against trouble: RadioTrouble, at now: MonotonicTime) {
        if step == .scan || silentSince != nil { liveness.prove(at: now) }
        switch step {
        case .scan: machine.renewScan(at: now)
        case .reset:
            machine.counters.restarts += 1
            if machine.state == .ready { machine.fail(trouble.words) }
            port?.beginAgain()
            machine.start(at: now)
        case .reopen: lose(TransportError(kind: .lost, message: trouble.words), at: now)
        case .power, .rebind, .process, .reboot:
            // The adapter is let go first: nobody takes it from under us.
            lose(TransportError(kind: .lost, message: trouble.words), at: now)
            opening.wait(until: now + Self.stepLimit)
            helper?.take(step) { [weak self] failure in
                self?.perform { $0.ended(step, failure) }
            }
        }
    }

    private func ended(_ step: RecoveryStep, _ failure: String?) {
        let now = MonotonicClock.now
        if let failure {
            logger.error("a step could not be taken", metadata: ["step": "\(step.rawValue)", "cause": "\(failure)"])
            shared.withLock {
                $0.health.note(.failed, step: step, reason: failure, uptimeMs: now.wholeMilliseconds)
            }
        }
        guard port == nil else { return }
        opening.lost(at: now)
    }

    /// A step has taken the adapter away, and it is still not there: the next step, if there is one.
    func mindReturn(at now: MonotonicTime) {
        guard port == nil, shutDownBy == nil, let step = ladder.lastStep, step == .power || step == .rebind,
            let taken = ladder.lastTaken, now - taken >= Self.returnLimit
        else { return }
        recover(from: .noReturn, at: now)
    }
}
