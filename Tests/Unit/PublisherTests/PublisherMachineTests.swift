// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import MQTT
import Testing

@testable import GatewayBench
@testable import Publisher
@testable import Readings

/// The effects of the publisher's machine, and their times; no broker, no journal, no clock.
struct PublisherMachineTests {
    @Test func `a connection begins with what the gateway says of itself and its sensors`() {
        var bench = MachineBench()
        bench.machine.setAvailability(.online, of: "sensor-1", at: bench.moment.now, from: bench.table)
        bench.begin()
        bench.publish()
        #expect(bench.topics == ["gw/gw/status", "gw/gw/info", "dev/sensor-1/availability"])
        #expect(bench.sent.allSatisfy { $0.retain })
        #expect(bench.table.facts == ["retained:martlet/dev/sensor-1/availability": "sensor-1"])
        // Statistics come with the status, and need no acknowledgement.
        #expect(bench.mentioned.map(\.topic) == ["martlet/gw/gw/stats"])
    }

    @Test func `a young reading goes by itself, old ones go together, and acknowledgements give them back`() {
        var bench = MachineBench()
        bench.beginQuietly()
        bench.append(1_000, 2_000, 99_000)
        bench.publish()
        #expect(bench.topics == ["dev/sensor-1/state", "dev/sensor-1/history"])
        #expect(bench.sent.last?.rows == [1, 2])
        #expect(bench.acknowledged.isEmpty)
        bench.acknowledgeAll()
        #expect(bench.acknowledged == [3, 1, 2])
        bench.publish()
        #expect(bench.sent.count == 2, "nothing goes twice")
    }

    @Test func `readings that another gateway took before carry its name, on one topic and in one message with ours`() {
        var bench = MachineBench()
        bench.table.facts = [RowOwners.currentKey: "gw", RowOwners.formersKey: "gw-first 1,gw-second 3"]
        bench.beginQuietly()
        bench.append(1_000, 2_000, 3_000, 4_000, 99_000)
        bench.publish()
        #expect(bench.topics == ["dev/sensor-1/state", "dev/sensor-1/history"])
        let names = bench.sent.map { message in
            String(decoding: message.payload, as: UTF8.self).split(separator: "\"gw\":\"").dropFirst().map {
                $0.prefix { $0 != "\"" }
            }
        }
        #expect(names == [["gw"], ["gw-first", "gw-second", "gw-second", "gw"]])
    }

    @Test func `a part of what may be on its way is kept for the present`() {
        var bench = MachineBench { $0.historyMaximumBytes = 1 }
        bench.beginQuietly(receiveMaximum: 4)
        bench.append(1_000, 2_000, 3_000, 4_000, 5_000)
        bench.publish()
        #expect(bench.topics == Array(repeating: "dev/sensor-1/history", count: 2))
        bench.append(99_000, 99_001)
        bench.publish()
        #expect(bench.topics.suffix(2) == ["dev/sensor-1/state", "dev/sensor-1/state"])
    }

    @Test func `what the socket has not taken holds up history and not the present`() {
        var bench = MachineBench()
        bench.beginQuietly()
        bench.append(1_000, 99_000)
        bench.publish(isWriting: true)
        #expect(bench.topics == ["dev/sensor-1/state"])
        bench.publish()
        #expect(bench.topics == ["dev/sensor-1/state", "dev/sensor-1/history"])
    }

    @Test func `what is given up between two values is not sent as history in the same turn`() {
        var bench = MachineBench {
            $0.pacing.minimumInterval = .seconds(60)
            $0.pacing.suppressed = .drop
            $0.liveWindow = .seconds(10)
        }
        bench.beginQuietly()
        bench.append(99_000, 99_100, 99_200)
        bench.publish()
        #expect(bench.topics == ["dev/sensor-1/state"])
        #expect(bench.dropped == [2: .coalesced])
        bench.uptime += 60_000
        bench.publish()
        bench.acknowledgeAll()
        #expect(bench.acknowledged.sorted() == [1, 3])
        #expect(bench.dropped == [2: .coalesced])
    }

    @Test func `what a sensor sends in turns is paced each for itself, and acknowledged so`() {
        var bench = MachineBench { $0.pacing.minimumInterval = .seconds(60) }
        bench.beginQuietly()
        bench.table.characteristicNames[3] = "mibeacon"
        func append(_ kind: UInt8) {
            let n = bench.table.greatestNumber + 1
            bench.table.append(
                n, characteristic: 3, up: bench.uptime, value: [0xAA, 0x01, kind, 0x10, 2, UInt8(n), 0])
            bench.machine.live.expectRows()
        }
        for _ in 1...3 {
            append(0x04)
            append(0x06)
        }
        bench.publish()
        #expect(bench.sent.map { String(decoding: $0.payload, as: UTF8.self).contains("humidity") } == [false, true])
        bench.acknowledgeAll()
        #expect(bench.acknowledged == [1, 2])
        bench.uptime += 60_000
        bench.publish()
        bench.acknowledgeAll()
        #expect(bench.acknowledged.contains(5) && bench.acknowledged.contains(6))
        // No later connection sends a row older than the acknowledged rows.
        #expect(bench.machine.live.waitingRows.isEmpty)
    }

