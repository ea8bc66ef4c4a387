// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Platform
import Testing

@testable import GatewayBench
@testable import Journal
@testable import Platform
@testable import Publisher
@testable import Readings

/// The publisher's behaviour without a broker, without the time, and after a restart of the gateway.
@Suite("Outages", .serialized)
struct OutageTests {
    @Test("readings of a broker outage all arrive afterwards, in order, and as history")
    func brokerRestart() async throws {
        let broker = try Broker()
        let machine = TurnedClock(unix: 1_780_000_000_000)
        let rig = try Rig(broker, clock: machine.makeClock(ClockConfiguration(requiresSynchronization: false)))
        let subscriber = try Subscriber(port: broker.port)
        let publisher = rig.publisher { $0.liveWindow = .seconds(3) }
        publisher.start()
        rig.append(100)
        #expect(await eventually { rig.journal.statistics.delivered == 100 && subscriber.readings.count == 100 })
        // The broker itself repeats messages that its subscriber has not acknowledged before the stop.
        try await Task.sleep(for: .milliseconds(200))
        broker.stop()
        #expect(await eventually { !publisher.statistics.connected })
        rig.append(500)
        #expect(await eventually { rig.journal.statistics.buffered == 500 })
        // The outage outlasts the live window.
        machine.pass(3_200)
        try broker.start()
        #expect(await eventually { rig.journal.statistics.delivered == 600 })
        rig.append(100)
        #expect(await eventually { rig.journal.statistics.delivered == 700 && subscriber.readings.count >= 700 })
        _ = await settled { subscriber.readings.count }
        #expect(subscriber.numbers.sorted() == Array(1...700))
        for (_, readings) in Dictionary(grouping: subscriber.readings, by: { $0["dev"] as? String ?? "" }) {
            let numbers = readings.compactMap { $0["n"] as? Int }
            #expect(numbers == numbers.sorted())
        }
        let late = subscriber.readings.filter { (101...600).contains($0["n"] as? Int ?? 0) }
        #expect(late.count == 500)
        #expect(late.allSatisfy { $0["historical"] as? Bool == true })
        let after = subscriber.readings.filter { ($0["n"] as? Int ?? 0) > 600 }
        #expect(after.allSatisfy { $0["historical"] == nil })
        #expect(rig.journal.statistics.balances)
        #expect(publisher.statistics.reconnects == 1)
        #expect(subscriber.messages(on: "martlet/gw/gw-test/status").last?.payload == "online")
        publisher.stop(drainingFor: .seconds(1))
    }

    @Test("a broker with outages under load costs no reading; repeats have the same number and value")
    func flapping() async throws {
        let broker = try Broker()
        let rig = try Rig(broker)
        let subscriber = try Subscriber(port: broker.port)
        let publisher = rig.publisher()
        publisher.start()
        for _ in 0..<4 {
            for _ in 0..<40 {
                rig.append(20)
                try await Task.sleep(for: .milliseconds(2))
            }
            broker.stop()
            try broker.start()
        }
        #expect(await eventually { rig.journal.statistics.delivered == 3_200 })
        #expect(await eventually { Set(subscriber.numbers).count == 3_200 })
        #expect(Set(subscriber.numbers) == Set(1...3_200))
        var values: [Int: Double] = [:]
        for reading in subscriber.readings {
            let n = try #require(reading["n"] as? Int)
            let value = try #require((reading["temperature"] as? NSNumber)?.doubleValue)
            #expect(values[n] == nil || values[n] == value)
            values[n] = value
        }
        #expect(rig.journal.statistics.balances)
        publisher.stop(drainingFor: .seconds(1))
    }

    @Test("the next gateway delivers the undelivered readings of the former, with the same numbers")
    func gatewayRestart() async throws {
        let broker = try Broker()
        let folder = try TestFolder()
        let configuration = JournalConfiguration(path: folder.path("journal.db"), durability: .fast)
        let first = try Journal(configuration, clock: .system, logger: Sample.logger)
        first.append((0..<300).map { Sample.temperature(Int16($0)) })
        first.close()
        let subscriber = try Subscriber(port: broker.port)
        let journal = try Journal(configuration, clock: .system, logger: Sample.logger)
        var mqtt = MQTTConfiguration()
        mqtt.port = broker.port
        mqtt.historyRowsPerSecond = 0
        let publisher = Publisher(
            mqtt, gateway: "gw-test", information: Sample.information, journal: journal,
            clock: SystemClock(requireSynchronization: false), surroundings: PublisherSurroundings(randomness: .system),
            logger: Sample.logger)
        publisher.start()
        publisher.stop(drainingFor: .seconds(10))
        journal.close()
        #expect(await eventually { subscriber.readings.count >= 300 })
        _ = await settled { subscriber.readings.count }
        #expect(subscriber.numbers == Array(1...300))
        #expect(subscriber.readings.allSatisfy { $0["historical"] as? Bool == true }, "of another boot")
        #expect(journal.statistics.delivered == 300)
        #expect(journal.statistics.balances)
        withExtendedLifetime(broker) {}
    }

    enum Takeover { case reload, restart, lateJournal }

