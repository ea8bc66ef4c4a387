// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
@testable import GatewayBench
import Platform
import Readings
import Testing

@testable import Journal
@testable import Readings

/// The points of the page's charts: their octets, and the file.
struct ChartFileTests {
    /// A border of a day: 2026-11-24 00:00 UTC.
    private static let day: Int64 = 1_795_478_400_000
    private static let hour: Int64 = 3_600_000

    private static func point(_ step: Int64, _ low: Double, _ mean: Double, _ high: Double) -> ChartPoint {
        ChartPoint(step: step, low: low, mean: mean, high: high)
    }

    private static func block(
        _ tier: ChartTier, _ unix: Int64, sensor: String = "a", quantity: String = "temperature", mean: Double = 20
    ) -> ChartBlock {
        let block = tier.block(at: unix)
        let first = block * tier.blockLength
        return ChartBlock(
            tier: tier, block: block, sensor: sensor, quantity: quantity, unit: "°C",
            points: (0..<tier.blockLength).map { point(first + $0, mean - 1, mean, mean + 1) })
    }

    private final class Scene {
        let folder: TestFolder
        let journal: Journal
        let file: ChartFile
        var path: String { folder.path("charts/charts.db") }

        init(megabytesPerDay: Int = 0) throws {
            folder = try TestFolder()
            var configuration = JournalConfiguration(path: folder.path("journal.db"))
            configuration.maximumWriteMegabytesPerDay = megabytesPerDay
            journal = try Journal(configuration, clock: .system, logger: Sample.logger)
            file = ChartFile(path: folder.path("charts/charts.db"), journal: journal, logger: Sample.logger)
        }

        func again() -> ChartFile { ChartFile(path: path, journal: journal, logger: Sample.logger) }

        deinit { journal.close() }
    }

    // MARK: - Octets

    @Test(arguments: [
        [Self.point(0, 21.31, 21.37, 21.44), Self.point(1, 21.2, 21.3, 21.3), Self.point(11, -3.25, -3.25, -3.2)],
        [Self.point(3, 1_013.2, 1_013.2, 1_013.3)], [Self.point(5, 0, 0, 0)],
        [Self.point(0, 0.00012, 0.00012, 0.00013)],
        [Self.point(0, -40, -40, -40), Self.point(1, 85, 85, 85)], [Self.point(0, 99_999, 100_000, 100_000)], [],
    ]) func `points are the same after the way through octets, to five digits`(points: [ChartPoint]) {
        let octets = ChartCoding.octets(of: points, first: 0, length: 12)
        let again = ChartCoding.points(in: octets, first: 0, length: 12)
        #expect(again.map(\.step) == points.map(\.step))
        let size = points.flatMap { [abs($0.low), abs($0.high)] }.max() ?? 0
        for (point, other) in zip(points, again) {
            for (number, kept) in [(point.low, other.low), (point.mean, other.mean), (point.high, other.high)] {
                #expect(abs(number - kept) <= max(size, 1e-12) * 1e-4, "\(number) is \(kept)")
            }
        }
    }

    @Test func `a point of a slow quantity takes four octets at most`() {
        let points = (0..<12).map { step in
            let mean = 21.3 + 0.04 * Double(step % 5)
            return Self.point(Int64(step), mean - 0.05, mean, mean + 0.06)
        }
        #expect(ChartCoding.octets(of: points, first: 0, length: 12).count <= 12 * 4 + 4)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e16]) func `a number that is none is left out`(
        number: Double
    ) {
        let points = [Self.point(0, number, 1, 2), Self.point(1, 1, number, 2), Self.point(2, 1, 1, 1)]
        let octets = ChartCoding.octets(of: points, first: 0, length: 12)
        #expect(ChartCoding.points(in: octets, first: 0, length: 12).map(\.step) == [2])
    }

