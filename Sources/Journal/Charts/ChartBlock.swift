// SPDX-License-Identifier: Apache-2.0

/// The points of a sensor's quantity in a block of time.
package struct ChartBlock: Equatable, Sendable {
    package var tier: ChartTier
    /// Blocks since 1970.
    package var block: Int64
    /// As in topics.
    package var sensor: String
    package var quantity: String
    package var unit: String?
    /// In order.
    package var points: [ChartPoint]

    package init(
        tier: ChartTier, block: Int64, sensor: String, quantity: String, unit: String?, points: [ChartPoint]
    ) {
        (self.tier, self.block, self.sensor, self.quantity) = (tier, block, sensor, quantity)
        (self.unit, self.points) = (unit, points)
    }

    /// Steps since 1970.
    var first: Int64 { block * tier.blockLength }
    var octets: [UInt8] { ChartCoding.octets(of: points, first: first, length: tier.blockLength) }
}
