// SPDX-License-Identifier: Apache-2.0

/// The wishes that a running collector follows; an operator may change them.
struct CollectorSettings: Sendable {
    var rules: [SensorRule]
    var security: SensorSecurity
    /// Sensors are asked for their maker and model.
    var readsInformation: Bool

    init(_ rules: [SensorRule], _ security: SensorSecurity, readsInformation: Bool) {
        self.rules = rules.map(\.withProfile)
        self.security = security
        self.readsInformation = readsInformation
    }
}

/// The bounds of a collector's patience: they stay as they are for its life.
struct CollectorLimits: Sendable {
    var silence: SilenceLimits
    var slots: SlotLimits
    var claims: ClaimLimits
    /// Between pairings with one sensor by itself, while they fail.
    var pairingPauses: ClosedRange<Duration>
    /// How long an indicated value may wait for the disk before its link is given up.
    var confirmation: Duration
    /// How long readings of one wake-up may wait for room in the journal. Twice that must be shorter than the host's patience
    /// with a manager that handles nothing, 5 s.
    var room: Duration = .seconds(2)
}
