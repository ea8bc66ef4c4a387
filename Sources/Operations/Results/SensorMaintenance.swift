// SPDX-License-Identifier: Apache-2.0

/// The answer of `martlet maintenance`.
package struct SensorMaintenance: Codable, Equatable, Sendable {
    package var sensor: String
    /// Nil: the maintenance has ended.
    package var forMs: Int64?

    package init(sensor: String, forMs: Int64?) { (self.sensor, self.forMs) = (sensor, forMs) }
}
