// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// What keeps the gateway from pairing by itself: passkeys that failed, and the operator's word that a bond is to go.
struct PairingRestraint {
    /// A sensor that was unpaired is not paired with by itself for so long.
    private static let unpairedPause = DispatchTimeInterval.seconds(60)

    var trials = PasskeyTrials()
    /// Until when sensors of a rule are not paired with by themselves, by the rule's key.
    private var holds: [String: DispatchTime] = [:]

    /// An operator has just unpaired a sensor of the rule. Holds that are over are forgotten.
    mutating func unpaired(_ rule: SensorRule, at now: DispatchTime) {
        holds = holds.filter { $0.value > now }
        holds[rule.key] = now + Self.unpairedPause
    }

    /// Until when sensors of the rule are left alone; nil where nothing keeps them.
    func hold(of rule: SensorRule) -> DispatchTime? { holds[rule.key] }
}