    @Test func `a reading that fits into no packet is given up, and those behind it go on`() {
        var bench = MachineBench()
        bench.beginQuietly()
        bench.maximum = 100
        bench.append(1_000)
        bench.publish()
        #expect(bench.sent.isEmpty)
        #expect(bench.dropped == [1: .refused])
        #expect(bench.lines.contains { $0.contains("does not take a message of its size") })
        bench.maximum = .max
        bench.append(2_000)
        bench.publish()
        #expect(bench.sent.map(\.rows) == [[2]])
        #expect(bench.machine.counts.history == 1)
    }

    @Test(arguments: [0.5, 1.5])
    func `a used up quota holds everything up for a wait that chance spreads`(spread: Double) {
        var bench = MachineBench()
        bench.beginQuietly()
        bench.spread = spread
        bench.append(99_000)
        bench.publish()
        bench.refuseOldest(.quotaExceeded)
        bench.publish()
        #expect(bench.sent.count == 1)
        let wait = bench.machine.wait(from: bench.moment)
        #expect(wait == .seconds(1) * spread)
        bench.uptime += Int64(1_000 * spread)
        bench.publish()
        #expect(bench.topics == ["dev/sensor-1/state", "dev/sensor-1/state"])
    }

    @Test func `what waits for an acknowledgement has no deadline`() {
        var bench = MachineBench()
        bench.begin(receiveMaximum: 1)
        bench.append(99_000, 99_001)
        bench.publish()
        #expect(bench.machine.inFlightCount == 1)
        let due = bench.machine.wait(from: bench.moment)
        #expect(due == nil)
    }

    @Test func `while the journal cannot be read nothing is due, and that is said now and then`() {
        var bench = MachineBench { $0.pacing.minimumInterval = .milliseconds(1) }
        bench.beginQuietly()
        // A value whose interval has ended, and refused devices.
        for n in 1...2 {
            let row = bench.table.append(Int64(n), up: 0)
            let stream = LiveLane.Stream(row, about: nil)
            _ = bench.machine.live.judge(row, of: stream, bench.machine.configuration.pacing, at: 0)
        }
        bench.machine.live.endIntervals()
        _ = bench.machine.live.refused.refuse(1, row: 1, .notAuthorized, at: .zero, spread: 1)
        _ = bench.machine.history.refused.refuse(1, row: 1, .notAuthorized, at: .zero, spread: 1)
        _ = bench.machine.gateway.takeStatistics(at: bench.moment.now, every: .seconds(3_600))
        let due = bench.machine.wait(from: bench.moment)
        #expect(due ?? .seconds(60) <= .zero)
        for _ in 0..<20 {
            bench.machine.cannotRead(MQTTFailure.noAnswer, at: bench.moment.now)
            let due = bench.machine.wait(from: bench.moment)
            #expect(due == PublisherMachine.holdInterval)
            bench.uptime += 1_000
        }
        bench.perform()
        #expect(bench.lines.count { $0.contains("journal cannot be read") } == 5)
    }

    @Test func `a journal that is not open yet is looked at ten times a second, and its values go out afterwards`() {
        var bench = MachineBench(isOpening: true)
        bench.beginQuietly()
        _ = bench.machine.gateway.takeStatistics(at: bench.moment.now, every: .seconds(3_600))
        for _ in 0..<5 {
            bench.publish()
            let wait = bench.machine.wait(from: bench.moment)
            #expect(wait == ReadRetry.openingPause)
            bench.uptime += 100
        }
        bench.table.isOpening = false
        bench.append(bench.uptime)
        bench.publish()
        #expect(bench.sent.count + bench.waiting.count > 0)
        #expect(!bench.lines.contains { $0.contains("cannot be read") })
    }

    @Test func `an acknowledgement does not undo what was said of a sensor that came back`() throws {
        var bench = MachineBench()
        bench.beginQuietly()
        let topic = "martlet/dev/sensor-1/availability"
        bench.machine.setAvailability(.online, of: "sensor-1", at: bench.moment.now, from: bench.table)
        bench.perform()
        bench.machine.setAvailability(.gone, of: "sensor-1", at: bench.moment.now, from: bench.table)
        let next = bench.machine.control.popFirst()
        let clearing = try #require(next)
        #expect(clearing.payload.isEmpty)
        bench.machine.setAvailability(.online, of: "sensor-1", at: bench.moment.now, from: bench.table)
        bench.machine.controlAcknowledged(clearing)
        bench.perform()
        #expect(bench.table.facts == ["retained:" + topic: "sensor-1"])
    }

    @Test func `the layout says what is said at the end`() {
        var bench = MachineBench()
        bench.beginQuietly()
        bench.machine.sayOffline(at: bench.moment)
        bench.perform()
        #expect(bench.sent == [bench.machine.layout.goodbye])
        #expect(!bench.machine.isOffline)
        bench.acknowledgeAll()
        #expect(bench.machine.isOffline)
    }

    @Test func `an id that comes round again before its acknowledgement is noticed`() throws {
        var places = MessagePlaces()
        try places.record(1, 7)
        try places.record(2)
        #expect(throws: MQTTFailure.messageIDsUsedUp) { try places.record(1, 8) }
        #expect(throws: MQTTFailure.messageIDsUsedUp) { try places.record(1) }
        #expect(places.take(1) == 7)
        #expect(places.take(2) == nil)
        try places.record(1, 8)
        #expect(places.take(1) == 8)
    }
}
