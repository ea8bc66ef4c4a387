// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// For how long the radio was known to hear since the start; a value. An entry's sensor that was not seen meanwhile is not there.
struct HearingTime: Equatable, Sendable {
    /// Sensors in the air are seen within this time. In milliseconds.
    private static let enough: Int64 = 10_000

    private var began: Int64?
    private var lookedAt: Int64?
    private var total: Int64 = 0

    /// - Parameters:
    ///   - heardAt: When the last advertisement of anybody came. All times in milliseconds since boot.
    mutating func look(heardAt: Int64?, at now: Int64, _ limits: SilenceLimits) {
        defer { lookedAt = now }
        began = began ?? now
        guard let lookedAt, let heardAt, now.subtractingSaturated(heardAt) <= limits.pause else { return }
        total = total.addingSaturated(max(0, now.subtractingSaturated(lookedAt)))
    }

    /// The radio has not heard for long enough, and has not had the time to find its fault.
    func isShort(at now: Int64, _ limits: SilenceLimits) -> Bool {
        total < Self.enough && now.subtractingSaturated(began ?? now) <= limits.hearing
    }
}
