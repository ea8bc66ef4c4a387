// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import GatewayBench
@testable import Publisher
@testable import Readings

/// The live lane as a table: rows in, verdicts out.
@Suite("Live lane")
struct LiveLaneTests {
    private static let window: Int64 = 10_000

    /// What the machine does, with nothing on the way and every row taken at once.
    private struct Driver {
        var lane = LiveLane()
        let table = RowTable()
        var pacing: LivePacing?
        var sent: [Int64] = []

        init(_ pacing: LivePacing? = nil) {
            self.pacing = pacing
            lane.begin()
        }

        /// Everything that may go out at `uptime`.
        mutating func run(at uptime: Int64, limit: Int = .max) throws {
            lane.noteNewRows()
            var count = 0
            while count < limit, let row = lane.nextDue(at: uptime) {
                sent.append(row.n)
                count += 1
            }
            while count < limit,
                let row = try lane.nextRow(from: table, boot: "boot", youngSince: uptime - LiveLaneTests.window)
            {
                guard row.uptimeMilliseconds >= uptime - LiveLaneTests.window else { continue }
                let fields = Decoders.decode(characteristic: "2a6e", value: row.value)
                guard lane.judge(row, pacing, at: uptime, fields: fields) == .send else { continue }
                sent.append(row.n)
                count += 1
            }
        }
    }

    private static func pacing(interval: Int = 0, band: Double? = nil, maximum: Int = 60_000) -> LivePacing {
        var pacing = LivePacing()
        pacing.minimumInterval = .milliseconds(interval)
        pacing.deadBand = band.map { .all($0) }
        pacing.maximumInterval = .milliseconds(maximum)
        return pacing
    }

    @Test func `young rows go out in their order, each once`() throws {
        var driver = Driver()
        for n in 1...600 { driver.table.append(Int64(n), device: Int64(n % 7), up: Int64(n)) }
        try driver.run(at: 700, limit: 100)
        try driver.run(at: 700)
        try driver.run(at: 700)
        #expect(driver.sent == Array(1...600))
    }

    @Test func `a connection begins with the first row that is young, without reading the others`() throws {
        var driver = Driver()
        for n in 1...100_000 { driver.table.append(Int64(n), up: Int64(n)) }
        try driver.run(at: 105_000)
        #expect(driver.sent == Array(95_000...100_000))
        #expect(driver.table.reads < 30)
    }

    @Test func `rows that got old before their turn are left to history, and are not read one by one`() throws {
        var driver = Driver()
        for n in 1...100_000 { driver.table.append(Int64(n), up: Int64(n)) }
        try driver.run(at: 10_000, limit: 10)
        #expect(driver.sent == Array(1...10))
        try driver.run(at: 109_000)
        #expect(driver.sent.dropFirst(10).first == 99_000)
        #expect(driver.sent.last == 100_000)
        #expect(driver.table.reads < 12)
    }

    @Test func `rows of another boot are not the present`() throws {
        let table = RowTable()
        table.bootNames[2] = "later"
        table.append(1, up: 5)
        table.append(2, up: 5, boot: 2)
        var lane = LiveLane()
        lane.begin()
        #expect(try lane.nextRow(from: table, boot: "later", youngSince: 0)?.n == 2)
        #expect(try lane.nextRow(from: table, boot: "later", youngSince: 0) == nil)
    }

    @Test func `with an interval the first value goes at once, and the newest when the interval ends`() throws {
        var driver = Driver(Self.pacing(interval: 1_000))
        driver.table.append(1, up: 0)
        try driver.run(at: 0)
        #expect(driver.sent == [1])
        for n in 2...5 {
            driver.table.append(Int64(n), up: Int64(n) * 100)
            try driver.run(at: Int64(n) * 100)
        }
        #expect(driver.sent == [1])
        #expect(driver.lane.nextEnd == 1_000)
        #expect(driver.lane.waitingRows == [5])
        try driver.run(at: 999)
        #expect(driver.sent == [1])
        try driver.run(at: 1_000)
        #expect(driver.sent == [1, 5])
        #expect(driver.lane.takeSuppressed().map(\.n) == [2, 3, 4])
        // The interval begins anew with what went out at its end; after a quiet one, the next value goes at once.
        driver.table.append(6, up: 1_500)
        try driver.run(at: 1_500)
        #expect(driver.sent == [1, 5])
        try driver.run(at: 2_000)
        driver.table.append(7, up: 3_500)
        try driver.run(at: 3_500)
        #expect(driver.sent == [1, 5, 6, 7])
        #expect(driver.lane.nextEnd == nil)
    }

