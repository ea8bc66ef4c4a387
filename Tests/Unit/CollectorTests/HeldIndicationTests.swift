// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Logging
import Synchronization
import Testing
import VirtualRadio

@testable import Collector
@testable import Gateway
@testable import GatewayBench
@testable import Journal
@testable import Platform
@testable import Readings

@Suite("Indicated values", .serialized, .ownThread, .timeLimit(.minutes(10)))
struct HeldIndicationTests {
    @Test("a sensor gets the confirmation when its value is durable, and then sends the next value, in order")
    func durable() throws {
        let disk = SlowDisk()
        let scene = try IndicationScene(outlet: disk.outlet)
        for index in 0..<5 {
            let isThere = blockingEventually { disk.asked == index + 1 }
            try #require(isThere)
            if index.isMultiple(of: 2) { try scene.wait() }
            #expect(disk.asked == index + 1 && scene.sent.count == index + 1)
            disk.answer(index, true)
            // Asked once, told twice: harmless.
            disk.answer(index, true)
        }
        #expect(disk.values.prefix(5) == scene.sent.prefix(5))
        #expect(disk.sources.allSatisfy { $0 == .indicate })
        #expect(scene.status?.unconfirmed == 0 && scene.radio.violations(of: scene.sensor).isEmpty)
    }

    @Test("no value is confirmed before its transaction, however slow the disk is")
    func journal() throws {
        let folder = try TestFolder()
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let journal = try Journal(
            JournalConfiguration(path: folder.path("journal.db"), commitInterval: .milliseconds(10)), clock: .system,
            logger: logger)
        defer { journal.close() }
        let gate = DispatchSemaphore(value: 0)
        let isBlocked = DispatchSemaphore(value: 0)
        let stamp = SystemClock(requireSynchronization: false).stamp()
        let first = Reading(
            device: "other", characteristic: "2a6e", source: .notify, value: [1], rssi: nil, stamp: stamp)
        // The journal's own queue waits here, as for a disk that does not answer.
        journal.append([first]) { _ in
            isBlocked.signal()
            gate.wait()
        }
        isBlocked.wait()
        let scene = try IndicationScene(
            outlet: CollectorOutlet(
                append: { journal.append($0) }, appendWhenDurable: { journal.append($0, whenDurable: $1) },
                countGap: { _, _ in }, setAvailability: { _, _ in }, identifier: { _ in nil }, keep: { _, _ in }))
        defer { gate.signal() }
        let isHeld = blockingEventually { scene.sent.count == 1 && journal.pendingCount == 1 }
        #expect(isHeld)
        try scene.wait()
        #expect(scene.sent.count == 1)
        #expect(try journal.rows(after: 0, limit: 10).count == 1)
        gate.signal()
        let goesOn = blockingEventually { scene.sent.count >= 4 }
        #expect(goesOn)
        // All readings are on disk, except the reading on its way.
        let rows = try journal.rows(after: 0, limit: 1_000)
        let sent = scene.sent.prefix(3)
        #expect(rows.dropFirst().prefix(3).map(\.value) == Array(sent))
        #expect(scene.radio.violations(of: scene.sensor).isEmpty)
    }

    @Test("a link with a value that waits for the disk is not made anew, and forgets the value at its end")
    func upkeep() throws {
        let disk = SlowDisk()
        let scene = try IndicationScene(outlet: disk.outlet)
        let isHeld = blockingEventually { disk.asked == 1 }
        try #require(isHeld)
        let held = scene.collector.queue.sync { scene.collector.linked.values.first { $0.device == "one" }?.upkeep }
        var upkeep = try #require(held)
        #expect(upkeep.isBusy && !upkeep.indications.isEmpty)
        upkeep.quiet.checked()
        let renewed = upkeep.takeRenewal(silentSince: 0, limit: 100, at: 1_000)
        #expect(renewed == nil)
        var (ended, removed) = (upkeep, upkeep)
        ended.linkEnded()
        removed.sensorRemoved()
        #expect(ended.indications.isEmpty && !ended.isBusy && ended.quiet.isFine)
        #expect(removed.indications.isEmpty && !removed.isBusy && !removed.quiet.isFine)
        let after = removed.takeRenewal(silentSince: 0, limit: 100, at: 1_000)
        #expect(after == 1_000)
    }

    @Test("a value that is not durable within the limit ends the link, is counted, and comes again on the next link")
    func limit() throws {
        let disk = SlowDisk()
        let scene = try IndicationScene(limit: .seconds(8), outlet: disk.outlet)
        let isAgain = blockingEventually { disk.asked == 2 }
        try #require(isAgain)
        let status = try #require(scene.status)
        #expect(status.unconfirmed == 1 && status.drops == 1)
        #expect(status.reconnects == ["indication not confirmed: the journal was too slow": 1])
        // An indication of the former link: too late.
        disk.answer(0, true)
        try scene.wait()
        #expect(disk.asked == 2)
        disk.answer(1, true)
        let goesOn = blockingEventually { disk.asked == 3 }
        #expect(goesOn)
        #expect(scene.radio.violations(of: scene.sensor).isEmpty)
    }

