// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SparkplugB
import Testing

@testable import GatewayBench
@testable import MQTT
@testable import Publisher
@testable import Readings

/// The publisher's machine as an edge node of Sparkplug B.
struct SparkplugPublisherTests {
    private static func bench(_ change: (inout MQTTConfiguration) -> Void = { _ in }) -> MachineBench {
        MachineBench {
            $0.format = .sparkplug
            $0.sparkplug.group = "plant"
            change(&$0)
        }
    }

    private static func message(_ topic: String, _ payload: [UInt8], isRetained: Bool = false) throws -> IncomingMessage
    {
        IncomingMessage(
            topic: try TopicName(topic), payload: payload, quality: .atLeastOnce, isRetained: isRetained)
    }

    @Test func `births go first, readings are data with QoS 0, and are given back when they have left`() {
        var bench = Self.bench()
        bench.machine.setAvailability(.online, of: "sensor-1", at: bench.moment.now, from: bench.table)
        bench.begin()
        bench.append(1_000, 2_000, 99_000)
        bench.publish()
        #expect(
            bench.said == [
                "NBIRTH/gw", "DBIRTH/gw/sensor-1", "DDATA/gw/sensor-1", "DDATA/gw/sensor-1",
            ])
        #expect(bench.sent.map(\.rows) == [[3], [1, 2]], "the present, then the past")
        #expect(bench.sent.map { $0.data?.isHistorical } == [false, true])
        #expect(bench.sent.allSatisfy { $0.quality == .atMostOnce && !$0.retain && $0.order == .next })
        #expect(bench.table.facts.isEmpty, "nothing is retained")
        bench.acknowledgeAll()
        #expect(bench.acknowledged == [3, 1, 2])
    }

    @Test func `readings wait for the host application, go as the past when it is there, and a drain does not wait`()
        throws
    {
        var bench = Self.bench { $0.sparkplug.primaryHost = "scada" }
        bench.begin()
        bench.append(99_000)
        bench.publish()
        #expect(bench.said.isEmpty)
        #expect(bench.machine.complaint == "readings wait for the Sparkplug host application scada to be online")
        let pause = bench.wait()
        let wait = try #require(pause)
        #expect(wait > .zero, "it does not spin")
        let isDrained = bench.machine.isDrained(at: bench.moment, from: bench.table)
        #expect(isDrained, "the end is not held up")
        bench.machine.sayOffline(at: bench.moment)
        bench.perform()
        #expect(bench.machine.isOffline)
        #expect(bench.said.isEmpty, "who was not born does not die")
        bench.uptime += 60_000
        // A host with a wrong clock: its time blocks no state that comes more than a minute from now.
        let state = [UInt8](#"{"online":true,"timestamp":9223372036854775807}"#.utf8)
        bench.machine.received(try Self.message("spBv1.0/STATE/scada", state, isRetained: true), at: bench.moment)
        bench.publish()
        #expect(bench.said == ["NBIRTH/gw", "DBIRTH/gw/sensor-1", "DDATA/gw/sensor-1"])
        #expect(bench.sent.last?.data?.isHistorical == true)
        #expect(bench.machine.complaint == nil)
        let offline = [UInt8](#"{"online":false,"timestamp":\#(bench.moment.wall + 60_000)}"#.utf8)
        bench.machine.received(try Self.message("spBv1.0/STATE/scada", offline), at: bench.moment)
        #expect(bench.machine.wantsNewSession)
        bench.append(159_000)
        bench.publish()
        #expect(bench.sent.count == 1, "nothing more is said")
        bench.machine.sayOffline(at: bench.moment)
        bench.perform()
        #expect(bench.said.last == "NDEATH/gw")
        #expect(bench.sent.last?.quality == .atLeastOnce)
    }

    @Test func `a rebirth is obeyed; one that the broker has retained was meant for another time`() throws {
        var bench = Self.bench()
        bench.begin()
        bench.publish()
        let rebirth = [UInt8](
            "\u{12}\u{18}\u{0A}\u{14}Node Control/Rebirth\u{70}\u{01}".utf8)
        bench.uptime += 10_000
        bench.machine.received(try Self.message("spBv1.0/plant/NCMD/gw", rebirth, isRetained: true), at: bench.moment)
        bench.publish()
        #expect(bench.said == ["NBIRTH/gw"])
        bench.machine.received(try Self.message("spBv1.0/plant/NCMD/gw", rebirth), at: bench.moment)
        bench.publish()
        #expect(bench.said == ["NBIRTH/gw", "NBIRTH/gw"])
    }

    @Test func `commands that nobody may give are told of at doubling distances`() throws {
        var bench = Self.bench()
        bench.begin()
        for _ in 0..<100 {
            bench.machine.received(try Self.message("spBv1.0/plant/NCMD/gw", [0xFF]), at: bench.moment)
        }
        bench.perform()
        #expect(bench.lines.count { $0.contains("a message is ignored") } == 7)
    }

    @Test func `the will has the number of the birth, which outlives the process`() {
        var bench = Self.bench()
        for session in 0..<3 {
            let will = bench.machine.will(at: bench.moment, from: bench.table)
            bench.perform()
            #expect(will.topic == "spBv1.0/plant/NDEATH/gw")
            #expect(bench.table.facts["sparkplug:bdseq"] == "\(session)")
            bench.machine.usedWill()
        }
        var next = Self.bench()
        next.table.facts = bench.table.facts
        _ = next.machine.will(at: next.moment, from: next.table)
        next.perform()
        #expect(next.table.facts["sparkplug:bdseq"] == "3")
    }

    @Test func `what is subscribed to are commands and the host application's state`() {
        var configuration = MQTTConfiguration()
        let topics = Topics(prefix: "martlet", gateway: "gw")
        #expect(configuration.subscriptions(topics).isEmpty)
        configuration.sparkplug.primaryHost = "scada"
        #expect(configuration.subscriptions(topics).isEmpty, "where JSON is spoken")
        configuration.format = .sparkplug
        let wanted = configuration.subscriptions(topics)
        #expect(wanted.map(\.filter.text) == ["spBv1.0/martlet/NCMD/gw", "spBv1.0/STATE/scada"])
        #expect(wanted.map(\.retainHandling) == [.never, .always])
    }

    // MARK: - Metrics

    static let fields: [(field: Field, name: String, value: SparkplugMetric.Value, unit: String?)] = [
        (.decimal(.temperature, 2_430, places: 2), "temperature", .double(24.3), "°C"),
        (Field(.temperature, .int(7), index: 2), "temperature_2", .double(7), "°C"),
        (.binary(.window, true), "window", .boolean(true), nil),
        (.text(.button, "press"), "button", .string("press"), nil),
        (.text(.temperature, "cold"), "temperature/text", .string("cold"), "°C"),
        (
            Field(.rrInterval, .array([.int(1), .decimal(.init(mantissa: 85, places: 2))])), "rr_interval",
            .string("[1,0.85]"), "s"
        ),
    ]

    @Test(arguments: fields) func `a quantity is a metric of one type`(
        field: Field, name: String, value: SparkplugMetric.Value, unit: String?
    ) {
        let composer = SparkplugComposer(topics: SparkplugTopics(group: "plant", node: "gw"))
        let row = RowTable().append(1, up: 5)
        let metrics = composer.metrics(
            of: row, time: ReadingTime(unixMilliseconds: 7, quality: .synced), fields: [field], characteristic: "x",
            isHistorical: false, now: 9)
        let units: [SparkplugMetric.Property] = unit.map { [.init("engUnit", $0)] } ?? []
        #expect(metrics == [SparkplugMetric(name, value, at: 7, properties: units)])
    }

    @Test func `a value that nobody understood goes as it is, and a time that is not known says so`() {
        let composer = SparkplugComposer(topics: SparkplugTopics(group: "plant", node: "gw"))
        var row = RowTable().append(1, up: 5, value: [0xAB, 0x01])
        row.rssi = -71
        let metrics = composer.metrics(
            of: row, time: .unknown, fields: nil, characteristic: "5e4d", isHistorical: true, now: 9)
        let clock = SparkplugMetric.Property("clock", "unsynced")
        #expect(
            metrics == [
                SparkplugMetric("raw/5e4d", .string("ab01"), at: 9, isHistorical: true, properties: [clock]),
                SparkplugMetric(
                    "rssi", .int64(-71), at: 9, isHistorical: true, properties: [.init("engUnit", "dBm"), clock]),
            ])
    }
}