    @Test func `intervals are kept for each characteristic of each sensor`() throws {
        var driver = Driver(Self.pacing(interval: 1_000))
        driver.table.append(1, device: 1, characteristic: 1, up: 0)
        driver.table.append(2, device: 1, characteristic: 2, up: 0)
        driver.table.append(3, device: 2, characteristic: 1, up: 0)
        driver.table.append(4, device: 2, characteristic: 1, up: 0)
        try driver.run(at: 0)
        #expect(driver.sent == [1, 2, 3])
        try driver.run(at: 1_000)
        #expect(driver.sent == [1, 2, 3, 4])
    }

    @Test func `the newest value goes out at the end of an interval that is longer than values are young`() throws {
        var driver = Driver(Self.pacing(interval: 60_000))
        driver.table.append(1, up: 0)
        driver.table.append(2, up: 10)
        try driver.run(at: 10)
        try driver.run(at: 60_010)
        #expect(driver.sent == [1, 2])
    }

    @Test func `a value within the dead band of the last one sent does not go out`() throws {
        var driver = Driver(Self.pacing(band: 0.5))
        for (n, hundredths) in [2_000, 2_049, 1_951, 2_050, 2_051, 2_001].enumerated() {
            driver.table.append(Int64(n) + 1, up: Int64(n), hundredths: Int16(hundredths))
        }
        try driver.run(at: 10)
        // 20.50 is half a degree from 20.00; 20.01 is within half a degree of 20.50.
        #expect(driver.sent == [1, 4])
        let suppressed = driver.lane.takeSuppressed()
        #expect(suppressed.map(\.n) == [2, 3, 5, 6])
        #expect(suppressed.allSatisfy { $0.reason == .deadBand && !$0.isDropped })
    }

    @Test func `the dead band keeps a value back for so long at most`() throws {
        var driver = Driver(Self.pacing(band: 0.5, maximum: 1_000))
        for n in 0...10 {
            driver.table.append(Int64(n) + 1, up: Int64(n) * 300)
            try driver.run(at: Int64(n) * 300)
        }
        #expect(driver.sent == [1, 5, 9])
    }

    @Test func `a value that comes back into the dead band before the interval ends takes the waiting one with it`()
        throws
    {
        var driver = Driver(Self.pacing(interval: 1_000, band: 0.5))
        driver.table.append(1, up: 0, hundredths: 2_000)
        driver.table.append(2, up: 100, hundredths: 2_200)
        driver.table.append(3, up: 200, hundredths: 2_010)
        try driver.run(at: 200)
        try driver.run(at: 1_000)
        #expect(driver.sent == [1])
        #expect(driver.lane.takeSuppressed().map(\.reason) == [.coalesced, .deadBand])
    }

    @Test func `what is suppressed may be dropped instead`() throws {
        var pacing = Self.pacing(interval: 1_000)
        pacing.suppressed = .drop
        var driver = Driver(pacing)
        for n in 1...3 { driver.table.append(Int64(n), up: 0) }
        try driver.run(at: 0)
        #expect(driver.lane.takeSuppressed() == [.init(n: 2, reason: .coalesced, isDropped: true)])
        #expect(driver.lane.takeSuppressed().isEmpty)
    }

    @Test func `after a reconnection nothing older than what was sent goes out, and the newest goes again`() throws {
        var driver = Driver()
        for n in 1...5 { driver.table.append(Int64(n), device: Int64(n % 2), up: 0) }
        try driver.run(at: 0)
        // 4 and 5 are the newest of their sensors; none was acknowledged.
        driver.lane.begin()
        try driver.run(at: 1)
        #expect(driver.sent == [1, 2, 3, 4, 5, 4, 5])
    }

