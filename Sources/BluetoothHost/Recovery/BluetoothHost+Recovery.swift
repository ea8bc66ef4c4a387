// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCITransport
import Logging
import Synchronization

/// The host's cure for a radio that does not work: judges the radio, climbs the ladder, and reports each step.
extension BluetoothHost {
    /// Time for a helper's step. Afterwards the host tries the adapter all the same.
    static let stepLimit: Duration = .seconds(45)
    /// How long an adapter may be away after a step.
    private static let returnLimit: Duration = .seconds(60)
    /// How long the kernel may hold an adapter that it knows nothing about. An adapter answers the last of the kernel's
    /// first commands within 10 s, or never.
    private static let setupLimit: Duration = .seconds(20)

    /// Checks whether the radio works; once a turn.
    func mindRadio(at now: MonotonicTime) {
        if let trouble = watch.look(at: &machine, at: now) { recover(from: trouble, at: now) }
        guard let cure = inPlace({ watch.cure(of: $0, at: now) }) else { return }
        shared.withLock { $0.health.trouble = nil }
        record(cureBy: cure.step, after: cure.after, isRule: cure.isRule, at: now)
    }

    private func record(cureBy step: RecoveryStep?, after: Duration, isRule: Bool, at now: MonotonicTime) {
        var metadata: Logger.Metadata = ["duration.ms": "\(after.wholeMilliseconds)"]
        metadata["step"] = step.map { "\($0.rawValue)" }
        logger.notice("the radio does its work again", metadata: metadata)
        shared.withLock {
            $0.health.record(
                .cured, step: step, reason: "the radio does its work again", uptimeMs: now.wholeMilliseconds,
                lastedMs: after.wholeMilliseconds)
        }
        guard isRule else { return }
        logger.notice(
            "the scan is started again as a rule, as that has helped several times",
            metadata: ["every.ms": "\(ScanRenewal.period.wholeMilliseconds)"])
    }

    /// Reports uses that the controller never grants, if they have changed.
    func recordRefusals() {
        let uses = inPlace { $0.refusedUses }
        let refusals = uses.isEmpty ? nil : uses
        let isNews = shared.withLock { shared in
            defer { shared.health.refusals = refusals }
            return shared.health.refusals != refusals
        }
        guard isNews else { return }
        for refusal in refusals ?? [] {
            logger.warning("the controller is used as far as it goes", metadata: ["reason": "\(refusal.reason)"])
        }
    }

    /// Starts the scan again for sensors that are no longer heard, although the radio hears other devices.
    package func renewScan(because reason: String) {
        let now = MonotonicClock.now
        guard machine.isScanning else { return }
        record(.scan, because: reason, at: now)
        machine.renewScan(at: now)
    }

    /// A client waits for a link, and strangers hold links idly: see ``HostMachine/makeRoom(idleFor:at:)``.
    package func makeRoom(idleFor age: Duration) {
        guard let peer = machine.makeRoom(idleFor: age, at: MonotonicClock.now) else { return }
        logger.notice(
            "the idle link of a stranger ends for a sensor",
            metadata: ["peer": "\(peer)"])
    }

    /// The restarted scan hears the missing sensors again.
    package func scanHelped(after: Duration) {
        let now = MonotonicClock.now
        record(cureBy: .scan, after: after, isRule: watch.scanHelped(at: now), at: now)
    }

    /// Takes the ladder's next step. The transport may be closed afterwards.
    func recover(from trouble: RadioTrouble, at now: MonotonicTime) {
        var available = Set(RecoveryStep.allCases.filter(\.isOwn))
        available.formUnion(helper?.available.filter { !$0.isOwn } ?? [])
        freeze(trouble.words, at: now)
        shared.withLock { $0.health.trouble = trouble.words }
        switch watch.decide(about: trouble, available: available, at: now) {
        case .take(let step):
            record(step, because: trouble.words, at: now)
            perform(step, against: trouble, at: now)
        case .pause(let end): pause(until: end, trouble, at: now)
        }
    }

    private func record(_ step: RecoveryStep, because reason: String, at now: MonotonicTime) {
        logger.warning("the radio is brought back", metadata: ["step": "\(step.rawValue)", "reason": "\(reason)"])
        shared.withLock {
            $0.health.record(.taken, step: step, reason: reason, uptimeMs: now.wholeMilliseconds)
        }
    }

    private func pause(until end: MonotonicTime, _ trouble: RadioTrouble, at now: MonotonicTime) {
        if case .silence = trouble { return }
        logger.error(
            "nothing brings the radio back for now",
            metadata: ["reason": "\(trouble.words)", "wait.ms": "\((end - now).wholeMilliseconds)"])
        lose(TransportError(kind: .lost, message: trouble.words), at: now)
        opening.wait(until: end)
    }

    private func perform(_ step: RecoveryStep, against trouble: RadioTrouble, at now: MonotonicTime) {
        if step == .reset { port?.beginAgain() }
        guard !RadioWatch.perform(step, against: trouble, on: &machine, at: now) else { return }
        // The host lets the adapter go first, so that no helper takes an adapter in use.
        lose(TransportError(kind: .lost, message: trouble.words), at: now)
        guard step > .reopen else { return }
        opening.wait(until: now + Self.stepLimit)
        helper?.perform(step) { [weak self] failure in
            self?.perform { $0.ended(step, failure) }
        }
    }

    private func ended(_ step: RecoveryStep, _ failure: String?) {
        let now = MonotonicClock.now
        if let failure {
            logger.error("a step could not be taken", metadata: ["step": "\(step.rawValue)", "cause": "\(failure)"])
            shared.withLock {
                $0.health.record(.failed, step: step, reason: failure, uptimeMs: now.wholeMilliseconds)
            }
        }
        guard port == nil else { return }
        opening.lost(at: now)
    }

    /// Takes the next step if a step has removed the adapter and the adapter is still missing, or if the kernel holds
    /// an adapter that it knows nothing about.
    func mindReturn(at now: MonotonicTime) {
        guard port == nil, shutDownBy == nil else { return }
        if let last = watch.lastTaken, last.step == .power || last.step == .rebind {
            if now - last.at >= Self.returnLimit { recover(from: .noReturn, at: now) }
        } else if let since = opening.unfinishedSince, now - since >= Self.setupLimit {
            recover(from: .unfinished, at: now)
        }
    }
}