    @Test("a dropped value is not confirmed either")
    func dropped() throws {
        let disk = SlowDisk()
        let scene = try IndicationScene(limit: .seconds(8), outlet: disk.outlet)
        let isThere = blockingEventually { disk.asked == 1 }
        try #require(isThere)
        disk.answer(0, false)
        try scene.wait()
        #expect(disk.asked == 1 && scene.sent.count == 1 && scene.status?.link == .collecting)
        let isAgain = blockingEventually { disk.asked == 2 }
        #expect(isAgain && scene.status?.unconfirmed == 1)
        #expect(scene.radio.violations(of: scene.sensor).isEmpty)
    }

    @Test("a link lost during the wait for a value is set up anew, and the value is not confirmed")
    func lost() throws {
        let disk = SlowDisk()
        let scene = try IndicationScene(limit: .seconds(10), outlet: disk.outlet)
        let isThere = blockingEventually { disk.asked == 1 }
        try #require(isThere)
        scene.radio.simulateDisconnection(of: scene.sensor)
        let isAgain = blockingEventually { disk.asked == 2 }
        try #require(isAgain)
        disk.answer(0, true)
        try scene.wait()
        #expect(disk.asked == 2)
        disk.answer(1, true)
        let goesOn = blockingEventually { disk.asked == 3 }
        #expect(goesOn && scene.status?.unconfirmed == 0 && scene.status?.drops == 1)
        #expect(scene.radio.violations(of: scene.sensor).isEmpty)
    }

    @Test("the sensor's own numbers count missing values")
    func gaps() throws {
        let disk = SlowDisk()
        let feed = SensorRule.Feed(service: CounterService.service, characteristic: CounterService.value)
        let scene = try IndicationScene(.counter, outlet: disk.outlet) { rule in
            rule.sequence = SensorRule.Sequence(feed: feed)
            rule.sequence?.length = 4
        }
        // The places of an ended link must not be missing on the next link.
        for _ in 0..<3 {
            let count = disk.values.count
            let flows = blockingEventually { disk.values.count >= count + 10 }
            #expect(flows)
            scene.radio.simulateDisconnection(of: scene.sensor)
        }
        let count = disk.values.count
        let flows = blockingEventually { disk.values.count > count }
        #expect(flows)
        let numbers = disk.values.map { $0.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) } }
        let missing = zip(numbers, numbers.dropFirst()).reduce(0) { $0 + $1.1 - $1.0 - 1 }
        let isCounted = blockingEventually { scene.status?.gap ?? -1 >= missing }
        #expect(isCounted && (disk.gaps["one"] ?? 0) == scene.status?.gap)
        #expect(disk.sources.allSatisfy { $0 == .notify })
    }

    @Test("missing values between two runs of the gateway are counted after an orderly end")
    func resumption() throws {
        let disk = SlowDisk()
        // The counter begins with 0, and 4294967290 was seen last.
        disk.keep("4294967290", "sequence:one")
        let feed = SensorRule.Feed(service: CounterService.service, characteristic: CounterService.value)
        let scene = try IndicationScene(.counter, outlet: disk.outlet) { rule in
            rule.sequence = SensorRule.Sequence(feed: feed)
            rule.sequence?.length = 4
        }
        let flows = blockingEventually { disk.values.count >= 3 }
        #expect(flows && disk.gaps == ["one": 5])
        #expect(disk.fact("sequence:one") == "")
        scene.collector.stop(timeout: .seconds(2))
        let last = disk.values.last.map { $0.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) } }
        #expect(disk.fact("sequence:one") == last.map(String.init))
    }

    @Test("indicated values flow through a whole gateway as fast as its disk, not as its commits are apart")
    func wholeGateway() throws {
        let radio = VirtualRadio(seed: 9)
        let sensors = (1...3 as ClosedRange<UInt64>).map { number in
            radio.addSensor(
                VirtualSensor.Configuration(
                    address: DeviceAddress(kind: .random, value: 0xC000_0000_0000 | number),
                    name: "Thermometer \(number)", kind: .thermometer, rate: 50, advertisingInterval: .milliseconds(30))
            )
        }
        let scene = try GatewayScene(
            "[[sensor]]\nname = \"Thermometer *\"\nsubscribe = [\"1809/2a1c\"]\n", on: radio,
            journal: "commit_interval_ms = 60000")
        let flows = blockingEventually { sensors.allSatisfy { (radio.ledger(of: $0)?.accepted ?? 0) >= 10 } }
        let status = scene.gateway.status
        scene.gateway.stop()
        #expect(flows, "\(status.collector.sensors.map(\.readings))")
        #expect(status.collector.sensors.allSatisfy { $0.unconfirmed == 0 && $0.drops == 0 })
        for sensor in sensors { #expect(radio.violations(of: sensor).isEmpty) }
        // The file has every reading that the collector confirmed to a sensor.
        let confirmed = sensors.reduce(0) { $0 + (radio.ledger(of: $1)?.accepted ?? 1) - 1 }
        let journal = try Journal(scene.gateway.journal.configuration, clock: .system, logger: Sample.logger)
        #expect(journal.statistics.buffered >= confirmed && journal.statistics.balances)
        journal.close()
    }
}