    @Test(
        "after a reload or a restart the broker gets no older value after a newer one",
        arguments: [Takeover.reload, .restart, .lateJournal])
    func takingOver(_ takeover: Takeover) async throws {
        let broker = try ScriptedBroker { ScriptedBroker.obliging($0) }
        let folder = try TestFolder()
        let configuration = JournalConfiguration(path: folder.path("state/journal.db"))
        let clock = SystemClock(requireSynchronization: false)
        var mqtt = MQTTConfiguration()
        mqtt.port = broker.port
        mqtt.liveWindow = .seconds(3_600)
        mqtt.pacing.minimumInterval = .seconds(600)
        func publisher(_ journal: Journal) -> Publisher {
            Publisher(
                mqtt, gateway: "gw-test", information: Sample.information, journal: journal, clock: clock,
                surroundings: PublisherSurroundings(randomness: .system), logger: Sample.logger)
        }
        var journal = try Journal(configuration, clock: .system, logger: Sample.logger)
        let first = publisher(journal)
        first.start()
        // Row 1 goes at once; row 2 is overtaken while it waits, and is history in an hour; row 3 goes at the end.
        journal.append((1...3).map { Sample.temperature($0, at: clock.stamp()) })
        #expect(await eventually { journal.statistics.delivered == 1 && journal.statistics.buffered == 2 })
        first.stop(drainingFor: .seconds(10))
        let isLate = takeover == .lateJournal
        if takeover != .reload {
            journal.close()
            // A file where the folder should be.
            if isLate {
                try FileManager.default.moveItem(atPath: folder.path("state"), toPath: folder.path("away"))
                try Data().write(to: URL(fileURLWithPath: folder.path("state")))
            }
            journal = try Journal(configuration, clock: .system, logger: Sample.logger)
        }
        let second = publisher(journal)
        second.start()
        #expect(await eventually { second.statistics.connected })
        if isLate {
            #expect(journal.statistics.problem != nil)
            try FileManager.default.removeItem(atPath: folder.path("state"))
            try FileManager.default.moveItem(atPath: folder.path("away"), toPath: folder.path("state"))
            #expect(await eventually { journal.statistics.buffered == 1 && journal.statistics.problem == nil })
        }
        journal.append([Sample.temperature(4, at: clock.stamp())])
        #expect(await eventually { journal.statistics.delivered == 3 })
        second.stop(drainingFor: .seconds(1))
        #expect(broker.readings.compactMap { $0["n"] as? Int } == [1, 3, 4])
        journal.close()
        #expect(journal.statistics.buffered == 1 && journal.statistics.balances)
    }

    @Test("a stop delivers waiting readings, and ends in time without a broker")
    func stop() async throws {
        let broker = try Broker()
        let rig = try Rig(broker)
        let publisher = rig.publisher()
        publisher.start()
        rig.append(1_000)
        publisher.stop(drainingFor: .seconds(10))
        rig.journal.close()
        #expect(rig.journal.statistics.delivered == 1_000)

        let lonely = try Rig(portWithoutBroker: try TestPorts.next())
        let other = lonely.publisher { $0.reconnectDelay = .seconds(30)...(.seconds(60)) }
        other.start()
        lonely.append(10)
        #expect(await eventually { other.statistics.lastError != nil })
        other.stop(drainingFor: .seconds(30))
        lonely.journal.close()
        #expect(lonely.journal.statistics.buffered == 10)
        #expect(lonely.journal.statistics.balances)
    }

    @Test("readings without a time wait for a time, and go out with an estimate before later ones")
    func clock() async throws {
        let broker = try Broker()
        let clock = TestClock(Sample.unsynced(boot: "bbbbbbbb", up: 1_000))
        let rig = try Rig(broker, clock: clock)
        let subscriber = try Subscriber(port: broker.port)
        let publisher = rig.publisher()
        publisher.start()
        // Two readings of an earlier boot without a time, three of this boot.
        rig.append(2, at: Sample.unsynced(boot: "aaaaaaaa", up: 50_000))
        rig.append(3)
        #expect(await eventually { rig.journal.statistics.buffered == 5 && publisher.statistics.connected })
        #expect(publisher.statistics.published == 0)
        let right = TimeStamp(
            boot: "bbbbbbbb", uptimeMilliseconds: 3_000, unixMilliseconds: 1_700_000_003_000, quality: .synced)
        clock.set(right)
        rig.append(2)
        #expect(await eventually { subscriber.readings.count >= 7 })
        _ = await settled { subscriber.readings.count }
        let readings = subscriber.readings.sorted { ($0["n"] as? Int ?? 0) < ($1["n"] as? Int ?? 0) }
        #expect(readings.compactMap { $0["n"] as? Int } == Array(1...7))
        #expect(
            readings.map { $0["clock"] as? String } == [
                "unsynced", "unsynced", "estimated", "estimated", "estimated", "synced", "synced",
            ])
        #expect(
            readings.map { $0["ts"] as? Int } == [nil, nil] + Array(repeating: 1_700_000_001_000, count: 3)
                + Array(repeating: 1_700_000_003_000, count: 2))
        #expect(readings.map { $0["historical"] as? Bool } == [true, true, nil, nil, nil, nil, nil])
        publisher.stop(drainingFor: .seconds(1))
    }

    @Test("with publishUnsynced readings without a time go at once, without ts")
    func publishUnsynced() async throws {
        let broker = try Broker()
        let rig = try Rig(broker, clock: TestClock(Sample.unsynced(boot: "bbbbbbbb", up: 1_000)))
        let subscriber = try Subscriber(port: broker.port)
        let publisher = rig.publisher { $0.publishUnsynced = true }
        publisher.start()
        rig.append(3)
        #expect(await eventually { subscriber.readings.count >= 3 })
        _ = await settled { subscriber.readings.count }
        #expect(subscriber.readings.count == 3)
        #expect(subscriber.readings.allSatisfy { $0["ts"] == nil && $0["time"] == nil && $0["up_ms"] as? Int == 1_000 })
        publisher.stop(drainingFor: .seconds(1))
    }
}
