// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing

@testable import GatewayBench
@testable import MQTT
@testable import Publisher
@testable import Readings

/// The times of the messages to Home Assistant, from the publisher's machine.
@Suite("Home Assistant: the times of messages")
struct DiscoveryTests {
    private static let document = "homeassistant/device/martlet_sensor-1/config"

    private static func bench(
        _ discovery: HomeAssistantConfiguration.Discovery = .device,
        _ change: (inout MQTTConfiguration) -> Void = { _ in }
    ) -> MachineBench {
        MachineBench {
            $0.homeAssistant.discovery = discovery
            change(&$0)
        }
    }

    /// A bench whose sensor is online, after the messages that precede readings.
    private static func online(_ bench: MachineBench = bench()) -> MachineBench {
        var bench = bench
        bench.begin()
        bench.say(.online)
        bench.publish()
        bench.acknowledgeAll()
        bench.sent = []
        bench.mentioned = []
        return bench
    }

    @Test func `a sensor's first values are gathered, told of, and published again for who has just subscribed`() throws
    {
        var bench = Self.online()
        bench.table.characteristicNames[2] = "2a6f"
        bench.append(100_000)
        bench.publish()
        #expect(bench.sent.map(\.topic) == ["martlet/dev/sensor-1/state"])
        #expect(bench.machine.discovery?.nextDue == bench.moment.now + DiscoveryMachine.gathering)
        let wait = bench.machine.wait(from: bench.moment) ?? .seconds(3_600)
        #expect(wait <= DiscoveryMachine.gathering)
        bench.uptime += 1_000
        bench.table.append(2, characteristic: 2, up: bench.uptime, hundredths: 5_000)
        bench.machine.live.expectRows()
        bench.publish()
        bench.uptime += 1_000
        bench.publish()
        let told = try #require(bench.sent.last)
        #expect(told.topic == Self.document && told.retain)
        #expect(try told.object.components == ["temperature", "humidity", "rssi"])
        #expect(bench.table.facts["home-assistant:sensor-1"] == "humidity,temperature;0")
        #expect(bench.table.facts["retained:" + Self.document] == "sensor-1")
        bench.acknowledgeAll()
        #expect(bench.mentioned.isEmpty)
        bench.uptime += 5_000
        bench.publish()
        #expect(bench.mentioned == Array(bench.sent.prefix(2)), "the newest of each characteristic, as it went out")
        bench.uptime += 60_000
        bench.publish()
        #expect(bench.sent.count == 3, "nothing is told twice")
    }

    @Test func `without discovery nothing of it is said`() {
        var bench = Self.online(Self.bench(.off))
        bench.append(100_000)
        bench.publish()
        bench.uptime += 60_000
        bench.receive("online")
        bench.publish()
        #expect(bench.sent.map(\.topic) == ["martlet/dev/sensor-1/state"])
        #expect(bench.mentioned.allSatisfy { $0.topic == "martlet/gw/gw/stats" })
        #expect(!MQTTConfiguration().subscribes)
    }

    @Test func `what was known before a restart is told with the sensor's first word`() throws {
        var bench = Self.bench()
        bench.table.facts["home-assistant:sensor-1"] = "battery,temperature;300"
        bench.begin()
        bench.publish()
        #expect(bench.sent.map(\.topic).contains("homeassistant/device/martlet_gw-gw/config"))
        #expect(!bench.sent.map(\.topic).contains(Self.document), "the sensor is nobody's before it is accepted")
        bench.say(.online)
        bench.publish()
        let told = try #require(bench.sent.first { $0.topic == Self.document })
        #expect(try told.object.components == ["temperature", "battery", "rssi"])
    }

    @Test(arguments: [0.5, 1.5])
    func `when Home Assistant has started it is told everything after a while that chance spreads`(spread: Double) {
        var bench = Self.online()
        bench.append(100_000)
        bench.settle(seconds: 10)
        bench.spread = spread
        bench.receive("offline")
        bench.receive("online", isRetained: true)
        bench.receive("online", topic: "elsewhere")
        bench.publish()
        #expect(bench.sent.isEmpty)
        bench.receive("online")
        bench.uptime += Int64(10_000 * (spread - 0.5)) - (spread > 1 ? 1 : 0)
        bench.publish()
        if spread > 1 {
            #expect(bench.sent.isEmpty)
            bench.uptime += 1
            bench.publish()
        }
        #expect(bench.sent.map(\.topic) == ["homeassistant/device/martlet_gw-gw/config", Self.document])
        bench.mentioned = []
        bench.uptime += 5_000
        bench.publish()
        let topics = bench.mentioned.map(\.topic)
        #expect(topics.filter { $0 != "martlet/gw/gw/stats" } == ["martlet/dev/sensor-1/state"])
    }

    @Test func `the state of a sensor that is away is not published again`() {
        var bench = Self.online()
        bench.append(100_000)
        bench.settle(seconds: 10)
        bench.say(.offline)
        bench.spread = 0.5
        bench.receive("online")
        bench.publish()
        #expect(bench.sent.map(\.topic).contains(Self.document))
        bench.mentioned = []
        bench.uptime += 5_000
        bench.publish()
        #expect(!bench.mentioned.map(\.topic).contains("martlet/dev/sensor-1/state"))
    }

