// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The question which of two devices is a sensor, until the operator answers or the other device falls silent.
struct PlaceContest: Equatable, Sendable {
    /// Milliseconds between two decisions on a claim, at least.
    private static let pause: Int64 = 1_000

    /// The question, and the answer that the operator can give; nil without a question.
    private(set) var text: String?
    private var other: String?
    /// The time of the last decision on the claim, in milliseconds since boot.
    private var decidedAt: Int64?

    var isOpen: Bool { text != nil }
    /// The address of the device that claims to be the sensor.
    var claimant: String? { isOpen ? other : nil }

    /// Another device claims to be the sensor, too.
    mutating func open(_ text: String, by claimant: String?) { (self.text, other) = (text, claimant) }

    mutating func settle() { (text, other) = (nil, nil) }

    /// Whether to decide on the claim now: once a second at most, however many packets come.
    mutating func takeDecision(at now: Int64) -> Bool {
        if let decidedAt, now.subtractingSaturated(decidedAt) < Self.pause { return false }
        decidedAt = now
        return true
    }
}
