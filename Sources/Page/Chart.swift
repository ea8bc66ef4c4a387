// SPDX-License-Identifier: Apache-2.0

import Journal
import Operations
import Readings

/// How far back a chart of the page goes.
extension ChartRange {
    /// Seconds.
    var length: Int64 {
        switch self {
        case .hour: 3_600
        case .day: 86_400
        case .week: 7 * 86_400
        case .month: 31 * 86_400
        }
    }

    /// The tier of its points.
    var tier: ChartTier {
        switch self {
        case .hour: .minutes
        case .day, .week: .fiveMinutes
        case .month: .hours
        }
    }

    /// Points of the tier that one point of the chart joins: a chart has 400 points at most.
    var factor: Int64 {
        switch self {
        case .hour, .day: 1
        case .week: 6
        case .month: 2
        }
    }

    /// Seconds of a point.
    var step: Int64 { tier.step * factor }

    /// Milliseconds since 1970: from the first whole step to now.
    func times(before now: Int64) -> ClosedRange<Int64> {
        let first = (now / 1_000 / step - length / step + 1) * step * 1_000
        return min(first, now)...now
    }
}

extension Chart {
    /// - Parameter lines: By quantity; the points are in order, with the steps of the range's tier.
    init(
        sensor: String, _ range: ChartRange, _ lines: [String: (unit: String?, points: [ChartPoint])],
        now: Int64? = nil
    ) {
        let times = now.map { range.times(before: $0) }
        let series: [Line] = lines.sorted { $0.key < $1.key }.compactMap { quantity, line in
            let points = ChartPoint.joined(line.points, by: range.factor).map { point in
                [Double(point.step * range.step * 1_000), point.low, Self.rounded(point.mean), point.high]
            }.filter { point in times.map { $0.contains(Int64(point[0])) } ?? true }
            guard !points.isEmpty else { return nil }
            return Line(
                quantity: quantity, unit: line.unit, name: Quantity(key: quantity)?.details.name ?? quantity,
                points: points)
        }
        self.init(
            sensor: sensor, range: range.rawValue, stepS: range.step, from: times?.lowerBound, to: times?.upperBound,
            series: series)
    }

    /// A mean is no more exact than its values.
    private static func rounded(_ mean: Double) -> Double { (mean * 10_000).rounded() / 10_000 }
}
