// SPDX-License-Identifier: Apache-2.0

@testable import GatewayBench
import Operations
import Platform
import Readings
import Testing

@testable import Collector
@testable import Gateway
@testable import Journal
@testable import Page

/// The charts over restarts, and their ranges.
struct ChartKeeperTests {
    /// A border of a day.
    private static let day: Int64 = 1_795_478_400_000
    private static let minute: Int64 = 60_000
    private static let hour: Int64 = 3_600_000

    private static func sensor(_ number: Double, came uptime: Int64) -> SensorStatus {
        var value = SensorStatus.Value(
            characteristic: "2a6e", value: "00", source: "notify", uptimeMs: uptime, unixMs: nil)
        value.fields = [DecodedField(quantity: "temperature", value: .number(number), unit: "°C")]
        return SensorStatus(
            id: "a", identifier: "", link: .collecting, readings: 1, drops: 0, reconnects: [:], missing: [],
            values: [value])
    }

    private final class Scene {
        let folder: TestFolder
        let journal: Journal

        init() throws {
            folder = try TestFolder()
            journal = try Journal(
                JournalConfiguration(path: folder.path("journal.db")), clock: .system, logger: Sample.logger)
        }

        deinit { journal.close() }

        func keeper() -> ChartKeeper {
            ChartKeeper(ChartFile(path: folder.path("charts.db"), journal: journal, logger: Sample.logger))
        }
    }

    /// Looks once a minute, with the number of the hour as the value.
    private static func look(_ keeper: ChartKeeper, from: Int64, to: Int64) async {
        for time in stride(from: from, to: to, by: Int(minute)) {
            await keeper.add([sensor(Double(time / hour % 24), came: time)], at: time, isRight: true)
        }
    }

    @Test func `each range has its own steps, and 400 points at most`() {
        for range in ChartRange.allCases {
            #expect(range.length / range.step <= 400)
            #expect((range.factor * range.tier.step) == range.step)
            let times = range.times(before: Self.day + 1)
            #expect(times.lowerBound % (range.step * 1_000) == 0 && times.upperBound == Self.day + 1)
        }
    }

    @Test func `after a stop and a start all ranges have what was there, and the pause is a gap`() async throws {
        let scene = try Scene()
        let start = Self.day - 3 * 24 * Self.hour
        let first = scene.keeper()
        let stop = Self.day + 10 * Self.hour + 17 * Self.minute
        await Self.look(first, from: start, to: stop)
        await first.finish(at: stop)
        let second = scene.keeper()
        let now = stop + 20 * Self.minute
        await Self.look(second, from: now, to: now + 3 * Self.minute)
        await second.isRead()
        for range in ChartRange.allCases {
            let chart = await second.chart(of: "a", range, at: now + 2 * Self.minute)
            #expect(chart.range == range.rawValue && chart.series.map(\.quantity) == ["temperature"])
            let points = try #require(chart.series.first?.points)
            #expect(points.map { $0[0] } == points.map { $0[0] }.sorted())
            #expect(Set(points.map { $0[0] }).count == points.count)
            let from = try #require(chart.from)
            #expect(points.allSatisfy { Int64($0[0]) >= from })
            let steps = Set(points.map { Int64($0[0]) / 1_000 / range.step })
            switch range {
            case .hour:
                // 37 minutes before the stop, and 3 after the start.
                #expect(points.count == 40)
                #expect(!steps.contains((stop + 5 * Self.minute) / 1_000 / range.step))
            case .day:
                #expect(!steps.contains((stop + 8 * Self.minute) / 1_000 / range.step))
                #expect(points.count == 285)
            case .week: #expect(Int64(points[0][0]) == start)
            case .month:
                #expect(Int64(points[0][0]) == start)
                // A point for two hours: twelve on each of three days, and six of the last morning.
                #expect(points.count == 42)
                // Two hours join: 8 and 9 of the last morning.
                #expect(points.dropLast().last?[1...] == [8, 8.5, 9])
            }
        }
    }

    @Test func `the file is written once an hour`() async throws {
        let scene = try Scene()
        let keeper = scene.keeper()
        await Self.look(keeper, from: Self.day, to: Self.day + Self.hour)
        let file = ChartFile(path: scene.folder.path("charts.db"), journal: scene.journal, logger: Sample.logger)
        let block = ChartTier.fiveMinutes.block(at: Self.day)
        #expect(await file.blocks(of: .fiveMinutes, in: block...block).isEmpty)
        await Self.look(keeper, from: Self.day + Self.hour, to: Self.day + Self.hour + Self.minute)
        #expect(await file.blocks(of: .fiveMinutes, in: block...block + 1).map(\.points.count) == [12])
        let written = scene.journal.statistics.bytesWritten
        await Self.look(keeper, from: Self.day + Self.hour + Self.minute, to: Self.day + 2 * Self.hour)
        #expect(scene.journal.statistics.bytesWritten == written)
    }

    @Test func `with a wrong clock nothing is read or written`() async throws {
        let scene = try Scene()
        let keeper = scene.keeper()
        for time in stride(from: Self.day, to: Self.day + 3 * Self.hour, by: Int(Self.minute)) {
            await keeper.add([Self.sensor(1, came: time)], at: time, isRight: false)
        }
        let file = ChartFile(path: scene.folder.path("charts.db"), journal: scene.journal, logger: Sample.logger)
        #expect(await file.blocks(of: .fiveMinutes, in: 0...ChartTier.fiveMinutes.block(at: Self.day) + 9).isEmpty)
        #expect(await keeper.chart(of: "a", .day, at: nil).series.count == 1)
    }
}
