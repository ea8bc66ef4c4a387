// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// How often the passkeys of the configuration were risked in vain without an operator. An impostor in the sensor's place
/// learns about two of the twenty bits each time, so the trials are limited. Core 5.4, Vol 3, Part H, 2.3.5.6.3.
///
/// Counted by rule, not by sensor: an impostor has as many addresses as it likes.
struct PasskeyTrials {
    /// Pairings in a row that may fail.
    static let limit = 3

    private struct Tally {
        let passkey: Secret
        var failures = 0
    }

    /// By the rule's key.
    private var tallies: [String: Tally] = [:]

    /// Whether the rule's passkey, if it has one, may be tried once more by itself.
    func allows(_ rule: SensorRule) -> Bool { failures(rule) < Self.limit }

    /// A pairing begins. It counts until it has succeeded: the link may end before anybody hears how it went.
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

    /// Nothing is known of a passkey that was not tried yet.
    private func failures(_ rule: SensorRule) -> Int {
        guard let tally = tallies[rule.key], tally.passkey == rule.passkey else { return 0 }
        return tally.failures
    }
}
