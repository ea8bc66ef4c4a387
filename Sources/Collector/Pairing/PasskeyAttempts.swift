// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// How often the passkeys of the configuration were risked in vain without an operator. An impostor in the sensor's
/// place learns about two of the twenty bits each time, so the attempts are limited. Core 5.4, Vol 3, Part H, 2.3.5.6.3.
///
/// Counted by rule, not by sensor, because an impostor can use many addresses.
struct PasskeyAttempts {
    /// Limit of failed pairings in a row.
    static let limit = 3

    private struct Tally {
        let passkey: Secret
        var failures = 0
    }

    /// By the rule's key.
    private var tallies: [String: Tally] = [:]

    /// Whether an automatic pairing may use the rule's passkey again. True for a rule without a passkey.
    func allows(_ rule: SensorRule) -> Bool { failures(rule) < Self.limit }

    /// A pairing begins. It counts as failed until it succeeds, because the link may end before the result comes.
    mutating func risked(_ rule: SensorRule) {
        guard let passkey = rule.passkey else { return }
        tallies[rule.key] = Tally(passkey: passkey, failures: min(failures(rule) + 1, Self.limit))
    }

    /// The pairing has not begun after all.
    mutating func withdrew(_ rule: SensorRule) {
        guard let passkey = rule.passkey else { return }
        tallies[rule.key] = Tally(passkey: passkey, failures: max(failures(rule) - 1, 0))
    }

    /// A pairing has succeeded, or an operator pairs.
    mutating func reset(_ rule: SensorRule) { tallies[rule.key] = nil }

    /// 0 for a passkey that was not tried so far.
    private func failures(_ rule: SensorRule) -> Int {
        guard let tally = tallies[rule.key], tally.passkey == rule.passkey else { return 0 }
        return tally.failures
    }
}