    @Test(arguments: [HomeAssistantConfiguration.Discovery.device, .entity, .both])
    func `what was said of a sensor is taken back when it is removed`(discovery: HomeAssistantConfiguration.Discovery) {
        var bench = Self.online(Self.bench(discovery))
        bench.append(100_000)
        bench.settle(seconds: 10)
        let said = Set(bench.table.facts.filter { $0.value == "sensor-1" }.keys.map { $0.dropFirst("retained:".count) })
        #expect(said.count == 1 + (discovery == .entity ? 2 : discovery == .device ? 1 : 3))
        bench.say(.gone)
        bench.publish()
        #expect(bench.sent.allSatisfy { $0.payload.isEmpty && $0.retain })
        #expect(Set(bench.sent.map { $0.topic[...] }) == said)
        bench.acknowledgeAll()
        #expect(bench.table.facts.values.allSatisfy { $0 != "sensor-1" })
        #expect(bench.table.facts["home-assistant:sensor-1"] == nil)
        bench.sent = []
        bench.uptime += 60_000
        bench.receive("online")
        bench.uptime += 60_000
        bench.publish()
        #expect(!bench.sent.contains { $0.topic.contains("sensor-1") })
    }

    @Test func `where nothing is retained Home Assistant is told of a removed sensor all the same`() {
        var bench = Self.online(Self.bench { $0.retain = false })
        bench.append(100_000)
        bench.settle(seconds: 10)
        bench.say(.gone)
        bench.publish()
        #expect(bench.sent == [OutgoingMessage(topic: Self.document, payload: [])])
    }

    @Test func `what was said in another way, or by a gateway that says nothing any more, is taken back`() {
        var bench = Self.online(Self.bench(.both))
        bench.append(100_000)
        bench.settle(seconds: 10)
        let facts = bench.table.facts
        for discovery in [HomeAssistantConfiguration.Discovery.off, .device, .entity] {
            var next = Self.bench(discovery)
            next.table.facts = facts
            next.begin()
            next.publish()
            let cleared = next.sent.filter(\.payload.isEmpty).map(\.topic)
            let isKept = { (topic: String) in
                topic.hasPrefix("homeassistant/device/") ? discovery == .device : discovery == .entity
            }
            let said = facts.keys.filter { $0.hasPrefix("retained:homeassistant/") }.map {
                String($0.dropFirst("retained:".count))
            }
            #expect(Set(cleared) == Set(said.filter { !isKept($0) }), "\(discovery)")
        }
    }

    @Test func `a message that is too long for the broker is left out, and said once`() {
        var bench = Self.online()
        bench.maximum = 400
        bench.append(100_000)
        bench.settle(seconds: 10)
        #expect(bench.lines.count { $0.contains("refuses a message") && $0.contains(Self.document) } == 1)
    }

    @Test func `the interval is learned from gaps, told when it grows, and not from absences`() throws {
        var bench = Self.online()
        for _ in 0..<5 {
            bench.uptime += 50_000
            bench.append(bench.uptime)
            bench.settle(seconds: 10)
        }
        #expect(bench.table.facts["home-assistant:sensor-1"] == "temperature;60")
        bench.say(.offline)
        bench.uptime += 4_000_000
        bench.say(.online)
        bench.append(bench.uptime)
        bench.settle(seconds: 10)
        #expect(bench.table.facts["home-assistant:sensor-1"] == "temperature;60")
        // Readings from an outage took another lane.
        bench.machine.end(at: bench.moment.now)
        bench.uptime += 500_000
        bench.begin()
        bench.settle(seconds: 10)
        bench.append(bench.uptime)
        bench.settle(seconds: 10)
        #expect(bench.table.facts["home-assistant:sensor-1"] == "temperature;60")
        bench.uptime += 400_000
        bench.append(bench.uptime)
        bench.publish()
        bench.acknowledgeAll()
        bench.uptime += 2_000
        bench.publish()
        #expect(bench.table.facts["home-assistant:sensor-1"] == "temperature;600")
        let told = try #require(bench.sent.last { $0.topic == Self.document })
        #expect(try told.object.component("temperature")["expire_after"] as? Int == 6_000)
    }

    @Test func `a new name is told`() throws {
        var bench = Self.online()
        bench.append(100_000)
        bench.settle(seconds: 10)
        var requests = PublisherMailbox.Requests()
        bench.sensors.describe("sensor-1", SensorDescription(address: "C4:7C:8D:00:11:22", model: "RuuviTag"))
        requests.described = ["sensor-1"]
        bench.machine.accept(requests, at: bench.moment.now, from: bench.table)
        bench.uptime += 2_000
        bench.publish()
        let device = try #require(bench.sent.last?.object["dev"] as? [String: Any])
        #expect(device["mdl"] as? String == "RuuviTag")
        #expect(device["cns"] as? [[String]] == [["bluetooth", "C4:7C:8D:00:11:22"]])
    }
}

extension MachineBench {
    mutating func say(_ word: PublisherMachine.Availability, of device: String = "sensor-1") {
        machine.setAvailability(word, of: device, at: moment.now, from: table)
        perform()
    }

    mutating func receive(_ text: String, topic: String = "homeassistant/status", isRetained: Bool = false) {
        guard let topic = try? TopicName(topic) else { return }
        machine.received(
            IncomingMessage(
                topic: topic, payload: Array(text.utf8), quality: .atLeastOnce, isRetained: isRetained),
            at: moment)
        perform()
    }

    /// Lets this many seconds pass, with a turn each, and discards the messages of that time.
    mutating func settle(seconds: Int) {
        for _ in 0..<seconds {
            publish()
            acknowledgeAll()
            uptime += 1_000
        }
        sent = []
        mentioned = []
    }
}

extension OutgoingMessage {
    var object: [String: Any] {
        get throws { try #require(try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any]) }
    }
}

extension [String: Any] {
    var components: Set<String> { Set((self["cmps"] as? [String: Any] ?? [:]).keys) }

    func component(_ name: String) throws -> [String: Any] {
        try #require((self["cmps"] as? [String: Any])?[name] as? [String: Any])
    }
}
