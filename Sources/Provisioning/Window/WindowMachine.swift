// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Gateway
import Health

/// Decides when phones may pair, and with which digits. No clock, disk, radio or randomness: each call passes the time,
/// and returns effects in order.
///
/// The digits of the next attempt are settled before a phone connects, because a phone waits only 30 s for them. If a
/// screen can show digits, each attempt gets fresh digits. Otherwise the label's digits are used, and each attempt is
/// on disk before it can begin.
package struct WindowMachine: Sendable {
    package typealias Instant = ContinuousClock.Instant

    package struct Limits: Equatable, Sendable {
        /// How long a button or a command opens the window.
        package var window: Duration = .seconds(600)
        /// Failures in a row before the first pause. Browsers try up to ten times.
        package var failuresWithoutPause = 5
        /// The first pause; each later pause is twice as long.
        package var firstPause: Duration = .seconds(10)
        package var longestPause: Duration = .seconds(300)

        package init() {}
    }

    /// The means to show digits to a person.
    package struct Screens: OptionSet, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }
        /// `martlet provision open` runs.
        package static let dialogue = Self(rawValue: 1)
        package static let monitor = Self(rawValue: 2)
    }

    package enum Outcome: Equatable, Sendable {
        case paired
        case timedOut
        /// The pairing broke off after the first digits were proved, or kept no key: the digits are known now.
        case revealed
        case failed
    }

    package enum Effect: Equatable, Sendable {
        /// Make six random digits, and call ``WindowMachine/supply(_:at:)``.
        case makePasskey
        /// Has to be on disk before the following effects. If the write fails, drop these effects:
        /// ``WindowMachine/diskFailed(at:)``.
        case keep(LabelRecord)
        /// Refuse phones: pairing is not supported now.
        case refuse
        /// A phone may pair, with these digits.
        case admit(Secret)
        /// The state has changed.
        case tell
    }

    /// The last instruction to the radio.
    private enum Admission: Equatable {
        case none
        /// An attempt has begun with the admitted digits. The radio tells further phones to try later.
        case usedUp
        case fresh
        case label
    }

    package let limits: Limits
    package private(set) var label: LabelRecord?
    private var labelTrouble: String?
    private var opener: WindowState.Opener?
    private var end: Instant?
    private var isProvisioned: Bool
    private var screens: Screens = []
    private var hasCentrals = false
    private var fresh: Secret?
    private var admission = Admission.none
    /// The attempt in progress, with the label's digits or other digits.
    private var attempt: Attempt?
    private var failures = 0
    private var pauseEnd: Instant?
    private var isClosedByHand = false
    private var told = WindowState()
    /// A power cut or a crash ended an attempt in progress, as the record on disk shows. The attempt counts as failed.
    private let hadAttempt: Bool

    private struct Attempt {
        var usesLabel: Bool
    }

    /// - Parameter labelTrouble: why the label's record was lost; nil if it was not.
    package init(
        isProvisioned: Bool, label: LabelRecord?, labelTrouble: String? = nil, limits: Limits = Limits()
    ) {
        self.isProvisioned = isProvisioned
        self.label = label
        // First of all, before another call can give the attempt back.
        hadAttempt = label?.isAtRisk == true
        if hadAttempt { self.label?.fail() }
        self.labelTrouble = labelTrouble
        self.limits = limits
    }

    /// The first effects.
    package mutating func start(at now: Instant) -> [Effect] {
        let effects: [Effect] = hadAttempt ? label.map { [.keep($0)] } ?? [] : []
        return effects + settle(at: now)
    }

    // MARK: Events

    package mutating func open(
        by opener: WindowState.Opener, for duration: Duration? = nil, at now: Instant
    ) -> [Effect] {
        self.opener = opener
        isClosedByHand = false
        end = opener == .unprovisioned ? nil : now + (duration ?? limits.window)
        return settle(at: now)
    }

    package mutating func close(at now: Instant) -> [Effect] {
        shut()
        isClosedByHand = true
        return settle(at: now)
    }

    package mutating func setProvisioned(_ isProvisioned: Bool, at now: Instant) -> [Effect] {
        if self.isProvisioned != isProvisioned { isClosedByHand = false }
        self.isProvisioned = isProvisioned
        if isProvisioned, opener == .unprovisioned { shut() }
        return settle(at: now)
    }

    package mutating func setScreens(_ screens: Screens, at now: Instant) -> [Effect] {
        self.screens = screens
        return settle(at: now)
    }

    /// Whether phones are connected.
    package mutating func setHasCentrals(_ hasCentrals: Bool, at now: Instant) -> [Effect] {
        self.hasCentrals = hasCentrals
        return settle(at: now)
    }

    /// A phone was asked for these digits; nil for an attempt in which people compare other digits. Later instructions
    /// to the radio do not count: the attempt began with the earlier digits.
    package mutating func began(with passkey: Secret?, at now: Instant) -> [Effect] {
        var effects: [Effect] = []
        let usesLabel = passkey != nil && passkey == label?.passkey && fresh != passkey
        attempt = Attempt(usesLabel: usesLabel)
        admission = .usedUp
        // The label had got the attempt back after the attempt began.
        if usesLabel, var label, !label.isAtRisk {
            label.risk()
            self.label = label
            effects.append(.keep(label))
        }
        return effects + settle(at: now)
    }

    /// The attempt is over. An attempt without digits has no ``began(with:at:)``.
    package mutating func ended(_ outcome: Outcome, at now: Instant) -> [Effect] {
        var effects: [Effect] = []
        let (hadBegun, usedLabel) = (attempt != nil, attempt?.usesLabel ?? false)
        attempt = nil
        fresh = nil
        if admission == .fresh { admission = .usedUp }
        if usedLabel, var label {
            switch outcome {
            case .paired: label.succeed()
            case .revealed: label.makeVoid()
            case .failed, .timedOut: label.fail()
            }
            self.label = label
            effects.append(.keep(label))
        }
        switch outcome {
        case .paired: (failures, pauseEnd) = (0, nil)
        // A slow typist has guessed nothing, and the next fresh digits differ.
        case .timedOut: failures += usedLabel ? 1 : 0
        // Without digits there was nothing to guess.
        case .failed where !hadBegun: break
        case .failed, .revealed:
            failures += 1
            pauseEnd = pause(after: failures).map { now + $0 }
        }
        return effects + settle(at: now)
    }

    /// The digits requested by ``Effect/makePasskey``.
    package mutating func supply(_ passkey: Secret, at now: Instant) -> [Effect] {
        fresh = passkey
        return settle(at: now)
    }

    package mutating func setLabel(_ record: LabelRecord, at now: Instant) -> [Effect] {
        label = record
        labelTrouble = nil
        return [.keep(record)] + settle(at: now)
    }

    /// A required write has failed: phones may not pair with the label's digits.
    package mutating func diskFailed(at now: Instant) -> [Effect] {
        label?.makeVoid()
        labelTrouble = "the record of the label's passkey cannot be written"
        if admission == .label { admission = .none }
        return [.refuse] + settle(at: now)
    }

    package mutating func timePassed(at now: Instant) -> [Effect] { settle(at: now) }

    // MARK: State

    package var isOpen: Bool { opener != nil }

    package var state: WindowState { told }

    /// The time of the next call of ``timePassed(at:)``.
    package var deadline: Instant? {
        guard isOpen else { return nil }
        return [end, pauseEnd].compactMap(\.self).min()
    }

    /// nil: no pause.
    package func pause(after failures: Int) -> Duration? {
        guard failures >= limits.failuresWithoutPause else { return nil }
        var pause = limits.firstPause
        for _ in limits.failuresWithoutPause..<failures where pause < limits.longestPause { pause *= 2 }
        return min(pause, limits.longestPause)
    }

    private mutating func shut() {
        (opener, end, pauseEnd, fresh) = (nil, nil, nil, nil)
        failures = 0
    }

    // MARK: Settling

    private var canShow: Bool { !screens.isEmpty || opener == .owner }

    /// Settles the digits for the next phone, and the radio's instructions.
    private mutating func settle(at now: Instant) -> [Effect] {
        if let end, end <= now { shut() }
        if opener == nil, !isProvisioned, !isClosedByHand { opener = .unprovisioned }
        if let pauseEnd, pauseEnd <= now { self.pauseEnd = nil }
        var effects: [Effect] = []
        let passkey: WindowState.Passkey
        if opener == nil {
            passkey = .none("the window is closed")
            effects += refuse()
        } else if let attempt {
            // An attempt in progress continues, with the digits already shown.
            passkey = attempt.usesLabel ? .label : fresh.map { .fresh($0.revealed) } ?? .none("a phone is pairing")
        } else if pauseEnd != nil {
            let seconds = pause(after: failures)?.components.seconds ?? 0
            passkey = .none("\(failures) attempts have failed; wait \(seconds) s, then take the new passkey")
            // With used-up digits, the radio already tells phones to try later.
            if admission != .usedUp { effects += refuse() }
        } else if canShow {
            guard let fresh else { return [.makePasskey] }
            passkey = .fresh(fresh.revealed)
            if admission != .fresh || told.passkey != passkey {
                effects += recall()
                effects.append(.admit(fresh))
                admission = .fresh
            }
        } else if let label, label.isGood {
            passkey = .label
            effects += hasCentrals ? risk() : refuse()
        } else {
            passkey = .none(reason)
            effects += refuse()
        }
        let state = WindowState(opener: opener, end: end, passkey: passkey, failures: failures)
        if state != told {
            told = state
            effects.append(.tell)
        }
        return effects
    }

    private var reason: String {
        if let labelTrouble { return labelTrouble }
        let advice: Advice =
            switch label?.condition {
            case .used: "the label's passkey was used; run: \(.martlet(.provisionOpen))"
            case .void:
                "the label's passkey is void; run: \(.martlet(.provisionOpen)), or: \(.martlet(.provisionLabel))"
            case .good, nil: "nothing can show a passkey; run: \(.martlet(.provisionOpen))"
            }
        return Advice.here(advice)
    }

    /// The attempt is on disk before the radio allows it.
    private mutating func risk() -> [Effect] {
        guard var label, admission != .label else { return [] }
        label.risk()
        self.label = label
        admission = .label
        return [.keep(label), .admit(label.passkey)]
    }

    private mutating func refuse() -> [Effect] {
        defer { admission = .none }
        return (admission == .none ? [] : [.refuse]) + recall()
    }

    /// No attempt with the label's digits has begun, and none can begin now, so the record gets the attempt back.
    private mutating func recall() -> [Effect] {
        guard var label, label.isAtRisk, attempt == nil else { return [] }
        label.recall()
        self.label = label
        return [.keep(label)]
    }
}
