// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing

@testable import GatewayBench
@testable import Health
@testable import MQTT
@testable import Publisher
@testable import Readings

@Suite("What is wrong, over MQTT")
struct ProblemTests {
    private static let list = "martlet/gw/gw/problems"
    private static let event = "martlet/gw/gw/event"

    /// The account of a gateway, and its news.
    private struct Account {
        var account = HealthAccount(isPatient: false)
        var news = ProblemNews()

        mutating func judge(_ conditions: [Condition], at now: Int64) {
            news.record(account.judge(conditions, at: now), account.problems(at: now), at: now)
        }
    }

    private static let silent = Condition(.sensorSilent, "fridge", ["time": "\"a quote\""], variant: .usually)
    private static let full = Condition(.diskFull, "", ["error": "no room"])

    private func sent(_ bench: MachineBench, on topic: String) throws -> [[String: Any]] {
        try bench.sent.filter { $0.topic == topic }.map { try $0.object }
    }

    @Test func `the list goes out on each connection, retained, and again when it changes`() throws {
        var account = Account()
        var bench = MachineBench()
        bench.begin()
        bench.publish()
        #expect(try sent(bench, on: Self.list).isEmpty, "the gateway has not looked yet")
        account.judge([], at: 90_000)
        bench.problems = account.news
        bench.publish()
        bench.publish()
        let none = try #require(bench.sent.first { $0.topic == Self.list })
        #expect(none.retain && bench.sent.count { $0.topic == Self.list } == 1)
        #expect(
            String(decoding: none.payload, as: UTF8.self)
                == #"{"v":1,"gw":"gw","count":0,"failures":0,"notices":0,"problems":[],"time":"2023-11-14T22:14:50.000Z","boot":"boot","#
                + #""up_ms":90000}"#)

        bench.sent = []
        account.judge([Self.full, Self.silent], at: 91_000)
        bench.problems = account.news
        bench.publish()
        let told = try #require(try sent(bench, on: Self.list).last)
        #expect(told["count"] as? Int == 2 && told["failures"] as? Int == 1 && told["more"] == nil)
        let problems = try #require(told["problems"] as? [[String: Any]])
        #expect(problems.map { $0["code"] as? String } == ["disk-full", "sensor-silent"])
        #expect(problems[0]["sensor"] == nil && problems[1]["sensor"] as? String == "fridge")
        #expect(problems[1]["text"] as? String == "Silent: no value comes, though one usually comes every \"a quote\"")
        #expect(problems[1]["remedy"] as? String == "Run martlet why fridge")
        #expect(problems[1]["severity"] as? String == "warning" && problems[1]["part"] as? String == "sensors")
        #expect(problems[1]["since_up_ms"] as? Int == 91_000)
        #expect(problems[1]["since"] as? String == "2023-11-14T22:14:51.000Z")

        // It gets older, and is the same.
        bench.sent = []
        account.judge([Self.full, Self.silent], at: 96_000)
        bench.problems = account.news
        bench.publish()
        #expect(bench.sent.isEmpty)
        bench.machine.end(at: bench.moment.now)
        bench.perform()
        bench.begin()
        bench.publish()
        #expect(try sent(bench, on: Self.list).count == 1)
    }

    @Test func `a text that changes with each look goes out once a minute`() throws {
        func waiting(_ count: Int) -> Condition {
            Condition(.notAcknowledged, "", ["waiting": "\(count)", "time": "1 min"])
        }
        var account = Account()
        var bench = MachineBench()
        bench.begin()
        var texts: [String] = []
        for second in 0...120 as ClosedRange<Int64> {
            bench.uptime = 100_000 + second * 1_000
            account.judge([waiting(Int(second))], at: bench.uptime)
            bench.problems = account.news
            bench.sent = []
            bench.publish()
            texts += try sent(bench, on: Self.list).compactMap {
                ($0["problems"] as? [[String: Any]])?.first?["text"] as? String
            }
            bench.acknowledgeAll()
        }
        #expect(texts.map { $0.prefix(while: \.isNumber) } == ["0", "60", "120"])
    }

