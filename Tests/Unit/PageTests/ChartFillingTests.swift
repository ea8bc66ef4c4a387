// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing

@testable import Gateway
@testable import GatewayBench
@testable import Journal
@testable import Page
@testable import Platform
@testable import Readings

@Suite("Charts after a restart")
struct ChartFillingTests {
    private static let hour: Int64 = 3_600_000

    /// A border of five minutes, `ago` before `now`.
    private static func border(_ ago: Int64, before now: Int64) -> Int64 { (now - ago) / 300_000 * 300_000 }

    private static func stamp(_ boot: String, up: Int64, _ unix: Int64?) -> TimeStamp {
        TimeStamp(
            boot: boot, uptimeMilliseconds: up, unixMilliseconds: unix, quality: unix == nil ? .unsynced : .synced)
    }

    /// Leaves a journal behind in which these wait.
    private static func leave(_ readings: [Reading], in folder: TestFolder) throws {
        let journal = try Journal(
            JournalConfiguration(path: folder.path("journal.db")), clock: .system, logger: Sample.logger)
        journal.append(readings)
        journal.close()
        #expect(journal.statistics.buffered == readings.count)
    }

    @Test func `they show what waits in the journal of the last day, where its time is known`() async throws {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let (early, late) = (Self.border(5 * Self.hour, before: now), Self.border(Self.hour, before: now))
        // More than are read at a time, all too old.
        let old = (0..<2_500).map { number in
            let unix = now - 30 * Self.hour + Int64(number) * 1000
            return Sample.temperature(100, device: "a", at: Self.stamp("earlier1", up: Int64(number) * 1000, unix))
        }
        let scene = try OperationsScene(prepare: { folder in
            try Self.leave(
                old + [
                    Sample.temperature(2000, device: "a", at: Self.stamp("earlier2", up: 1_000, early)),
                    Sample.temperature(2300, device: "a", at: Self.stamp("earlier2", up: 2_000, early + 1_000)),
                    // Its time follows from the other readings of its boot.
                    Sample.temperature(2600, device: "a", at: Self.stamp("earlier2", up: 3_000, nil)),
                    Sample.temperature(700, device: "b", at: Self.stamp("earlier2", up: 1_000 + late - early, late)),
                    // Nobody knows when.
                    Sample.temperature(9900, device: "b", at: Self.stamp("earlier3", up: 1_000, nil)),
                    // A reading from a wrong clock.
                    Sample.temperature(9900, device: "b", at: Self.stamp("earlier4", up: 1_000, now + 48 * Self.hour)),
                    Reading(
                        device: "b", characteristic: "0000ffff-0000-1000-8000-00805f9b34fb", source: .notify,
                        value: [1], rssi: nil, stamp: Self.stamp("earlier2", up: 2_000 + late - early, late)),
                ], in: folder)
        })
        let news = PageNews(scene.gateway, PageExtras())
        _ = await news.refreshed()
        await (try #require(await news.filling)).value
        let charts = await news.charts
        #expect(charts.chart(of: "a").series.map(\.points) == [[[Double(early), 20, 23, 26]]])
        #expect(charts.chart(of: "b").series.map(\.points) == [[[Double(late), 7, 7, 7]]])
    }

    /// Whether the readings are on disk; the journal is open then.
    private static func keep(_ readings: [Reading], in scene: OperationsScene) async -> Bool {
        await withCheckedContinuation { waiting in
            scene.gateway.journal.append(readings, whenDurable: { waiting.resume(returning: $0) })
        }
    }

    @Test func `readings of this run are not counted a second time`() async throws {
        let scene = try OperationsScene()
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let stamp = scene.gateway.clock.stamp()
        let before = TimeStamp(
            boot: stamp.boot, uptimeMilliseconds: scene.gateway.firstStamp.uptimeMilliseconds - 1,
            unixMilliseconds: now - 60_000, quality: .synced)
        let readings = [
            Sample.temperature(2000, device: "a", at: stamp), Sample.temperature(2100, device: "b", at: before),
        ]
        #expect(await Self.keep(readings, in: scene))
        let news = PageNews(scene.gateway, PageExtras())
        _ = await news.refreshed()
        await (try #require(await news.filling)).value
        let charts = await news.charts
        #expect(charts.chart(of: "a").series.isEmpty)
        #expect(charts.chart(of: "b").series.count == 1)
    }

    @Test func `a scrape of the metrics draws no chart`() async throws {
        let scene = try OperationsScene()
        let reading = Sample.temperature(2000, device: "a", at: scene.gateway.clock.stamp())
        #expect(await Self.keep([reading], in: scene))
        scene.gateway.sensors.entry(of: "a").record(reading)
        let news = PageNews(scene.gateway, PageExtras())
        #expect(await news.metrics().contains("martlet_build_info"))
        #expect(await news.filling == nil)
        let charts = await news.charts
        #expect(charts.chart(of: "a").series.isEmpty)
        #expect(scene.gateway.sensors["a"]?.values.first?.fields?.isEmpty == false)
        // A look for the page would have begun to fill the charts.
        _ = await news.refreshed()
        #expect(await news.filling != nil)
    }

    @Test func `what comes late takes its place, and a step's values join`() {
        var book = ChartBook()
        let now: Int64 = 1_795_000_200_000
        func number(_ value: Double, _ unix: Int64) -> BufferedNumbers.Number {
            .init(sensor: "a", quantity: "temperature", unit: "°C", number: value, unixMs: unix)
        }
        book.add([number(1, now - 600_000), number(2, now - 1_200_000), number(4, now - 600_000 + 1)], at: now)
        book.add([number(9, now - 90_000_000), number(9, now + 1), number(.nan, now - 1)], at: now)
        #expect(
            book.chart(of: "a").series.map(\.points) == [
                [[Double(now - 1_200_000), 2, 2, 2], [Double(now - 600_000), 1, 2.5, 4]]
            ])
    }
}
