// SPDX-License-Identifier: Apache-2.0

import Collector
import Gateway
import Journal
import Operations
import Platform

/// The page's charts: the newest points in memory, and the file with the points of 31 days.
///
/// Points go to the file once an hour, and at the end. A power cut costs the points since the last full hour, which a
/// chart then shows as a gap.
actor ChartKeeper {
    private(set) var book = ChartBook()
    private let file: ChartFile?
    /// The points of the last day are being read, or were read.
    private var reading: Task<Void, Never>?
    private var isWriting = false

    init(_ file: ChartFile?) { self.file = file }

    /// Adds what a look at the status has shown. Times are milliseconds since 1970.
    ///
    /// - Parameter isRight: The time is right. With a wrong clock nothing is read or written.
    func add(_ sensors: [SensorStatus], at now: Int64, isRight: Bool) async {
        book.add(sensors, at: now)
        guard isRight, file != nil else { return }
        if reading == nil { reading = Task { [weak self] in await self?.read(at: now) } }
        await write(at: now, all: false)
    }

    func add(_ numbers: [BufferedNumbers.Number], at now: Int64) { book.add(numbers, at: now) }

    /// Ends when the file was read.
    func isRead() async { await reading?.value }

    /// Writes all points: the gateway stops.
    func finish(at now: Int64) async {
        for _ in 0..<50 where isWriting { _ = await Waiting.pause(for: .milliseconds(10)) }
        await write(at: now, all: true)
    }

    private func read(at now: Int64) async {
        guard let file else { return }
        for tier in [ChartTier.fiveMinutes, .minutes] {
            let newest = tier.block(at: now)
            // An hour at a time: others need the processor, too.
            for block in max(0, newest - min(24, tier.keptBlocks))...newest {
                let blocks = await file.blocks(of: tier, in: block...block)
                book.add(blocks, at: now)
            }
        }
    }

    private func write(at now: Int64, all: Bool) async {
        guard let file, !isWriting, !book.unkeptBlocks(at: now, all: all).hours.isEmpty else { return }
        isWriting = true
        // The blocks take the place of the former blocks: those have to be known first.
        await isRead()
        let (hours, blocks) = book.unkeptBlocks(at: now, all: all)
        if await file.keep(blocks, at: now) { book.keep(hours, at: now) }
        isWriting = false
    }

    /// The chart of a sensor. `now`: milliseconds since 1970; nil while the time is not known: then the chart has what
    /// is in memory.
    func chart(of sensor: String, _ range: ChartRange, at now: Int64?) async -> Chart {
        var lines: [String: (unit: String?, points: [ChartPoint])] = [:]
        if let file, let now, range == .week || range == .month {
            let first = range.times(before: now).lowerBound
            lines = await kept(in: file, of: sensor, range, from: first, to: now)
        }
        for (quantity, line) in book.points(of: sensor, range.tier) {
            // The file has the first step in memory as a whole.
            let first = line.points.first?.step ?? .max
            let older = lines[quantity]?.points.filter { $0.step <= first } ?? []
            let last = older.last?.step ?? .min
            lines[quantity] = (line.unit, older + line.points.filter { $0.step > last })
        }
        return Chart(sensor: sensor, range, lines, now: now)
    }

    private func kept(
        in file: ChartFile, of sensor: String, _ range: ChartRange, from: Int64, to: Int64
    ) async -> [String: (unit: String?, points: [ChartPoint])] {
        var lines: [String: (unit: String?, points: [ChartPoint])] = [:]
        var blocks: [ChartBlock] = []
        let fine = ChartTier.fiveMinutes
        if range.tier == .hours {
            blocks = await file.blocks(
                of: .hours, in: ChartTier.hours.block(at: from)...ChartTier.hours.block(at: to), sensor: sensor)
            // Days that are not over are there by five minutes alone.
            let next = (blocks.last.map { $0.block + 1 } ?? 0) * ChartTier.hours.blockLength
            let newest = fine.block(at: to)
            if next <= newest {
                let rest = await file.blocks(
                    of: fine, in: max(next, fine.block(at: from))...newest, sensor: sensor)
                blocks += rest.map { block in
                    var hours = block
                    hours.points = ChartPoint.joined(block.points, by: ChartTier.hours.step / fine.step)
                    return hours
                }
            }
        } else {
            blocks = await file.blocks(of: fine, in: fine.block(at: from)...fine.block(at: to), sensor: sensor)
        }
        for block in blocks where book.isShown(block.quantity, of: sensor) {
            lines[block.quantity, default: (block.unit, [])].points += block.points
        }
        return lines
    }
}
