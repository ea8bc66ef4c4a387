// SPDX-License-Identifier: Apache-2.0

/// How fine the points of a chart are, and for how long the file keeps them. Points are stored in blocks.
package enum ChartTier: Int64, CaseIterable, Sendable {
    case minutes = 0
    case fiveMinutes = 1
    case hours = 2

    /// Seconds of a point.
    package var step: Int64 {
        switch self {
        case .minutes: 60
        case .fiveMinutes: 300
        case .hours: 3_600
        }
    }

    /// Points of a block: an hour of the finer tiers, and a day of hours.
    package var blockLength: Int64 {
        switch self {
        case .minutes: 60
        case .fiveMinutes: 12
        case .hours: 24
        }
    }

    /// Blocks that the file keeps: 2 hours, 8 days, 32 days. The present block is among them.
    package var keptBlocks: Int64 {
        switch self {
        case .minutes: 2
        case .fiveMinutes: 8 * 24
        case .hours: 32
        }
    }

    /// The step of a time. `unix`: milliseconds since 1970.
    package func step(at unix: Int64) -> Int64 { unix / 1_000 / step }

    /// The block of a time. `unix`: milliseconds since 1970.
    package func block(at unix: Int64) -> Int64 { step(at: unix) / blockLength }
}
