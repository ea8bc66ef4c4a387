// SPDX-License-Identifier: Apache-2.0

import Journal

/// The points of a quantity in memory.
struct ChartSeries: Sendable {
    private struct Point {
        var step: Int64
        var low: Double
        var high: Double
        var sum: Double
        var count: Int32
    }

    var unit: String?
    /// Time of the newest value, in milliseconds since boot: each value counts once.
    var newest: Int64 = .min
    private var fiveMinutes: [Point] = []
    private var minutes: [Point] = []

    init(unit: String?) { self.unit = unit }

    var isEmpty: Bool { fiveMinutes.isEmpty && minutes.isEmpty }

    /// Times are milliseconds since 1970.
    mutating func add(_ number: Double, at unix: Int64, now: Int64) {
        let tier = ChartTier.fiveMinutes
        Self.add(Point(step: tier.step(at: unix), low: number, high: number, sum: number, count: 1), to: &fiveMinutes)
        let minute = ChartTier.minutes.step(at: unix)
        guard minute > ChartTier.minutes.step(at: now) - ChartBook.minutes else { return }
        Self.add(Point(step: minute, low: number, high: number, sum: number, count: 1), to: &minutes)
    }

    mutating func add(_ points: [ChartPoint], of tier: ChartTier) {
        for point in points {
            let point = Point(step: point.step, low: point.low, high: point.high, sum: point.mean, count: 1)
            switch tier {
            case .minutes: Self.add(point, to: &minutes)
            case .fiveMinutes: Self.add(point, to: &fiveMinutes)
            case .hours: break
            }
        }
    }

    private static func add(_ point: Point, to points: inout [Point]) {
        // Search from the newest point: a late number is from the journal, or the clock was set back.
        let place = points.lastIndex { $0.step <= point.step }
        guard let place, points[place].step == point.step else {
            return points.insert(point, at: place.map { $0 + 1 } ?? 0)
        }
        points[place].low = min(points[place].low, point.low)
        points[place].high = max(points[place].high, point.high)
        points[place].sum += point.sum
        points[place].count &+= point.count
    }

    /// `now`: milliseconds since 1970.
    mutating func forget(before now: Int64) {
        Self.forget(upTo: ChartTier.fiveMinutes.step(at: now) - ChartBook.steps, in: &fiveMinutes)
        Self.forget(upTo: ChartTier.minutes.step(at: now) - ChartBook.minutes, in: &minutes)
    }

    private static func forget(upTo step: Int64, in points: inout [Point]) {
        // Points are in the order of time, so a look at the first point is mostly enough.
        guard let first = points.first, first.step <= step else { return }
        points.removeAll { $0.step <= step }
    }

    func points(of tier: ChartTier) -> [ChartPoint] {
        switch tier {
        case .minutes: minutes.map(Self.point)
        case .fiveMinutes: fiveMinutes.map(Self.point)
        case .hours:
            ChartPoint.joined(fiveMinutes.map(Self.point), by: ChartTier.hours.step / ChartTier.fiveMinutes.step)
        }
    }

    /// The points of a block.
    func points(of tier: ChartTier, in block: Int64) -> [ChartPoint] {
        let steps = block * tier.blockLength..<(block + 1) * tier.blockLength
        return (tier == .minutes ? minutes : fiveMinutes).filter { steps.contains($0.step) }.map(Self.point)
    }

    private static func point(_ point: Point) -> ChartPoint {
        // A mean is no more exact than its values.
        let mean = (point.sum / Double(max(point.count, 1)) * 10_000).rounded() / 10_000
        return ChartPoint(step: point.step, low: point.low, mean: mean, high: point.high)
    }
}
