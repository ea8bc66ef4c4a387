// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import GatewayBench
@testable import MQTT
@testable import Publisher
@testable import Readings

/// The history lane as a table, and the limits of its rate.
@Suite("History lane")
struct HistoryLaneTests {
    private static let window: Int64 = 10_000

    /// The lane's rows at `uptime`, by the machine's own call.
    private static func take(_ lane: inout HistoryLane, _ table: RowTable, at uptime: Int64) throws -> [Int64] {
        var taken: [Int64] = []
        lane.beginGathering()
        while let row = try lane.nextRow(from: table, at: uptime) {
            if row.uptimeMilliseconds + window > uptime {
                lane.stop(before: row, until: row.uptimeMilliseconds + window)
                break
            }
            lane.gather()
            taken.append(row.n)
        }
        lane.endGathering([])
        return taken
    }

    @Test func `rows go oldest first, up to the first that is young, and that one when it has got old`() throws {
        var lane = HistoryLane(rate: 0)
        let table = RowTable()
        for n in 1...1_000 { table.append(Int64(n), up: Int64(n) * 10) }
        #expect(try Self.take(&lane, table, at: 15_000) == Array(1...500))
        #expect(lane.nextLook == 15_010)
        #expect(lane.isIdle(at: 15_009))
        #expect(!lane.isIdle(at: 15_010))
        #expect(try Self.take(&lane, table, at: 15_009).isEmpty)
        #expect(try Self.take(&lane, table, at: 15_010) == [501])
        #expect(try Self.take(&lane, table, at: 30_000) == Array(502...1_000))
        #expect(lane.nextLook == nil)
    }

    @Test func `while everything is delivered live, the lane reads one row a window`() throws {
        var lane = HistoryLane(rate: 0)
        let table = RowTable()
        for second in 0..<60 {
            for sensor in 0..<200 { table.append(Int64(second * 200 + sensor + 1), up: Int64(second) * 1_000) }
            lane.expectRows()
            #expect(try Self.take(&lane, table, at: Int64(second) * 1_000).isEmpty)
            table.rows.removeAll()
        }
        #expect(table.reads <= 14)
    }

    @Test func `what was read and not sent is read again`() throws {
        var lane = HistoryLane(rate: 0)
        let table = RowTable()
        for n in 1...10 { table.append(Int64(n), device: Int64(n % 2), up: 0) }
        #expect(try Self.take(&lane, table, at: 20_000) == Array(1...10))
        // 1 to 4 are on their way, 5 was refused.
        lane.goBack(to: 4, underway: [1, 2, 3, 4])
        #expect(try Self.take(&lane, table, at: 20_000) == Array(5...10))
        lane.begin()
        #expect(try Self.take(&lane, table, at: 20_000) == Array(1...10))
    }

    @Test func `a row that is kept back holds up none after it, and is read when it is let go`() throws {
        var lane = HistoryLane(rate: 0)
        let table = RowTable()
        for n in 1...10 { table.append(Int64(n), up: 0) }
        lane.beginGathering()
        var taken: [Int64] = []
        while let row = try lane.nextRow(from: table, at: 20_000) {
            if row.n == 3 || row.n == 5 {
                lane.pass(row)
            } else {
                lane.gather()
                taken.append(row.n)
            }
        }
        // The lane keeps its rows while there is something to send.
        lane.catchUp(held: [], underway: [])
        lane.endGathering([])
        #expect(taken == [1, 2, 4, 6, 7, 8, 9, 10])
        lane.catchUp(held: [3, 5], underway: [])
        #expect(try Self.take(&lane, table, at: 20_000).isEmpty)
        lane.forget([3])
        lane.catchUp(held: [], underway: [1, 2, 4, 6, 7, 8, 9])
        #expect(!lane.hasPassed)
        table.remove([3])
        #expect(try Self.take(&lane, table, at: 20_000) == [5, 10])
    }

    @Test func `going back before a gathering's beginning does not lose what it has not sent`() throws {
        var lane = HistoryLane(rate: 0)
        let table = RowTable()
        for n in 1...10 { table.append(Int64(n), up: 0) }
        lane.beginGathering()
        for _ in 0..<6 { _ = try lane.nextRow(from: table, at: 20_000) }
        lane.endGathering([OutgoingMessage(topic: "x", payload: [], device: 1, rows: [1, 2, 3, 4, 5, 6])])
        lane.goBack(to: 8, underway: [])
        #expect(!lane.hasMessages)
        #expect(try Self.take(&lane, table, at: 20_000) == Array(1...10))
    }

    @Test func `rows of a refused device are passed over, in steps`() throws {
        var lane = HistoryLane(rate: 0)
        let table = RowTable()
        for n in 1...6_000 { table.append(Int64(n), device: 1, up: 0) }
        table.append(6_001, device: 2, up: 0)
        _ = lane.refused.refuse(1, row: 1, .notAuthorized, at: .zero, spread: 1)
        #expect(try lane.nextRow(from: table, at: 20_000) == nil)
        #expect(table.reads < 12)
        #expect(lane.nextLook ?? .max <= 20_000, "there is more to read at once")
        #expect(try lane.nextRow(from: table, at: 20_000) == nil)
        #expect(try lane.nextRow(from: table, at: 20_000)?.n == 6_001)
    }

    @Test func `a pause stops everything, and draining knows no rate`() {
        var lane = HistoryLane(rate: 10)
        let now = MonotonicTime(nanoseconds: 1)
        #expect(lane.isOpen(at: now) == true)
        lane.sent(rows: 1_000)
        #expect(lane.isOpen(at: now) == false)
        lane.change(to: .draining)
        #expect(lane.isOpen(at: now) == true)
        lane.change(to: .paused)
        #expect(lane.isOpen(at: now + .seconds(3_600)) == false)
        lane.change(to: .normal)
        #expect(lane.isOpen(at: now + .seconds(3_600)) == true)
    }

    // MARK: - Rate

    @Test(arguments: [1, 50, 5_000], [1, 20, 260])
    func `the rate holds over time, whatever the messages' sizes`(_ rate: Int, _ rows: Int) {
        var bucket = TokenBucket(rate: rate)
        var now = MonotonicTime(nanoseconds: 5)
        var sent = 0
        let end = now + .seconds(1_000)
        while now < end {
            while bucket.isOpen(at: now) {
                bucket.spend(rows)
                sent += rows
            }
            now = now + bucket.wait
        }
        // A second's worth beforehand, a message over, and 1 % of a row's time at each opening.
        #expect(sent <= rate * 1_001 + rows)
        #expect(Double(sent) >= Double(rate) * 1_000 * 0.98)
    }

    @Test func `a rate of 0 has no limit`() {
        var bucket = TokenBucket(rate: 0)
        bucket.spend(1 << 40)
        #expect(bucket.isOpen(at: .zero) == true)
        #expect(bucket.wait == .zero)
    }

    @Test func `what is granted goes on top of the rate`() {
        var bucket = TokenBucket(rate: 10)
        let now = MonotonicTime(nanoseconds: 1)
        _ = bucket.isOpen(at: now)
        bucket.spend(10)
        #expect(bucket.isOpen(at: now) == false)
        bucket.grant(100)
        #expect(bucket.isOpen(at: now) == true)
        bucket.spend(100)
        #expect(bucket.isOpen(at: now) == false)
        #expect(bucket.isOpen(at: now + .milliseconds(200)) == true)
        bucket.grant(5)
        bucket.forgetCredit()
        bucket.spend(3)
        #expect(bucket.isOpen(at: now + .milliseconds(200)) == false)
    }
}