    @Test func `after a reconnection the first value goes out whatever interval and dead band say`() throws {
        var driver = Driver(Self.pacing(interval: 60_000, band: 5))
        driver.table.append(1, up: 0)
        try driver.run(at: 0)
        driver.table.remove([1])
        driver.lane.begin()
        driver.table.append(2, up: 100)
        try driver.run(at: 100)
        #expect(driver.sent == [1, 2])
    }

    @Test func `of what another publisher has left, only the newest of each stream goes out`() throws {
        var driver = Driver()
        for n in 1...600 { driver.table.append(Int64(n), device: Int64(n % 3), up: Int64(n)) }
        driver.lane.takeOver(try LiveLane.superseded(in: driver.table, boot: "boot", youngSince: 100))
        try driver.run(at: 700)
        #expect(driver.sent == [598, 599, 600])
        driver.table.append(601, device: 1, up: 700)
        try driver.run(at: 700)
        #expect(driver.sent == [598, 599, 600, 601])
    }

    @Test(
        arguments: [
            // Rows that are gone, streams in turn, and what goes out of 1 to 600 and then 601 to 603.
            (gone: [1, 2, 300], sent: [598, 599, 600, 601, 602, 603]),
            (gone: [598], sent: [599, 600, 601, 602, 603]),
            (gone: [599], sent: [600, 601, 602, 603]),
            (gone: [600], sent: [601, 602, 603]),
            (gone: Array(590...600), sent: [601, 602, 603]),
            (gone: [596], sent: [598, 599, 600, 601, 602, 603]),
        ] as [(gone: [Int64], sent: [Int64])])
    func `nothing that another publisher has left goes out when a later row is gone`(
        _ row: (gone: [Int64], sent: [Int64])
    ) throws {
        var driver = Driver()
        for n in 1...600 { driver.table.append(Int64(n), device: Int64(n % 3), up: Int64(n)) }
        driver.table.remove(row.gone)
        driver.lane.takeOver(try LiveLane.superseded(in: driver.table, boot: "boot", youngSince: 100))
        try driver.run(at: 700)
        for n in 601...603 { driver.table.append(Int64(n), device: Int64(n % 3), up: 700) }
        try driver.run(at: 700)
        #expect(driver.sent == row.sent)
    }

    @Test func `a refusal of what another publisher has left brings back nothing older`() throws {
        var driver = Driver()
        for n in 1...5 { driver.table.append(Int64(n), up: 0) }
        driver.lane.takeOver(try LiveLane.superseded(in: driver.table, boot: "boot", youngSince: 0))
        try driver.run(at: 0)
        driver.lane.notTaken(of: LiveLane.Stream(device: 1, characteristic: 1))
        driver.lane.goBack(to: 0, underway: [])
        try driver.run(at: 1)
        driver.lane.begin()
        try driver.run(at: 2)
        #expect(driver.sent == [5, 5, 5])
    }

    @Test func `at the end nobody waits for intervals`() throws {
        var driver = Driver(Self.pacing(interval: 60_000))
        for n in 1...4 { driver.table.append(Int64(n), device: Int64(n % 2), up: 0) }
        try driver.run(at: 0)
        driver.lane.endIntervals()
        try driver.run(at: 1)
        #expect(driver.sent == [1, 2, 3, 4])
        #expect(driver.lane.nextEnd == nil)
    }

    @Test func `refused rows go out again in their order, but none that is older than what was taken`() throws {
        var driver = Driver()
        for n in 1...4 { driver.table.append(Int64(n), up: 0) }
        try driver.run(at: 0)
        let stream = LiveLane.Stream(device: 1, characteristic: 1)
        driver.lane.notTaken(of: stream)
        driver.lane.taken(2, of: stream)
        driver.table.remove([2])
        driver.lane.notTaken(of: stream)
        driver.lane.goBack(to: 0, underway: [])
        try driver.run(at: 1)
        // 1 was refused before 2 was taken: it would be an old value after a new one.
        #expect(driver.sent == [1, 2, 3, 4, 3, 4])
    }

    @Test func `going back passes over what is on its way`() throws {
        var driver = Driver()
        for n in 1...6 { driver.table.append(Int64(n), device: Int64(n), up: 0) }
        try driver.run(at: 0, limit: 4)
        driver.lane.goBack(to: 0, underway: [1, 2, 3])
        try driver.run(at: 0)
        #expect(driver.sent == [1, 2, 3, 4, 4, 5, 6])
    }

