// SPDX-License-Identifier: Apache-2.0

import Collector
import Gateway
import Journal
import Operations
import Readings

/// The newest points of each sensor's numbers: of the last hour by minutes, and of the last day by five minutes. The
/// sources are the values in the page's regular looks at the status, the file of the charts, and values of earlier runs
/// still in the journal. Bounded: 40 octets a point of a quantity.
struct ChartBook: Sendable {
    /// Points of five minutes: a day.
    static let steps: Int64 = 288
    /// Points of a minute. Some are beyond the hour, so that the hour is whole when it is written.
    static let minutes: Int64 = 70
    /// Quantities of all sensors together; further quantities are not drawn.
    static let maximumSeries = 1_000

    struct Key: Hashable {
        var sensor: String
        var quantity: String
    }

    private var series: [Key: ChartSeries] = [:]
    /// The quantities that the status shows, for each sensor with values.
    private var shown: [String: Set<String>] = [:]
    /// Hours since 1970 with points that the file does not have.
    private var unkept: Set<Int64> = []

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
        for key in Array(series.keys) {
            series[key]?.forget(before: now)
            if series[key]?.isEmpty == true { series[key] = nil }
        }
    }

    /// Adds numbers of earlier runs. `now`: milliseconds since 1970.
    mutating func add(_ numbers: [BufferedNumbers.Number], at now: Int64) {
        for number in numbers where Self.day(before: now).contains(number.unixMs) {
            add(number.number, number.quantity, number.unit, of: number.sensor, in: number.unixMs, at: now)
        }
    }

    /// Adds points of the file. `now`: milliseconds since 1970.
    mutating func add(_ blocks: [ChartBlock], at now: Int64) {
        for block in blocks {
            let key = Key(sensor: block.sensor, quantity: block.quantity)
            guard series[key] != nil || series.count < Self.maximumSeries else { continue }
            series[key, default: ChartSeries(unit: block.unit)].add(block.points, of: block.tier)
            series[key]?.forget(before: now)
        }
    }

    /// The time range of the points in memory: milliseconds since 1970.
    static func day(before now: Int64) -> Range<Int64> {
        let step = ChartTier.fiveMinutes.step * 1_000
        let first = (ChartTier.fiveMinutes.step(at: now) - steps + 1) * step
        return first..<max(first, now)
    }

    private mutating func add(
        _ number: Double, _ field: DecodedField, of sensor: String, came uptime: Int64, at now: Int64
    ) {
        let key = Key(sensor: sensor, quantity: field.quantity)
        guard series[key].map({ $0.newest < uptime }) ?? true else { return }
        add(number, field.quantity, field.unit, of: sensor, in: now, at: now)
        series[key]?.newest = uptime
    }

    /// - Parameter unix: The time of the number, in milliseconds since 1970.
    private mutating func add(
        _ number: Double, _ quantity: String, _ unit: String?, of sensor: String, in unix: Int64, at now: Int64
    ) {
        let key = Key(sensor: sensor, quantity: quantity)
        guard series[key] != nil || series.count < Self.maximumSeries, number.isFinite else { return }
        series[key, default: ChartSeries(unit: unit)].add(number, at: unix, now: now)
        unkept.insert(ChartTier.fiveMinutes.block(at: unix))
    }

    // MARK: - The file

    /// The blocks that the file does not have: of hours that are over, or of all. Calls for them again after ``keep(_:)``
    /// only if new numbers came. `now`: milliseconds since 1970.
    func unkeptBlocks(at now: Int64, all: Bool) -> (hours: Set<Int64>, blocks: [ChartBlock]) {
        let present = ChartTier.fiveMinutes.block(at: now)
        let hours = unkept.filter { all || $0 < present }
        guard !hours.isEmpty else { return ([], []) }
        let newest = ChartTier.minutes.block(at: now)
        var blocks: [ChartBlock] = []
        for (key, series) in series {
            for hour in hours {
                // Older minutes are not kept: the fine chart is that of the last hour.
                let tiers: [ChartTier] = hour >= newest - 1 ? [.fiveMinutes, .minutes] : [.fiveMinutes]
                for tier in tiers {
                    let points = series.points(of: tier, in: hour)
                    guard !points.isEmpty else { continue }
                    blocks.append(
                        ChartBlock(
                            tier: tier, block: hour, sensor: key.sensor, quantity: key.quantity, unit: series.unit,
                            points: points))
                }
            }
        }
        return (hours, blocks)
    }

    /// The file has the points of these hours. `now`: milliseconds since 1970.
    mutating func keep(_ hours: Set<Int64>, at now: Int64) {
        // The present hour goes on.
        unkept.subtract(hours.filter { $0 < ChartTier.fiveMinutes.block(at: now) })
    }

    // MARK: - Charts

    /// The points of a sensor in memory, by quantity. Leaves out quantities of this run that the status no longer
    /// shows: only one packet has named the quantity, or an operator has removed it.
    func points(of sensor: String, _ tier: ChartTier) -> [String: (unit: String?, points: [ChartPoint])] {
        var found: [String: (unit: String?, points: [ChartPoint])] = [:]
        for (key, series) in series where key.sensor == sensor && isShown(key, series) {
            found[key.quantity] = (series.unit, series.points(of: tier))
        }
        return found
    }

    /// Whether a quantity of the file belongs on a chart.
    func isShown(_ quantity: String, of sensor: String) -> Bool {
        let key = Key(sensor: sensor, quantity: quantity)
        return series[key].map { isShown(key, $0) } ?? true
    }

    private func isShown(_ key: Key, _ series: ChartSeries) -> Bool {
        series.newest == .min || shown[key.sensor]?.contains(key.quantity) ?? true
    }

    /// The page's chart of a sensor's last day, by quantity.
    func chart(of sensor: String) -> Chart {
        Chart(sensor: sensor, .day, points(of: sensor, .fiveMinutes))
    }
}
