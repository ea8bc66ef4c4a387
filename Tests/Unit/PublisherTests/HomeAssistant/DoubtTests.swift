// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing

@testable import GatewayBench
@testable import MQTT
@testable import Publisher
@testable import Readings

/// Quantities in only one packet: some packets are damaged.
@Suite("Home Assistant: quantities from one packet")
struct DoubtTests {
    private static let document = "homeassistant/device/martlet_sensor-1/config"

    private static func bench(
        _ discovery: HomeAssistantConfiguration.Discovery = .device,
        _ change: (inout MQTTConfiguration) -> Void = { _ in }
    ) -> MachineBench {
        var bench = MachineBench {
            $0.homeAssistant.discovery = discovery
            change(&$0)
        }
        bench.table.characteristicNames[1] = "bthome"
        bench.begin()
        bench.say(.online)
        bench.settle(seconds: 1)
        return bench
    }

    private static let temperature: [UInt8] = [0x40, 0x02, 0xCA, 0x09]
    private static let tvoc: [UInt8] = [0x40, 0x13, 0xBF, 0x13]

    @Test func `a quantity is told of after its second packet, and what one packet alone says never is`() throws {
        var bench = Self.bench()
        bench.hear(Self.temperature)
        #expect(bench.told.isEmpty)
        #expect(bench.table.facts["home-assistant:sensor-1"] == ";0;temperature:1:1700000111")
        bench.hear(Self.tvoc)
        #expect(bench.told.isEmpty)
        bench.hear(Self.temperature)
        #expect(try bench.told.last?.object.components == ["temperature", "rssi"])
        for _ in 0..<20 { bench.hear(Self.temperature) }
        #expect(bench.told.allSatisfy { !$0.payload.contains(subsequence: "tvoc") })
    }

    @Test func `what came on a link needs no second one`() throws {
        var bench = Self.bench()
        bench.hear(Self.temperature, source: .notify)
        #expect(try bench.told.last?.object.components == ["temperature", "rssi"])
    }

    @Test(
        arguments: [
            // A pressed button and an open opening: BTHome 0x3A and 0x11.
            ([0x44, 0x3A, 0x01], "button"), ([0x44, 0x11, 0x01], "opening"),
        ] as [([UInt8], String)])
    func `an event and a binary state are told of at once: the next one may be days away`(
        value: [UInt8], name: String
    ) throws {
        var bench = Self.bench()
        bench.hear(value)
        #expect(try bench.told.last?.object.components.contains(name) == true)
    }

    @Test func `what the sensor's key vouches for is told of at once`() throws {
        var bench = Self.bench()
        bench.describe(SensorDescription(isSealed: true))
        bench.hear(Self.temperature)
        #expect(try bench.told.last?.object.components == ["temperature", "rssi"])
        bench.describe(SensorDescription())
        bench.all = []
        bench.hear(Self.tvoc)
        #expect(bench.told.allSatisfy { !$0.payload.contains(subsequence: "tvoc") })
    }

    /// Whether a quantity is still in doubt after one packet with it, `days` ago and `others` packets before.
    private static func isDoubted(days: Int64, others: Int, overRestart: Bool) -> Bool {
        let tvoc = Field(.tvoc, .int(1))
        let (begin, end) = (1_770_000_000 as Int64, days * 86_400)
        var sensor = DiscoveredSensor()
        _ = sensor.learn(
            [tvoc], of: .init(1, at: 0, unixSeconds: begin), isDoubtful: true, at: nil)
        if overRestart { sensor = DiscoveredSensor(sensor.text) }
        for number in 0..<others {
            _ = sensor.learn(
                [Field(.temperature, .int(1))],
                of: .init(
                    Int64(2 + number), at: overRestart ? 0 : end * 1_000, unixSeconds: overRestart ? begin + end : nil),
                isDoubtful: true, at: nil)
        }
        return sensor.doubts.doubts["tvoc"] != nil
    }

    @Test(arguments: [false, true])
    func `a doubt ends after days and after packets, whichever comes later: one packet an hour or a week is no fault`(
        overRestart: Bool
    ) {
        func isDoubted(_ days: Int64, _ others: Int) -> Bool {
            Self.isDoubted(days: days, others: others, overRestart: overRestart)
        }
        #expect(isDoubted(2, 10_000), "a battery once a day")
        #expect(isDoubted(100, 15), "a packet a week")
        #expect(!isDoubted(3, 16))
        #expect(!isDoubted(3, 10_000))
    }