    @Test func `each change is told once, also a change from a time without a connection`() throws {
        var account = Account()
        account.judge([Self.full], at: 5_000)
        account.judge([Self.silent], at: 7_000)
        var bench = MachineBench()
        bench.problems = account.news
        bench.publish()
        #expect(bench.sent.isEmpty)
        bench.begin()
        bench.publish()
        bench.publish()
        let told = try sent(bench, on: Self.event)
        #expect(told.map { $0["event"] as? String } == ["problem", "problem", "problem"])
        #expect(told.map { $0["outcome"] as? String } == ["shown", "gone", "shown"])
        #expect(told.map { $0["code"] as? String } == ["disk-full", "disk-full", "sensor-silent"])
        #expect(bench.sent.filter { $0.topic == Self.event }.allSatisfy { !$0.retain && $0.quality == .atLeastOnce })
        let gone = try #require(told.first { $0["outcome"] as? String == "gone" })
        #expect(gone["lasted_ms"] as? Int == 2_000 && gone["up_ms"] as? Int == 7_000)
        #expect(told[0]["lasted_ms"] == nil && told[0]["up_ms"] as? Int == 5_000)

        bench.sent = []
        bench.machine.end(at: bench.moment.now)
        bench.perform()
        bench.begin()
        bench.publish()
        #expect(try sent(bench, on: Self.event).isEmpty, "the next connection hears no change twice")
        // Another publisher of the same run hears the changes after its start.
        var next = MachineBench()
        next.problems = account.news.after(try #require(account.news.events.last?.number))
        next.begin()
        next.publish()
        #expect(try sent(next, on: Self.event).isEmpty && sent(next, on: Self.list).count == 1)
    }

    @Test func `many problems and long texts stay below the limit of Home Assistant`() throws {
        var account = Account()
        let long = String(repeating: "ä\"", count: 5_000)
        account.judge((0..<500).map { Condition(.sensorTrouble, "sensor-\($0)", ["cause": long]) }, at: 1)
        for round in 0..<4 as Range<Int64> {
            account.judge([], at: 2 + 2 * round)
            account.judge((0..<500).map { Condition(.sensorTrouble, "sensor-\($0)") }, at: 3 + 2 * round)
        }
        #expect(account.news.events.count == ProblemNews.capacity)
        #expect(account.news.events.map(\.number) == [UInt64](4_245...4_500))
        account.judge((0..<500).map { Condition(.sensorTrouble, "sensor-\($0)", ["cause": long]) }, at: 20)
        let payload = ProblemPayload(gateway: "gw", stamp: MachineBench().moment.stamp).list(account.news)
        #expect(payload.count < 16_384)
        let told = try #require(try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any])
        let listed = try #require(told["problems"] as? [Any]).count
        #expect(listed > 5 && told["count"] as? Int == 500 && told["more"] as? Int == 500 - listed)
    }

    @Test func `before the time is known, beginnings are told by the boot alone`() throws {
        var account = Account()
        account.judge([Self.full], at: 5_000)
        let stamp = TimeStamp(boot: "boot", uptimeMilliseconds: 9_000, unixMilliseconds: nil, quality: .unsynced)
        let payload = ProblemPayload(gateway: "gw", stamp: stamp).list(account.news)
        let told = try #require(try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any])
        let problem = try #require((told["problems"] as? [[String: Any]])?.first)
        #expect(told["time"] == nil && problem["since"] == nil && problem["since_up_ms"] as? Int == 5_000)
    }

    @Test func `without retained messages, a Home Assistant that starts hears the list again`() throws {
        var account = Account()
        account.judge([Self.full], at: 5_000)
        var bench = MachineBench {
            $0.homeAssistant.discovery = .device
            $0.retain = false
        }
        bench.problems = account.news
        bench.begin()
        bench.publish()
        bench.acknowledgeAll()
        bench.sent = []
        bench.receive("online")
        bench.uptime += 30_000
        bench.publish()
        #expect(try sent(bench, on: Self.list).count == 1)
    }

    @Test func `an edge node of Sparkplug tells none of this`() throws {
        var account = Account()
        account.judge([Self.full], at: 5_000)
        var bench = MachineBench {
            $0.format = .sparkplug
        }
        bench.problems = account.news
        bench.begin()
        bench.publish()
        #expect(!bench.sent.contains { [Self.list, Self.event].contains($0.topic) })
    }
}
