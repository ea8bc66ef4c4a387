// SPDX-License-Identifier: Apache-2.0

/// The points of a sensor's quantities, for the page.
package struct Chart: Codable, Equatable, Sendable {
    package struct Line: Codable, Equatable, Sendable {
        package var quantity: String
        package var unit: String?
        package var name: String
        /// Each point: milliseconds since 1970, lowest, mean, highest.
        package var points: [[Double]]

        package init(quantity: String, unit: String?, name: String, points: [[Double]]) {
            (self.quantity, self.unit, self.name, self.points) = (quantity, unit, name, points)
        }
    }

    package var sensor: String
    package var range: String
    package var stepS: Int64
    /// Milliseconds since 1970; nil while the time is not known.
    package var from: Int64?
    package var to: Int64?
    package var series: [Line]

    package init(sensor: String, range: String, stepS: Int64, from: Int64?, to: Int64?, series: [Line]) {
        (self.sensor, self.range, self.stepS) = (sensor, range, stepS)
        (self.from, self.to, self.series) = (from, to, series)
    }
}
