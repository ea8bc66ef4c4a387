// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import GatewayBench
@testable import MQTT
@testable import Publisher

/// Commands over MQTT, as the publisher's machine takes and answers them.
@Suite("Commands over MQTT")
struct CommandTests {
    private static func bench(_ allowed: [String] = ["scan", "restart"]) -> MachineBench {
        var bench = MachineBench { $0.allowedCommands = allowed }
        bench.beginQuietly()
        return bench
    }

    private static let done = CommandAnswer.success(Array("[1]".utf8))

    @Test func `a command is carried out and answered, by its id`() throws {
        var bench = Self.bench()
        bench.command("scan", #"{"id":"a\"b","more":[{}]}"#)
        #expect(bench.performing.map(\.verb) == ["scan"] && bench.performing.first?.id == "a\"b")
        bench.publish()
        #expect(bench.sent.isEmpty)
        bench.perform(Self.done)
        #expect(bench.sent.map(\.topic) == ["martlet/gw/gw/result"])
        #expect(bench.texts == [#"{"id":"a\"b","command":"scan","ok":true,"result":[1]}"#])
        #expect(bench.sent.allSatisfy { !$0.retain })
    }

    @Test(arguments: [
        ("write", "{}", "refused"), ("scan/deep", "{}", "refused"), ("", "{}", "refused"), ("scan", "no", "not-valid"),
        ("scan", "[]", "not-valid"), ("scan", "1", "not-valid"), ("scan", #"{"id":7}"#, "not-valid"),
        ("scan", #"{"id":""}"#, "not-valid"),
        ("scan", "{\"id\":\"\(String(repeating: "x", count: 65))\"}", "not-valid"),
        ("scan", "{\"a\":\"\(String(repeating: "x", count: 4_096))\"}", "not-valid"),
        ("scan", String(repeating: "[", count: 4_000), "not-valid"), ("scan", "{\"id\":\"\u{0}\"", "not-valid"),
    ])
    func `what is no command of this gateway is answered with why, and changes nothing`(
        verb: String, payload: String, kind: String
    ) throws {
        var bench = Self.bench()
        bench.command(verb, payload)
        bench.publish()
        #expect(bench.performing.isEmpty)
        let answer = try #require(bench.sent.first).object
        #expect(bench.sent.count == 1 && bench.sent.first?.topic == "martlet/gw/gw/result")
        #expect(answer["ok"] as? Bool == false && answer["kind"] as? String == kind)
        #expect((answer["error"] as? String)?.isEmpty == false)
    }

    @Test func `a retained command is ignored, and so is every one where none is allowed`() {
        var bench = Self.bench()
        bench.command("restart", "{}", isRetained: true)
        bench.publish()
        #expect(bench.performing.isEmpty && bench.sent.isEmpty)
        #expect(bench.lines.contains { $0.contains("a retained command is ignored") })
        bench = Self.bench([])
        bench.command("restart", "{}")
        bench.publish()
        #expect(bench.performing.isEmpty && bench.sent.isEmpty)
        #expect(!bench.machine.configuration.subscribes)
    }

    @Test func `who publishes without end fills so much of the log a minute`() {
        var bench = Self.bench()
        func lines() -> [String] { bench.lines.filter { $0.contains("a retained command is ignored") } }
        for _ in 0..<1_000 { bench.command("restart", "{}", isRetained: true) }
        #expect(lines().count == NoticeLimit.perMinute)
        bench.command("scan", "{}")
        #expect(bench.lines.contains { $0.contains("a command came over MQTT") }, "other lines are not hidden by these")
        bench.uptime += 60_000
        bench.command("restart", "{}", isRetained: true)
        #expect(lines().count == NoticeLimit.perMinute + 1 && lines().last?.contains("980") == true, "\(lines())")
    }

    @Test func `another command with the id of an earlier one is refused`() throws {
        var bench = Self.bench()
        bench.command("scan", #"{"id":"7","a":1}"#)
        bench.perform(Self.done)
        bench.command("scan", #"{"id":"7","a":2}"#)
        bench.publish()
        #expect(bench.performing.count == 1, "the earlier answer would pass for this one's")
        let answer = try #require(bench.sent.last).object
        #expect(answer["ok"] as? Bool == false && answer["kind"] as? String == "not-valid", "\(answer)")
        bench.command("restart", #"{"id":"7","a":2}"#)
        #expect(bench.performing.count == 2, "each verb has ids of its own")
    }

    @Test func `a command that comes again is carried out once, and has the answer of the first time`() {
        var bench = Self.bench()
        bench.command("restart", #"{"id":"1"}"#)
        bench.command("restart", #"{"id":"1"}"#)
        #expect(bench.performing.count == 1)
        bench.perform(Self.done)
        #expect(bench.texts.count == 1)
        bench.command("restart", #"{"id":"1"}"#)
        bench.publish()
        #expect(bench.performing.count == 1)
        #expect(bench.texts.count == 2 && Set(bench.texts).count == 1)
        bench.command("scan", #"{"id":"1"}"#)
        bench.command("restart", #"{"id":"2"}"#)
        #expect(bench.performing.count == 3, "another verb, or another id, is another command")
    }

    @Test func `so many at a time, and so many remembered`() {
        var bench = Self.bench()
        for number in 0..<6 { bench.command("scan", #"{"id":"\#(number)"}"#) }
        bench.publish()
        #expect(bench.performing.count == CommandMachine.maximumUnderway)
        #expect(bench.texts.count == 2 && bench.texts.allSatisfy { $0.contains(#""kind":"busy""#) })
        for _ in 0..<4 { bench.perform(Self.done) }
        for number in 10..<200 {
            bench.command("scan", #"{"id":"\#(number)"}"#)
            bench.perform(Self.done)
            bench.acknowledgeAll()
        }
        #expect(bench.performing.count == 4 + 190)
        bench.command("scan", #"{"id":"136"}"#)
        #expect(bench.performing.count == 4 + 190, "the last 64 are remembered")
        bench.command("scan", #"{"id":"135"}"#)
        #expect(bench.performing.count == 4 + 191, "what was forgotten is carried out anew")
    }

    @Test(arguments: [
        ("answers/1", "answers/1"), ("martlet/dev/sensor-1/state", nil), ("martlet", nil), ("$SYS/x", nil),
        ("homeassistant/device/x/config", nil), ("home/gw/BTtoMQTT/x", nil), ("martletx/y", "martletx/y"),
        ("spBv1.0/martlet/NDEATH/other", nil), ("STATE/host", nil),
    ])
    func `an answer goes where it is wanted, but not in the gateway's own name`(wanted: String, topic: String?) throws {
        var bench = Self.bench()
        bench.command("scan", "", response: wanted, correlation: [1, 2])
        #expect(bench.performing.first?.arguments == Array("{}".utf8))
        bench.perform(Self.done)
        #expect(bench.sent.map(\.topic) == [topic ?? "martlet/gw/gw/result"])
        #expect(bench.performing.first?.correlation == CorrelationData([1, 2]))
    }

    @Test func `answers wait for the broker, within bounds`() {
        var bench = Self.bench()
        bench.machine.end(at: bench.moment.now)
        for number in 0..<40 {
            bench.machine.performed(CommandRequest(verb: "scan", id: "\(number)"), Self.done)
        }
        bench.perform()
        #expect(bench.lines.count { $0.contains("too many wait") } == 8)
        bench.waiting = []
        bench.begin()
        for _ in 0..<3 {
            bench.publish()
            bench.acknowledgeAll()
        }
        #expect(bench.texts.filter { $0.contains("scan") }.count == 32)
        let isDrained = bench.machine.isDrained(at: bench.moment, from: bench.table)
        #expect(isDrained)
    }

    @Test func `the last answer goes out before a drained gateway says goodbye`() {
        var bench = Self.bench()
        bench.machine.performed(CommandRequest(verb: "restart"), Self.done)
        let isDrained = bench.machine.isDrained(at: bench.moment, from: bench.table)
        #expect(!isDrained)
    }

    @Test func `Home Assistant has a button for what is allowed`() throws {
        var bench = MachineBench {
            $0.allow(["restart", "scan"])
            $0.homeAssistant.discovery = .both
        }
        bench.begin()
        bench.publish()
        let device = try #require(bench.sent.first { $0.topic == "homeassistant/device/martlet_gw-gw/config" }).object
        #expect(try device.component("restart")["command_topic"] as? String == "martlet/gw/gw/cmd/restart")
        #expect(!device.components.contains("identify") && !device.components.contains("scan"))
        let button = try #require(bench.sent.first { $0.topic == "homeassistant/button/martlet_gw-gw/restart/config" })
        #expect(try button.object["state_topic"] == nil && button.object["device_class"] as? String == "restart")
        #expect(
            bench.machine.configuration.subscriptions(bench.machine.topics).map(\.filter.text)
                == ["homeassistant/status", "martlet/gw/gw/cmd/+"])
    }
}

extension MachineBench {
    fileprivate mutating func command(
        _ verb: String, _ payload: String, isRetained: Bool = false, response: String? = nil,
        correlation: [UInt8]? = nil
    ) {
        guard let topic = try? TopicName("martlet/gw/gw/cmd/\(verb)") else { return }
        var message = IncomingMessage(
            topic: topic, payload: Array(payload.utf8), quality: .atLeastOnce, isRetained: isRetained)
        message.responseTopic = response.flatMap { try? TopicName($0) }
        message.correlation = correlation.flatMap { CorrelationData($0) }
        machine.received(message, at: moment)
        perform()
    }

    /// Carries the newest command out.
    fileprivate mutating func perform(_ answer: CommandAnswer) {
        guard let request = performing.last else { return }
        machine.performed(request, answer)
        publish()
    }

    fileprivate var texts: [String] { sent.map { String(decoding: $0.payload, as: UTF8.self) } }
}
