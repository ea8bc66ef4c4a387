// SPDX-License-Identifier: Apache-2.0

import Limits

/// A limit of a sensor, for the status.
package struct LimitStatus: Codable, Equatable, Sendable {
    /// The sensor, as in topics.
    package var sensor: String
    /// The field's key in payloads; nil for silence.
    package var quantity: String?
    package var side: LimitSide
    /// In the quantity's unit; seconds for silence.
    package var limit: Double
    package var isCrossed: Bool
    /// The value that crossed the limit; nil inside, and for silence.
    package var value: Double?
    /// Milliseconds since the crossing began; nil inside.
    package var ageMs: Int64?

    package init(
        sensor: String, quantity: String?, side: LimitSide, limit: Double, isCrossed: Bool, value: Double? = nil,
        ageMs: Int64? = nil
    ) {
        (self.sensor, self.quantity, self.side, self.limit) = (sensor, quantity, side, limit)
        (self.isCrossed, self.value, self.ageMs) = (isCrossed, value, ageMs)
    }
}
