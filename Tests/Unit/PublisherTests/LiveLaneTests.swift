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

    /// The machine's behaviour, with no message on the way and every row taken at once.
    private struct Driver {
        var lane = LiveLane()
        let table = RowTable()
        var pacing: LivePacing?
        var sent: [Int64] = []
        /// The stream of each row in `sent`.
        var streams: [LiveLane.Stream] = []

        init(_ pacing: LivePacing? = nil) {
            self.pacing = pacing
            lane.begin()
        }

        mutating func append(_ n: Int64, _ turn: Turn, _ number: Int16 = 0, up: Int64) {
            table.characteristicNames[3] = "mibeacon"
            table.append(n, characteristic: 3, up: up, value: turn.value(number))
        }

        private func fields(of row: JournalRow) -> [Field]? {
            Decoders.decode(
                characteristic: table.characteristicName(row.characteristic) ?? "", value: row.value)
        }

        /// Sends every row that may go out at `uptime`.
        mutating func run(at uptime: Int64, limit: Int = .max) throws {
            lane.expectRows()
            var count = 0
            while count < limit, let due = lane.nextDue(at: uptime) {
                let (row, stream) = (due.row, due.stream)
                sent.append(row.n)
                streams.append(stream)
                count += 1
            }
            while count < limit,
                let row = try lane.nextRow(from: table, boot: "boot", youngSince: uptime - LiveLaneTests.window)
            {
                guard row.uptimeMilliseconds >= uptime - LiveLaneTests.window else { continue }
                let fields = fields(of: row)
                let stream = pacing?.isActive == true ? LiveLane.Stream(row, about: fields) : LiveLane.Stream(row)
                let isEvent = fields?.contains { $0.quantity.details.kind == .event } ?? false
                guard lane.judge(row, of: stream, pacing, at: uptime, fields: fields, isEvent: isEvent) == .send else {
                    continue
                }
                sent.append(row.n)
                streams.append(stream)
                count += 1
            }
        }
    }

    /// Rows of a sensor that sends its values in turns, as MiBeacon does.
    private enum Turn: CaseIterable {
        case temperature, humidity, both

        func value(_ number: Int16) -> [UInt8] {
            let octets = [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
            return switch self {
            case .temperature: [0xAA, 0x01, 0x04, 0x10, 2] + octets
            case .humidity: [0xAA, 0x01, 0x06, 0x10, 2] + octets
            case .both: [0xAA, 0x01, 0x0D, 0x10, 4] + octets + octets
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
        // A message at the interval's end starts the interval anew; after a quiet interval the next value goes at once.
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

    @Test func `what a sensor sends in turns has an interval of its own`() throws {
        var driver = Driver(Self.pacing(interval: 1_000))
        for n in 0..<8 { driver.append(Int64(n), n.isMultiple(of: 2) ? .temperature : .humidity, up: Int64(n) * 100) }
        try driver.run(at: 700)
        #expect(driver.sent == [0, 1])
        #expect(driver.lane.waitingRows.sorted() == [6, 7])
        #expect(driver.lane.takeSuppressed().map(\.n) == [2, 3, 4, 5])
        try driver.run(at: 1_700)
        #expect(driver.sent == [0, 1, 6, 7])
    }

    @Test func `what a sensor sends in turns has a dead band of its own`() throws {
        var driver = Driver(Self.pacing(band: 0.5))
        let tenths: [Int16] = [200, 500, 201, 501, 206, 502, 204, 506]
        for (n, number) in tenths.enumerated() {
            driver.append(Int64(n), n.isMultiple(of: 2) ? .temperature : .humidity, number, up: Int64(n))
        }
        try driver.run(at: 10)
        #expect(driver.sent == [0, 1, 4, 7])
    }

    @Test func `the dead band knows a quantity in whichever packet it comes`() throws {
        var driver = Driver(Self.pacing(band: 0.5))
        driver.append(1, .both, 400, up: 0)
        driver.append(2, .temperature, 402, up: 1)
        driver.append(3, .humidity, 407, up: 2)
        driver.append(4, .both, 403, up: 3)
        try driver.run(at: 10)
        // Row 3 has sent the humidity 40.7, and row 4 is within half a percent.
        #expect(driver.sent == [1, 3])
    }

    @Test func `rows with a quantity in common go out in their order, and none of them starves`() throws {
        var driver = Driver(Self.pacing(interval: 1_000))
        for (n, turn) in [Turn.humidity, .both, .temperature].enumerated() {
            driver.append(Int64(n) + 1, turn, up: Int64(n) * 100)
            try driver.run(at: Int64(n) * 100)
        }
        // 3 may not overtake 2, which has a temperature, too, and waits for the humidity's interval.
        #expect(driver.sent == [1])
        driver.append(4, .temperature, up: 900)
        try driver.run(at: 1_000)
        #expect(driver.sent == [1, 2])
        #expect(driver.lane.nextEnd == 2_000)
        try driver.run(at: 2_000)
        #expect(driver.sent == [1, 2, 4])
        #expect(driver.lane.takeSuppressed().map(\.n) == [3])
        #expect(driver.lane.nextEnd == nil)
    }

    @Test func `at the end all that waits goes out in its order`() throws {
        var driver = Driver(Self.pacing(interval: 60_000))
        driver.append(1, .humidity, up: 0)
        driver.append(2, .both, up: 100)
        driver.append(3, .temperature, up: 200)
        try driver.run(at: 200)
        driver.lane.endIntervals()
        try driver.run(at: 300)
        #expect(driver.sent == [1, 2, 3])
        #expect(driver.lane.nextEnd == nil)
    }

    @Test func `an event leaves what waits about other things, and nothing older about the same follows`() throws {
        var driver = Driver(Self.pacing(interval: 1_000))
        driver.table.characteristicNames[4] = "bthome"
        let battery: [UInt8] = [0x40, 0x01, 0x50]
        let light: [UInt8] = [0x40, 0x05, 0x01, 0x00, 0x00]
        for (n, value) in [battery, light, battery, light, battery + [0x3A, 0x01]].enumerated() {
            driver.table.append(Int64(n) + 1, characteristic: 4, up: Int64(n), value: value)
        }
        try driver.run(at: 10)
        #expect(driver.sent == [1, 2, 5])
        #expect(driver.lane.waitingRows == [4])
        #expect(driver.lane.takeSuppressed().map(\.n) == [3])
    }

    @Test func `of a sensor that never says the same, so many rows wait at most`() throws {
        var driver = Driver(Self.pacing(interval: 1_000))
        driver.table.characteristicNames[4] = "bthome"
        // Each packet has two temperatures, so that all wait for one another, and one more quantity.
        for (n, object) in ([0x00] + Array(0x10...0x2D)).enumerated()
        where object != 0x12 && object != 0x13 && object != 0x14 {
            driver.table.append(
                Int64(n) + 1, characteristic: 4, up: 0,
                value: [0x40, 0x02, 0x00, 0x00] + (object == 0 ? [] : [UInt8(object), 0x01]))
        }
        try driver.run(at: 0)
        #expect(driver.sent == [1])
        #expect(driver.lane.waitingRows.count == PacedCharacteristic.maximumWaiting)
        #expect(!driver.lane.takeSuppressed().isEmpty)
    }

    @Test func `after a reconnection the newest of each quantity goes again`() throws {
        var driver = Driver(Self.pacing(interval: 1_000))
        for n in 1...2 { driver.append(Int64(n), .temperature, up: Int64(n) * 1_000) }
        driver.append(3, .humidity, up: 2_000)
        try driver.run(at: 1_000)
        try driver.run(at: 2_000)
        driver.lane.begin()
        try driver.run(at: 2_001)
        #expect(driver.sent == [1, 3, 2, 2, 3] || driver.sent == [1, 2, 3, 2, 3])
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
            // Missing rows, streams in turn, and the rows sent of 1 to 600 and then 601 to 603.
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
        // The broker refused row 1 before it accepted row 2: a repeat of row 1 would be an old value after a new one.
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
        // By quantity where the sensor is paced.
        var last: [LiveLane.Stream: Int64] = [:]
        var open: [(n: Int64, stream: LiveLane.Stream)] = []
        var seen = 0
        var up: Int64 = 0
        var n: Int64 = 0

        func deliver() {
            open += zip(driver.sent, driver.streams).dropFirst(seen).map { (n: $0, stream: $1) }
            seen = driver.sent.count
        }
        func take(_ entry: (n: Int64, stream: LiveLane.Stream)) {
            let parts = entry.stream.parts
            for part in parts.isEmpty ? [entry.stream] : parts.map({ entry.stream.only($0) }) {
                #expect(entry.n >= last[part] ?? 0)
                last[part] = entry.n
            }
        }

        for _ in 0..<400 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...4:
                for _ in 0..<Int.random(in: 1...5, using: &random) {
                    n += 1
                    let device = Int64.random(in: 1...3, using: &random)
                    if device == 3, let turn = Turn.allCases.randomElement(using: &random) {
                        driver.table.characteristicNames[3] = "mibeacon"
                        driver.table.append(n, device: device, characteristic: 3, up: up, value: turn.value(0))
                        let whole = LiveLane.Stream(device: device, characteristic: 3)
                        if interval == 0 { newest[whole] = n }
                        if interval > 0, turn != .humidity { newest[whole.only(.init(quantity: .temperature))] = n }
                        if interval > 0, turn != .temperature { newest[whole.only(.init(quantity: .humidity))] = n }
                        continue
                    }
                    let characteristic = Int64.random(in: 1...2, using: &random)
                    driver.table.append(n, device: device, characteristic: characteristic, up: up)
                    let whole = LiveLane.Stream(device: device, characteristic: characteristic)
                    newest[interval == 0 ? whole : whole.only(.init(quantity: .temperature))] = n
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
        // Rows with a quantity in common wait for one another.
        for turn in 1...4 { try driver.run(at: up + Int64(turn) * 20_000) }
        deliver()
        open.forEach(take)
        for (stream, n) in newest {
            let row = driver.table.rows.first { $0.n == n }
            let isYoung = row.map { $0.uptimeMilliseconds >= up - Self.window } ?? false
            if isYoung { #expect(last[stream] == n) }
        }
    }
}

extension LiveLane.Stream {
    fileprivate func only(_ part: Part) -> Self {
        var stream = self
        stream.parts = [part]
        return stream
    }
}
