// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import GatewayBench
@testable import MQTT
@testable import Publisher
@testable import Readings

/// A gateway's messages about sensors that other gateways at its broker hear, too.
@Suite("Several gateways")
struct SeveralGatewaysTests {
    private static let topic = "martlet/dev/sensor-1/owner"

    /// The gateway is connected, has heard the sensor, and has sent its messages about the sensor.
    private static func bench(_ change: (inout MQTTConfiguration) -> Void = { _ in }) -> MachineBench {
        var bench = MachineBench {
            $0.sharesSensors = true
            change(&$0)
        }
        bench.beginQuietly()
        bench.machine.setAvailability(.online, of: "sensor-1", at: bench.moment.now, from: bench.table)
        bench.publish()
        return bench
    }

    private static let other = #"{"gw":"gw-2","rssi":-50,"until":1700000150000,"age_ms":0,"held_ms":50000}"#

    @Test func `a sensor is claimed, and its values go out when the claim has come back`() throws {
        var bench = Self.bench()
        #expect(bench.subscribed == [Self.topic])
        #expect(bench.sent.isEmpty, "nothing is said of a sensor before it is known whose it is")
        bench.append(99_500)
        bench.uptime += 5_000
        bench.publish()
        let claim = try #require(bench.sent.last)
        #expect(claim.topic == Self.topic && claim.retain)
        let said = try claim.object
        #expect(said["gw"] as? String == "gw")
        #expect(said["until"] as? Int64 == MachineBench.offset + bench.uptime + 50_000)
        #expect(bench.table.facts["retained:" + Self.topic] == "sensor-1")
        bench.sent = []
        bench.receive(claim.payload)
        bench.publish()
        #expect(bench.topics == ["dev/sensor-1/availability", "dev/sensor-1/state"])
        // The gateway repeats its claim while it hears the sensor.
        bench.sent = []
        bench.uptime += 20_000
        bench.publish()
        #expect(bench.topics == ["dev/sensor-1/owner"])
    }

