// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Health
import Readings

/// The settings of a running collector; an operator may change them.
struct CollectorSettings: Sendable {
    var rules: [SensorRule]
    var security: SensorSecurity
    /// Sensors are asked for their maker and model.
    var readsInformation: Bool
    /// Advice names the commands of this installation.
    let installation: Installation

    init(
        _ rules: [SensorRule], _ security: SensorSecurity, readsInformation: Bool, on installation: Installation
    ) {
        self.rules = rules.map(\.withProfile)
        self.security = security
        self.readsInformation = readsInformation
        self.installation = installation
    }

    /// The operator's facts about single sensors, by `<dev>`.
    var facts: [String: OperatorFacts] {
        let known = rules.filter { $0.facts != OperatorFacts() }.compactMap { rule -> (String, OperatorFacts)? in
            let device = rule.id ?? rule.address.map { DeviceAddress(kind: .public, value: $0).compact }
            return device.map { ($0, rule.facts) }
        }
        return Dictionary(known) { first, _ in first }
    }
}

/// The time limits of a collector: constant for its life.
struct CollectorLimits: Sendable {
    var silence: SilenceLimits
    var slots: SlotLimits
    var claims: ClaimLimits
    /// Between automatic pairings with a sensor, while they fail.
    var pairingPauses: ClosedRange<Duration>
    /// How long an indicated value may wait for the disk before its link is given up.
    var confirmation: Duration
    /// How long readings of a wake-up may wait for room in the journal. Twice this time must be shorter than the host's
    /// patience with a manager that handles nothing, 5 s.
    var room: Duration = .seconds(2)
}
