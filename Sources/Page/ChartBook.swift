// SPDX-License-Identifier: Apache-2.0

import Collector
import Gateway
import Readings

/// The last day of each sensor's numbers, for small charts: lowest, mean and highest number of each five minutes. The
/// sources are the values in the page's regular looks at the status, and values of earlier runs still in the journal.
/// Only in memory, and bounded: 40 octets for five minutes of a quantity.
struct ChartBook: Sendable {
    /// Seconds.
    static let step: Int64 = 300
    static let steps: Int64 = 288
    /// Quantities of all sensors together; further quantities are not drawn.
    static let maximumSeries = 1_000

    private struct Key: Hashable {
        var sensor: String
        var quantity: String
    }

    private struct Point {
        /// Steps since 1970.
        var step: Int64
        var low: Double
        var high: Double
        var sum: Double
        var count: Int32
    }

    private struct Series {
        var unit: String?
        var points: [Point] = []
        /// Time of the newest value, in milliseconds since boot: each value counts once.
        var newest: Int64 = .min

        mutating func add(_ number: Double, in step: Int64) {
            // Search from the newest point: a late number is from the journal, or the clock was set back.
            let place = points.lastIndex { $0.step <= step }
            guard let place, points[place].step == step else {
                let point = Point(step: step, low: number, high: number, sum: number, count: 1)
                return points.insert(point, at: place.map { $0 + 1 } ?? 0)
            }
            points[place].low = min(points[place].low, number)
            points[place].high = max(points[place].high, number)
            points[place].sum += number
            points[place].count += 1
        }
    }

    private var series: [Key: Series] = [:]
    /// The quantities that the status shows, for each sensor with values.
    private var shown: [String: Set<String>] = [:]

    /// Adds the sensors' new values. `now`: milliseconds since 1970.
    mutating func add(_ sensors: [SensorStatus], at now: Int64) {
        shown = [:]
        for sensor in sensors {
            let quantities = sensor.values.flatMap { $0.fields?.map(\.quantity) ?? [] }
            if !quantities.isEmpty { shown[sensor.id] = Set(quantities) }
            for value in sensor.values {
                for field in value.fields ?? [] {
                    guard case .number(let number) = field.value else { continue }
                    add(number, field, of: sensor.id, came: value.uptimeMs, at: now)
                }
            }
        }
        let first = Self.lastForgotten(at: now)
        // Points are in the order of time, so a look at the first point of a series is mostly enough.
        for (key, known) in series where (known.points.first?.step ?? first) <= first {
            series[key]?.points.removeAll { $0.step <= first }
            if series[key]?.points.isEmpty == true { series[key] = nil }
        }
    }

    /// Adds numbers of earlier runs. `now`: milliseconds since 1970.
    mutating func add(_ numbers: [BufferedNumbers.Number], at now: Int64) {
        for number in numbers where Self.day(before: now).contains(number.unixMs) {
            add(number.number, number.quantity, number.unit, of: number.sensor, in: number.unixMs / 1000 / Self.step)
        }
    }

    /// The time range of charts: milliseconds since 1970.
    static func day(before now: Int64) -> Range<Int64> {
        let first = (lastForgotten(at: now) + 1) * step * 1000
        return first..<max(first, now)
    }

    /// The last step before the charts' range.
    private static func lastForgotten(at now: Int64) -> Int64 { now / 1000 / step - steps }

    private mutating func add(
        _ number: Double, _ field: DecodedField, of sensor: String, came uptime: Int64, at now: Int64
    ) {
        let key = Key(sensor: sensor, quantity: field.quantity)
        guard series[key].map({ $0.newest < uptime }) ?? true else { return }
        add(number, field.quantity, field.unit, of: sensor, in: now / 1000 / Self.step)
        series[key]?.newest = uptime
    }

    private mutating func add(
        _ number: Double, _ quantity: String, _ unit: String?, of sensor: String, in step: Int64
    ) {
        let key = Key(sensor: sensor, quantity: quantity)
        guard series[key] != nil || series.count < Self.maximumSeries, number.isFinite else { return }
        series[key, default: Series(unit: unit)].add(number, in: step)
    }

    /// The page's chart of a sensor, by quantity. Leaves out quantities of this run that the status no longer shows:
    /// only one packet has named the quantity, or an operator has removed it.
    func chart(of sensor: String) -> Chart {
        let known = shown[sensor]
        let found = series.filter { key, series in
            guard key.sensor == sensor else { return false }
            return series.newest == .min || known?.contains(key.quantity) ?? true
        }.sorted { $0.key.quantity < $1.key.quantity }
        return Chart(
            sensor: sensor, stepS: Self.step,
            series: found.map { key, series in
                Chart.Line(
                    quantity: key.quantity, unit: series.unit,
                    name: Quantity(key: key.quantity)?.details.name ?? key.quantity,
                    points: series.points.map { point in
                        [
                            Double(point.step * Self.step * 1000), point.low,
                            Self.rounded(point.sum / Double(max(point.count, 1))), point.high,
                        ]
                    })
            })
    }

    /// A mean is no more exact than its values.
    private static func rounded(_ mean: Double) -> Double { (mean * 10_000).rounded() / 10_000 }

    struct Chart: Codable, Equatable, Sendable {
        struct Line: Codable, Equatable, Sendable {
            var quantity: String
            var unit: String?
            var name: String
            /// Each point: milliseconds since 1970, lowest, mean, highest.
            var points: [[Double]]
        }

        var sensor: String
        var stepS: Int64
        var series: [Line]
    }
}
