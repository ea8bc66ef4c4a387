// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// The reasons against an automatic pairing: failed passkeys, and the operator's command to remove a bond.
struct PairingRestraint {
    /// After its bond was removed, a sensor is not paired automatically for this time.
    private static let unpairedPause = DispatchTimeInterval.seconds(60)

    var attempts = PasskeyAttempts()
    /// The time until which the sensors of a rule are not paired automatically, by the rule's key.
    private var holds: [String: DispatchTime] = [:]

    /// An operator has just unpaired a sensor of the rule. Forgets expired holds.
    mutating func unpaired(_ rule: SensorRule, at now: DispatchTime) {
        holds = holds.filter { $0.value > now }
        holds[rule.key] = now + Self.unpairedPause
    }

    /// The time until which sensors of the rule are left alone; nil: no hold.
    func hold(of rule: SensorRule) -> DispatchTime? { holds[rule.key] }
}