    @Test func `other octets are no points, and do no harm`() {
        let good = ChartCoding.octets(of: Self.block(.minutes, Self.day).points, first: 0, length: 60)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            var octets = Bool.random(using: &random) ? good : []
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                octets.insert(
                    [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random)
                        ?? 0, at: Int.random(in: 0...octets.count, using: &random))
            }
            let points = ChartCoding.points(
                in: octets, first: 0, length: [12, 24, 60].randomElement(using: &random) ?? 12)
            #expect(points.allSatisfy { $0.mean.isFinite && (0..<60).contains($0.step) })
        }
        for length in good.indices {
            #expect(ChartCoding.points(in: Array(good[..<length]), first: 0, length: 60).isEmpty)
        }
    }

    @Test func `coarser points have the lowest, the mean and the highest`() {
        let points = [Self.point(6, 1, 2, 3), Self.point(7, 0, 4, 9), Self.point(11, 2, 6, 7), Self.point(12, 5, 5, 5)]
        #expect(ChartPoint.joined(points, by: 6) == [Self.point(1, 0, 4, 9), Self.point(2, 5, 5, 5)])
        #expect(ChartPoint.joined(points, by: 1) == points)
    }

    // MARK: - The file

    @Test func `what was kept is there after a restart, in its own range and of its own sensor`() async throws {
        let scene = try Scene()
        let blocks = [Self.block(.fiveMinutes, Self.day), Self.block(.fiveMinutes, Self.day, sensor: "b", mean: 7)]
        #expect(await scene.file.keep(blocks, at: Self.day + 1))
        let block = ChartTier.fiveMinutes.block(at: Self.day)
        let again = scene.again()
        #expect(await again.blocks(of: .fiveMinutes, in: block...block) == blocks)
        #expect(await again.blocks(of: .fiveMinutes, in: block...block, sensor: "b") == [blocks[1]])
        #expect(await again.blocks(of: .fiveMinutes, in: block + 1...block + 9).isEmpty)
        #expect(await again.blocks(of: .minutes, in: block...block).isEmpty)
        let mode = try FileManager.default.attributesOfItem(atPath: scene.path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
    }

    @Test func `a block takes the place of its former content`() async throws {
        let scene = try Scene()
        var block = Self.block(.fiveMinutes, Self.day)
        block.points.removeLast(8)
        #expect(await scene.file.keep([block], at: Self.day))
        let whole = Self.block(.fiveMinutes, Self.day, mean: 21)
        #expect(await scene.file.keep([whole], at: Self.day))
        #expect(await scene.file.blocks(of: .fiveMinutes, in: block.block...block.block) == [whole])
    }

    @Test func `old blocks go, and each day that is over is kept by hours for a month`() async throws {
        let scene = try Scene()
        let days: Int64 = 40
        for hour in 0...days * 24 {
            let now = Self.day + hour * Self.hour
            let blocks = [ChartTier.minutes, .fiveMinutes].map { Self.block($0, now, mean: Double(hour % 24)) }
            #expect(await scene.file.keep(blocks, at: now))
        }
        let now = Self.day + days * 24 * Self.hour
        for tier in [ChartTier.minutes, .fiveMinutes] {
            let found = await scene.file.blocks(of: tier, in: 0...tier.block(at: now) + 99)
            #expect(found.count == Int(tier.keptBlocks))
        }
        let hours = await scene.file.blocks(of: .hours, in: 0...ChartTier.hours.block(at: now))
        // Today is not over.
        #expect(hours.count == 31)
        #expect(hours.allSatisfy { block in block.points.map(\.mean) == (0..<24).map(Double.init) })
    }

    @Test func `the octets count for the journal's budget, and an overdrawn budget keeps charts off the disk`()
        async throws
    {
        let scene = try Scene(megabytesPerDay: 1)
        let before = scene.journal.statistics.bytesWritten
        #expect(await scene.file.keep([Self.block(.fiveMinutes, Self.day)], at: Self.day))
        #expect(scene.journal.statistics.bytesWritten >= before + 4_096)
        scene.journal.wroteBeside(64 << 20)
        #expect(await !scene.file.keep([Self.block(.fiveMinutes, Self.day)], at: Self.day))
    }

    @Test func `quantities are bounded, and those without points make room`() async throws {
        let scene = try Scene()
        let blocks = (0..<ChartFile.maximumSeries + 5).map { Self.block(.fiveMinutes, Self.day, sensor: "s\($0)") }
        #expect(await scene.file.keep(blocks, at: Self.day))
        let block = ChartTier.fiveMinutes.block(at: Self.day)
        #expect(await scene.file.blocks(of: .fiveMinutes, in: block...block).count == ChartFile.maximumSeries)
        let later = Self.day + 60 * 24 * Self.hour
        #expect(await scene.file.keep([Self.block(.fiveMinutes, later, sensor: "new")], at: later))
        #expect(
            await scene.file.blocks(of: .fiveMinutes, in: 0...ChartTier.fiveMinutes.block(at: later)).map(\.sensor) == [
                "new"
            ])
    }

    @Test(arguments: [
        "no database at all, but long enough to be one".padding(toLength: 9_000, withPad: " x", startingAt: 0), "",
    ])
    func `a file that is none is made anew`(content: String) async throws {
        let scene = try Scene()
        try FileManager.default.createDirectory(
            atPath: scene.folder.path("charts"), withIntermediateDirectories: true)
        try Data(content.utf8).write(to: URL(filePath: scene.path))
        let block = Self.block(.fiveMinutes, Self.day)
        #expect(await scene.file.keep([block], at: Self.day))
        #expect(await scene.file.blocks(of: .fiveMinutes, in: block.block...block.block) == [block])
    }

    @Test func `a damaged page costs the charts and not the process`() async throws {
        let scene = try Scene()
        let hours = (0..<24).flatMap { hour in
            (0..<20).map { Self.block(.fiveMinutes, Self.day + hour * Self.hour, sensor: "s\($0)") }
        }
        let now = Self.day + 23 * Self.hour
        #expect(await scene.file.keep(hours, at: now))
        for suffix in ["", "-wal"] {
            let url = URL(filePath: scene.path + suffix)
            guard var data = try? Data(contentsOf: url), data.count > 8_192 else { continue }
            for place in stride(from: 4_096, to: data.count, by: 7) { data[place] = 0xA5 }
            try data.write(to: url)
        }
        let again = scene.again()
        let range = ChartTier.fiveMinutes.block(at: Self.day)...ChartTier.fiveMinutes.block(at: now)
        _ = await again.blocks(of: .fiveMinutes, in: range)
        _ = await again.keep([hours[0]], at: now)
        #expect(await again.keep([hours[0]], at: now))
        #expect(await again.blocks(of: .fiveMinutes, in: range).contains(hours[0]))
    }
}