    @Test func `rows without a time do not stop the others, and are judged again when times are known`() throws {
        var lane = LiveLane()
        let table = RowTable()
        for n in 1...3 { table.append(Int64(n), device: Int64(n), up: 0) }
        lane.begin()
        for n in [1, 2] as [Int64] {
            let row = try lane.nextRow(from: table, boot: "boot", youngSince: 0)
            #expect(row?.n == n)
            if let row { lane.hold(row) }
        }
        #expect(try lane.nextRow(from: table, boot: "boot", youngSince: 0)?.n == 3)
        #expect(lane.heldFrom == 1)
        lane.releaseHeld(underway: [3])
        #expect(lane.heldFrom == nil)
        #expect(try lane.nextRow(from: table, boot: "boot", youngSince: 0)?.n == 1)
        #expect(try lane.nextRow(from: table, boot: "boot", youngSince: 0)?.n == 2)
        #expect(try lane.nextRow(from: table, boot: "boot", youngSince: 0) == nil)
    }

    @Test(arguments: 0..<40)
    func `whatever happens, no stream goes back to an older value, and its newest goes out`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let interval = [0, 0, 500, 20_000].randomElement(using: &random) ?? 0
        var driver = Driver(Self.pacing(interval: interval))
        var newest: [LiveLane.Stream: Int64] = [:]
        var last: [LiveLane.Stream: Int64] = [:]
        var open: [(n: Int64, stream: LiveLane.Stream)] = []
        var seen = 0
        var up: Int64 = 0
        var n: Int64 = 0

        func deliver() {
            for number in driver.sent[seen...] {
                guard let row = driver.table.rows.first(where: { $0.n == number }) else { continue }
                let stream = LiveLane.Stream(device: row.device, characteristic: row.characteristic)
                open.append((number, stream))
            }
            seen = driver.sent.count
        }
        func take(_ entry: (n: Int64, stream: LiveLane.Stream)) {
            #expect(entry.n >= last[entry.stream] ?? 0)
            last[entry.stream] = entry.n
        }

        for _ in 0..<400 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...4:
                for _ in 0..<Int.random(in: 1...5, using: &random) {
                    n += 1
                    let row = driver.table.append(
                        n, device: Int64.random(in: 1...3, using: &random),
                        characteristic: Int64.random(in: 1...2, using: &random),
                        up: up)
                    newest[.init(device: row.device, characteristic: row.characteristic)] = n
                }
            case 5, 6: up += Int64.random(in: 0...2_000, using: &random)
            case 7:
                // All on the way is acknowledged.
                open.forEach(take)
                for entry in open { driver.lane.taken(entry.n, of: entry.stream) }
                driver.table.remove(open.map(\.n))
                open = []
            case 8:
                // Everything after some message is refused.
                let refused = open.suffix(Int.random(in: 0...3, using: &random))
                let taken = open.dropLast(refused.count)
                taken.forEach(take)
                for entry in taken { driver.lane.taken(entry.n, of: entry.stream) }
                driver.table.remove(taken.map(\.n))
                open = []
                for entry in refused { driver.lane.notTaken(of: entry.stream) }
                if let first = refused.map(\.n).min() { driver.lane.goBack(to: first - 1, underway: []) }
            default:
                // The connection is lost: the broker has them, but has not said so.
                open.forEach(take)
                for entry in open { driver.lane.taken(entry.n, of: entry.stream) }
                open = []
                driver.lane.begin()
            }
            try driver.run(at: up, limit: Int.random(in: 0...8, using: &random))
            deliver()
        }
        // In the end everything young is sent, and each interval ends.
        try driver.run(at: up)
        deliver()
        open.forEach(take)
        open = []
        try driver.run(at: up + 20_000)
        deliver()
        open.forEach(take)
        for (stream, n) in newest {
            let row = driver.table.rows.first { $0.n == n }
            let isYoung = row.map { $0.uptimeMilliseconds >= up - Self.window } ?? false
            if isYoung { #expect(last[stream] == n) }
        }
    }
}