    @Test func `two damaged packets that are weeks apart make no entity, and the end of a doubt is kept`() throws {
        var bench = Self.bench()
        bench.hear(Self.tvoc)
        bench.uptime += 14 * 86_400_000
        for _ in 0..<17 { bench.hear(Self.temperature) }
        #expect(bench.table.facts["home-assistant:sensor-1"]?.contains("tvoc") == false)
        bench.hear(Self.tvoc)
        #expect(bench.told.allSatisfy { !$0.payload.contains(subsequence: "tvoc") })
        bench.hear(Self.tvoc)
        #expect(try bench.told.last?.object.components.contains("tvoc") == true)
    }

    @Test func `the second packet may come hours later, and after a restart`() throws {
        var first = Self.bench()
        first.hear(Self.temperature)
        var next = MachineBench { $0.homeAssistant.discovery = .device }
        next.table.characteristicNames[1] = "bthome"
        next.table.facts = first.table.facts
        next.begin()
        next.say(.online)
        next.settle(seconds: 1)
        next.uptime += 7 * 3_600_000
        // The numbers of rows go on over a restart.
        next.hear(Self.temperature, after: 1)
        #expect(try next.told.last?.object.components == ["temperature", "rssi"])
    }

    @Test func `a second packet that is kept back, for it says what the first said, counts`() throws {
        var bench = Self.bench { $0.pacing.deadBand = .all(5) }
        bench.hear(Self.temperature)
        bench.hear(Self.temperature)
        #expect(try bench.told.last?.object.components == ["temperature", "rssi"])
        #expect(bench.all.count { $0.topic.hasSuffix("/state") } == 1)
    }

    @Test func `a second packet that goes by history counts, and the same row again does not`() throws {
        var bench = Self.bench()
        bench.hear(Self.temperature)
        bench.machine.end(at: bench.moment.now)
        bench.begin()
        bench.settle(seconds: 10)
        #expect(bench.told.isEmpty, "one row is one packet, however often it is sent")
        bench.machine.end(at: bench.moment.now)
        bench.table.append(2, up: bench.uptime, source: .advert, value: Self.temperature)
        bench.uptime += 600_000
        bench.machine.history.expectRows()
        bench.begin()
        for _ in 0..<10 { bench.turn() }
        #expect(try bench.told.last?.object.components == ["temperature", "rssi"])
    }

    @Test(arguments: [HomeAssistantConfiguration.Discovery.device, .entity, .both], [true, false])
    func `an entity that an operator does not want goes, with what the broker retains of it`(
        discovery: HomeAssistantConfiguration.Discovery, retains: Bool
    ) throws {
        var bench = Self.bench(discovery) { $0.retain = retains }
        for value in [Self.temperature, Self.tvoc, Self.temperature, Self.tvoc] { bench.hear(value) }
        let known = AnnouncedEntity.all(of: "sensor-1", in: bench.table)
        #expect(known.map(\.name) == ["temperature", "tvoc"])
        let phantom = try #require(EntityKey("tvoc"))
        bench.all = []
        bench.drop(phantom)
        bench.turn()
        let own = "homeassistant/sensor/martlet_sensor-1/tvoc/config"
        let cleared = bench.all.filter { $0.topic == own }
        #expect(cleared.map(\.payload) == (discovery == .device ? [] : [[]]))
        #expect(cleared.allSatisfy { $0.retain == retains })
        #expect(bench.table.facts["retained:" + own] == nil)
        if discovery != .entity {
            let told = try #require(bench.all.last { $0.topic == Self.document })
            #expect(try told.object.component("tvoc") as NSDictionary == ["p": "sensor"])
            #expect(try told.object.component("temperature")["unique_id"] != nil)
        }
        #expect(AnnouncedEntity.all(of: "sensor-1", in: bench.table).map(\.name) == ["temperature"])
        #expect(DiscoveredSensor(bench.table.facts["home-assistant:sensor-1"] ?? "").dropped == [phantom])
        // One packet does not restore the quantity, and two do.
        bench.all = []
        bench.hear(Self.tvoc)
        #expect(AnnouncedEntity.all(of: "sensor-1", in: bench.table).map(\.name) == ["temperature"])
        bench.hear(Self.tvoc)
        #expect(AnnouncedEntity.all(of: "sensor-1", in: bench.table).map(\.name) == ["temperature", "tvoc"])
    }