    @Test func `values that another gateway has received go out once, by that gateway`() {
        var bench = Self.bench()
        bench.receive(Self.other)
        bench.publish()
        #expect(bench.owners == ["sensor-1": "gw-2"])
        // Before the other gateway took over, during its ownership, and after its last message.
        bench.append(40_000, 60_000, 100_100)
        bench.uptime += 12_000
        bench.publish()
        #expect(bench.topics == ["dev/sensor-1/history"] && bench.sent.last?.rows == [1])
        #expect(bench.dropped == [2: .covered])
        bench.receive(#"{"gw":"gw-2","until":1700000190000,"age_ms":0,"held_ms":62000}"#)
        bench.uptime += 1_000
        bench.publish()
        #expect(bench.dropped == [2: .covered, 3: .covered])
        #expect(bench.topics == ["dev/sensor-1/history"])
    }

    @Test func `what was kept goes out when the other gateway has fallen silent`() {
        var bench = Self.bench()
        bench.receive(Self.other)
        bench.append(100_100)
        for _ in 1...70 {
            bench.uptime += 1_000
            bench.publish()
            if let claim = bench.sent.last(where: { $0.topic == Self.topic }), bench.owners["sensor-1"] == nil {
                bench.receive(claim.payload)
            }
            bench.acknowledgeAll()
        }
        #expect(bench.owners == [:] && bench.dropped == [:])
        #expect(bench.acknowledged == [1])
        #expect(bench.topics.contains("dev/sensor-1/availability"))
    }

    @Test func `a backlog waits at the beginning of a connection until it is known whose it is`() {
        var bench = MachineBench { $0.sharesSensors = true }
        bench.append(1_000, 2_000)
        bench.machine.setAvailability(.online, of: "sensor-1", at: bench.moment.now, from: bench.table)
        bench.begin()
        bench.publish()
        #expect(!bench.topics.contains("dev/sensor-1/history"))
        let wait = bench.machine.wait(from: bench.moment)
        #expect(wait.map { $0 > .zero } == true, "it is not asked again and again")
        bench.receive(Self.other)
        bench.publish()
        #expect(bench.sent.last { $0.topic.hasSuffix("history") }?.rows == [1, 2])
    }

    @Test func `without an answer a backlog waits for 15 seconds`() {
        var bench = MachineBench { $0.sharesSensors = true }
        bench.append(1_000)
        bench.machine.recordSignal(of: "sensor-1", nil, at: bench.moment.now)
        bench.begin()
        bench.uptime += 14_000
        bench.publish()
        #expect(!bench.topics.contains("dev/sensor-1/history"))
        bench.uptime += 1_000
        bench.publish()
        #expect(bench.topics.contains("dev/sensor-1/history"))
    }

    @Test func `a sensor that is taken over falls silent here, and so does its availability`() {
        var bench = Self.bench()
        bench.uptime += 5_000
        bench.publish()
        bench.receive(bench.sent.last?.payload ?? [])
        bench.publish()
        bench.receive(#"{"gw":"gw-2","rssi":-40,"until":1700000155000,"age_ms":0,"held_ms":0}"#)
        bench.publish()
        bench.sent = []
        bench.append(105_100)
        bench.machine.setAvailability(.offline, of: "sensor-1", at: bench.moment.now, from: bench.table)
        bench.publish()
        #expect(bench.sent.isEmpty && bench.owners == ["sensor-1": "gw-2"])
    }

    @Test func `at its end a gateway gives up the sensors that it does not hear any more`() {
        var bench = Self.bench()
        bench.uptime += 5_000
        bench.publish()
        bench.receive(bench.sent.last?.payload ?? [])
        bench.publish()
        bench.machine.setAvailability(.offline, of: "sensor-1", at: bench.moment.now, from: bench.table)
        bench.publish()
        bench.sent = []
        bench.machine.sayOffline(at: bench.moment)
        bench.perform()
        #expect(bench.topics == ["dev/sensor-1/owner", "gw/gw/status"])
        #expect(bench.sent.first?.payload == [])
    }

    @Test func `a sensor that was removed is not taken from the gateway that has it`() {
        var bench = Self.bench()
        bench.uptime += 5_000
        bench.publish()
        bench.receive(bench.sent.last?.payload ?? [])
        bench.publish()
        #expect(bench.table.facts["retained:martlet/dev/sensor-1/availability"] == "sensor-1")
        bench.receive(Self.other)
        bench.publish()
        bench.sent = []
        bench.machine.setAvailability(.gone, of: "sensor-1", at: bench.moment.now, from: bench.table)
        bench.publish()
        #expect(bench.sent.isEmpty && bench.table.facts.isEmpty)
    }

    @Test(arguments: [(false, false), (false, true), (true, false), (true, true)])
    func `what an earlier run has said of a sensor is taken back, unless another gateway speaks of it now`(
        isOthers: Bool, isLate: Bool
    ) {
        var bench = MachineBench { $0.sharesSensors = true }
        let topics = ["martlet/dev/sensor-9/availability", "martlet/dev/sensor-9/owner"]
        for topic in topics { bench.table.facts["retained:" + topic] = "sensor-9" }
        func leave() { bench.machine.setAvailability(.gone, of: "sensor-9", at: bench.moment.now, from: bench.table) }
        if !isLate { leave() }
        bench.beginQuietly()
        if isLate { leave() }
        if isOthers { bench.receive([UInt8](Self.other.utf8), of: "sensor-9") }
        bench.uptime += 14_999
        bench.publish()
        #expect(bench.sent.isEmpty, "it is not known yet")
        bench.uptime += 1
        bench.publish()
        #expect(bench.sent.map(\.topic) == (isOthers ? [] : topics) && bench.sent.allSatisfy { $0.payload.isEmpty })
        bench.acknowledgeAll()
        #expect(bench.table.facts.isEmpty)
    }

    @Test func `a sensor that its gateway has left online for ever is offline once no gateway has it`() {
        var bench = MachineBench { $0.sharesSensors = true }
        // An earlier run had the sensor, and then another gateway, which is silent after its last claim.
        bench.table.facts["retained:martlet/dev/sensor-9/availability"] = "sensor-9"
        bench.beginQuietly()
        bench.receive([UInt8](Self.other.utf8), of: "sensor-9")
        func pass(_ seconds: Int) {
            for _ in 0..<seconds {
                bench.uptime += 1_000
                bench.publish()
                bench.acknowledgeAll()
            }
        }
        pass(64)
        #expect(bench.sent.isEmpty, "the other gateway's claim may still be valid, or its successor's may come")
        pass(1)
        #expect(bench.topics == ["dev/sensor-9/availability"])
        #expect(bench.sent.allSatisfy { $0.retain && $0.payload == [UInt8]("offline".utf8) })
        pass(100)
        #expect(bench.sent.count == 1)
        // The other gateway comes back, may say online, and is silent again.
        bench.receive([UInt8](Self.other.utf8), of: "sensor-9")
        pass(64)
        #expect(bench.sent.count == 1)
        pass(1)
        #expect(bench.topics == ["dev/sensor-9/availability", "dev/sensor-9/availability"])
    }

    @Test(arguments: ["{", "null", "[[[", #"{"gw":1}"#])
    func `nonsense on the topic changes nothing`(payload: String) {
        var bench = Self.bench()
        bench.receive(Self.other)
        bench.receive(payload)
        bench.publish()
        #expect(bench.owners == ["sensor-1": "gw-2"])
        #expect(bench.lines.contains { $0.contains("makes no sense") })
    }

    @Test func `without other gateways not an octet is different`() {
        var bench = MachineBench()
        bench.machine.setAvailability(.online, of: "sensor-1", at: bench.moment.now, from: bench.table)
        bench.machine.recordSignal(of: "sensor-1", -60, at: bench.moment.now)
        bench.begin()
        bench.append(99_500)
        bench.publish()
        #expect(bench.subscribed.isEmpty)
        #expect(bench.topics == ["gw/gw/status", "gw/gw/info", "dev/sensor-1/availability", "dev/sensor-1/state"])
    }
}

extension MachineBench {
    fileprivate mutating func receive(_ payload: [UInt8], of device: String = "sensor-1") {
        guard let topic = try? TopicName("martlet/dev/\(device)/owner") else { return }
        machine.received(
            IncomingMessage(topic: topic, payload: payload, quality: .atMostOnce, isRetained: false), at: moment)
        perform()
    }

    fileprivate mutating func receive(_ text: String) { receive([UInt8](text.utf8)) }
}