    @Test func `a value of a link that was on its way does not restore a dropped entity, and two values do`() throws {
        let row = QuantityDoubts.Packet(1, at: 0)
        let fields = [Field(.temperature, .int(1)), Field(.humidity, .int(1))]
        var sensor = DiscoveredSensor()
        _ = sensor.learn(fields, of: row, isDoubtful: false, at: nil)
        let phantom = EntityKey(fields[1])
        let isDropped = sensor.drop(phantom)
        #expect(isDropped && sensor.entities == [EntityKey(fields[0])])
        let news = sensor.learn(fields, of: .init(2, at: 10_000), isDoubtful: false, at: nil)
        #expect(!sensor.entities.contains(phantom) && !news.isToTell)
        _ = sensor.learn(fields, of: .init(3, at: 20_000), isDoubtful: false, at: nil)
        #expect(sensor.entities.contains(phantom) && sensor.dropped.isEmpty)
    }

    @Test func `what is dropped while there is no connection goes with the next one, also before the first`() throws {
        var former = Self.bench(.both)
        for value in [Self.temperature, Self.tvoc, Self.temperature, Self.tvoc] { former.hear(value) }
        var bench = MachineBench { $0.homeAssistant.discovery = .both }
        bench.table.facts = former.table.facts
        bench.say(.online)
        bench.drop(try #require(EntityKey("tvoc")))
        bench.begin()
        bench.turn()
        #expect(bench.all.contains { $0.topic.contains("/tvoc/") && $0.payload.isEmpty && $0.retain })
        let told = try #require(bench.all.last { $0.topic == Self.document })
        #expect(try told.object.component("tvoc") as NSDictionary == ["p": "sensor"])
    }

    @Test func `what is doubted and what is dropped is bounded, and kept as text`() throws {
        var sensor = DiscoveredSensor()
        for index in 1...UInt8.max {
            _ = sensor.learn(
                [Field(.temperature, .int(1), index: index)], of: .init(Int64(index), at: 0), isDoubtful: true, at: nil)
        }
        #expect(sensor.doubts.doubts.count == QuantityDoubts.limit && sensor.entities.isEmpty)
        for index in 1...40 as ClosedRange<UInt8> {
            let field = Field(.humidity, .int(1), index: index)
            _ = sensor.learn([field], of: .init(1, at: 0), isDoubtful: false, at: nil)
            let isDropped = sensor.drop(EntityKey(field))
            #expect(isDropped)
        }
        #expect(sensor.dropped.count == DiscoveredSensor.maximumDropped)
        #expect(DiscoveredSensor(sensor.text).text == sensor.text)
        for text in [";0;:,a:b,temperature:x,;;", ";0;;humidity_0,x", ";0;temperature:99999999999999999999"] {
            #expect(DiscoveredSensor(text).doubts.doubts.isEmpty && DiscoveredSensor(text).dropped.isEmpty, "\(text)")
        }
    }
}

extension MachineBench {
    /// A packet, and the seconds until the machine has published its values.
    fileprivate mutating func hear(_ value: [UInt8], source: Reading.Source = .advert, after row: Int64 = 0) {
        uptime += 10_000
        table.append(max(table.greatestNumber, row) + 1, up: uptime, source: source, value: value)
        machine.live.expectRows()
        machine.history.expectRows()
        for _ in 0..<4 { turn() }
    }

    fileprivate mutating func turn() {
        publish()
        acknowledgeAll()
        uptime += 1_000
    }

    fileprivate mutating func describe(_ description: SensorDescription) {
        var requests = PublisherMailbox.Requests()
        sensors.describe("sensor-1", description)
        requests.described = ["sensor-1"]
        machine.accept(requests, at: moment.now, from: table)
        perform()
    }

    fileprivate mutating func drop(_ key: EntityKey) {
        machine.drop(key, of: "sensor-1", at: moment.now, from: table)
        perform()
    }

    fileprivate var all: [OutgoingMessage] {
        get { sent }
        set { sent = newValue }
    }

    fileprivate var told: [OutgoingMessage] {
        sent.filter { $0.topic.hasPrefix("homeassistant/") && $0.topic.contains("sensor-1") && !$0.payload.isEmpty }
    }
}

extension [UInt8] {
    fileprivate func contains(subsequence text: String) -> Bool { String(decoding: self, as: UTF8.self).contains(text) }
}
