// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Synchronization
import Testing

@testable import Configuration
@testable import Gateway
@testable import GatewayBench
@testable import Journal
@testable import Operations
@testable import Publisher

/// Commands over MQTT by an independent client and a real broker, with MQTT 5's Response Topic.
@Suite("Commands over MQTT, whole", .serialized, .ownThread)
struct RemoteCommandTests {
    private static let sensor = "C4:7C:8D:00:77:01"

    private final class Restarts: Sendable {
        let count = Atomic(0)
    }

    private final class Client {
        let broker: Broker
        let scene: OperationsScene
        let restarts = Restarts()

        init(allow: [String] = OperationTable.remoteNames) throws {
            broker = try Broker()
            let verbs = allow.map { "\"\($0)\"" }.joined(separator: ", ")
            scene = try OperationsScene(
                "[mqtt]\nhost = \"127.0.0.1\"\nport = \(broker.port)\n[mqtt.commands]\nallow = [\(verbs)]\n")
            try serve()
        }

        private func serve() throws {
            scene.gateway.onRestart { [restarts] in restarts.count.add(1, ordering: .relaxed) }
            let isReady = blockingEventually { [scene] in scene.gateway.slot.publisher?.statistics.connected == true }
            try #require(isReady)
        }

        /// The gateway ends, and is started anew.
        func startAgain() throws {
            try scene.startAgain()
            try serve()
        }

        /// The gateway's answer.
        func ask(_ verb: String, _ arguments: String = "{}") throws -> [String: Any] {
            let topic = "answers/\(UUID().uuidString)"
            let client = try MosquittoClient(
                "mosquitto_rr", port: broker.port,
                ["-t", "martlet/gw/gw-test/cmd/\(verb)", "-e", topic, "-q", "1", "-W", "60", "-m", arguments])
            let text = client.output()
            return try #require(
                try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "no answer: \(text)")
        }
    }

    @Test func `history is held up and let go, a sensor is accepted and forgotten`() throws {
        let client = try Client()
        let paused = try client.ask("history", #"{"id":"1","mode":"pause"}"#)
        #expect(paused["ok"] as? Bool == true && paused["id"] as? String == "1")
        #expect((paused["result"] as? [String: Any])?["mode"] as? String == "paused")
        #expect(try client.ask("history", #"{"mode":"resume"}"#)["ok"] as? Bool == true)

        let wish = #"{"address":"\#(Self.sensor)","id":"7","sensor":"cellar","subscribe":["180d/2a37"]}"#
        let accepted = try client.ask("accept", wish)
        #expect(accepted["ok"] as? Bool == true, "\(accepted)")
        #expect((accepted["result"] as? [String: Any])?["is_accepted"] as? Bool == true)
        #expect(client.scene.layer.contains(Self.sensor))
        #expect(try client.ask("why", #"{"sensor":"cellar"}"#)["ok"] as? Bool == true)
        #expect(try client.ask("forget", #"{"sensor":"cellar"}"#)["ok"] as? Bool == true)
        #expect(!client.scene.layer.contains(Self.sensor))
        #expect((try client.ask("scan")["result"] as? [Any])?.count == 0)
    }

    @Test func `a command is a line of the log at notice, without its arguments`() throws {
        let client = try Client()
        #expect(try client.ask("history", #"{"id":"my-id","mode":"pause"}"#)["ok"] as? Bool == true)
        let lines = client.scene.lines.text.split(separator: "\n").filter { $0.contains("a command came over MQTT") }
        #expect(lines.count == 1 && lines.first?.hasPrefix("notice ") == true, "\(lines)")
        #expect(lines.first?.contains("command=history") == true, "\(lines)")
        #expect(lines.allSatisfy { !$0.contains("my-id") && !$0.contains("pause") }, "\(lines)")
    }

    @Test func `what is not for brokers is refused before its work`() async {
        let commands = RemoteCommands()
        for row in OperationTable.rows where !row.callers.contains(.broker) {
            let answer = await commands.perform(CommandRequest(verb: row.name.rawValue)) { row, _ in
                Issue.record("\(row.name) is carried out")
                return 0
            }
            guard case .failure(let kind, _) = answer else {
                Issue.record("\(row.name) is done")
                continue
            }
            #expect(kind == "refused", "\(row.name)")
        }
    }

    @Test func `commands are carried out in the order in which they come, those to be retained not at all`() throws {
        let client = try Client()
        let topic = "martlet/gw/gw-test/cmd/history"
        func mode() -> String? { client.scene.gateway.slot.publisher?.statistics.historyMode }
        let sender = try MosquittoClient(
            "mosquitto_pub", port: client.broker.port, ["-t", topic, "-q", "1", "-r", "-m", #"{"mode":"pause"}"#])
        _ = sender.output()
        let isSeen = blockingEventually { client.scene.lines.text.contains("a retained command is ignored") }
        #expect(isSeen && mode() == "normal")
        for round in 0..<20 {
            // One client with one connection: the broker keeps the order.
            let lines = (0..<3).map { "{\"id\":\"\(round)-\($0)\",\"mode\":\"\($0 == 1 ? "resume" : "pause")\"}\n" }
            let sender = try MosquittoClient(
                "mosquitto_pub", port: client.broker.port, ["-t", topic, "-q", "1", "-l"], input: lines.joined())
            _ = sender.output()
            #expect(try client.ask("history", #"{"mode":"resume"}"#)["ok"] as? Bool == true)
            #expect(blockingEventually(.seconds(1)) { mode() == "normal" }, "round \(round)")
        }
    }

    @Test(arguments: [
        ("history", #"{"mode":"purge"}"#, "not-valid"), ("history", "{}", "not-valid"),
        ("accept", #"{"address":7}"#, "not-valid"), ("accept", #"{"address":"x"}"#, "not-valid"),
        ("accept", #"{"address":"C4:7C:8D:00:77:01"}"#, "not-found"),
        ("accept", #"{"address":"C4:7C:8D:00:77:01","sensor":"../x","subscribe":["180d/2a37"]}"#, "not-valid"),
        ("accept", #"{"address":"C4:7C:8D:00:77:01","subscribe":["\n[mqtt]"]}"#, "not-valid"),
        ("accept", #"{"address":"00:00:00:00:00:00","subscribe":["180d/2a37"]}"#, "not-valid"),
        ("trust", "{}", "not-valid"), ("trust", #"{"sensor":"nobody"}"#, "refused"),
        ("trust", #"{"sensor":"nobody","address":"FF:FF:FF:FF:FF:FF"}"#, "not-valid"),
        ("forget", #"{"sensor":"nobody"}"#, "not-found"), ("why", #"{"sensor":"nobody"}"#, "not-found"),
        ("provision", #"{"action":"open"}"#, "refused"), ("identify", "{}", "refused"), ("format", "{}", "refused"),
        ("write", "{}", "not-valid"), ("update", "{}", "not-valid"), ("update", #"{"action":"install"}"#, "refused"),
        ("scan", "\u{1}\u{2}", "not-valid"),
    ])
    func `what cannot be done is answered with why, and changes nothing`(
        verb: String, arguments: String, kind: String
    ) throws {
        let client = try Client()
        let answer = try client.ask(verb, arguments)
        #expect(answer["ok"] as? Bool == false && answer["kind"] as? String == kind, "\(answer)")
        #expect((answer["error"] as? String)?.isEmpty == false)
        #expect(client.scene.layer.isEmpty)
        #expect(client.restarts.count.load(ordering: .relaxed) == 0)
    }

    @Test func `a restart is done once for an id, also by a gateway that does not remember it`() throws {
        let client = try Client()
        /// A restart that will be carried out appears in the log before its answer, and happens some time after it.
        var obeyed: Int { client.scene.lines.text.components(separatedBy: "starts the gateway anew").count - 1 }
        #expect(try client.ask("restart", #"{"id":"7"}"#)["ok"] as? Bool == true)
        #expect(obeyed == 1)
        // Another publisher remembers no ids; the journal does.
        let first = client.scene.gateway.slot.publisher
        _ = client.scene.gateway.connectAnew()
        let isBack = blockingEventually {
            let publisher = client.scene.gateway.slot.publisher
            return publisher !== first && publisher?.statistics.connected == true
        }
        try #require(isBack)
        #expect(try client.ask("restart", #"{"id":"7"}"#)["ok"] as? Bool == true)
        #expect(obeyed == 1, "the same restart was obeyed twice")
        #expect(try client.ask("restart", #"{"id":"8"}"#)["ok"] as? Bool == true)
        #expect(obeyed == 2)
        let isDone = blockingEventually { client.restarts.count.load(ordering: .relaxed) >= 2 }
        #expect(isDone && client.restarts.count.load(ordering: .relaxed) == 2)
        // The broker repeats the command to the gateway that the command has started.
        try client.startAgain()
        #expect(try client.ask("restart", #"{"id":"8"}"#)["ok"] as? Bool == true)
        #expect(obeyed == 2, "a gateway that was started anew starts itself anew again")
        let fact = "command:restart"
        #expect(client.scene.gateway.journal.identifier(for: fact) == #"["7","8"]"#)
        let ids = ["7"] + (1...15).map { "x\($0)" }
        client.scene.gateway.journal.setIdentifier("[\"\(ids.joined(separator: "\",\""))\"]", for: fact)
        #expect(try client.ask("restart", #"{"id":"7"}"#)["ok"] as? Bool == true)
        #expect(obeyed == 2, "the restart before fifteen others is obeyed again")
    }

    @Test func `every command has a pace, and what comes faster is refused in words and counted`() async {
        let commands = RemoteCommands()
        let done = Atomic(0)
        let rows = OperationTable.rows.filter { $0.callers.contains(.broker) }
        #expect(rows.count == 16)
        for row in rows {
            let (name, pace) = (row.name.rawValue, row.pace)
            var now = MonotonicTime.zero + .seconds(100_000)
            /// How many of a flood of 1,000 are carried out.
            func flood() async -> Int {
                let before = done.load(ordering: .relaxed)
                for _ in 0..<1_000 {
                    let answer = await commands.perform(CommandRequest(verb: name), at: now) {
                        _, _ throws(OperationError) in
                        done.add(1, ordering: .relaxed)
                        return [String]()
                    }
                    guard case .failure(let kind, let text) = answer else { continue }
                    #expect(kind == "busy" && text.contains("came too often") && text.contains(" s"), "\(text)")
                }
                return done.load(ordering: .relaxed) - before
            }
            #expect(await flood() == pace.burst, "\(name)")
            now = now + pace.period
            #expect(await flood() == 1, "\(name)")
            now = now + pace.period * 1_000
            #expect(await flood() == pace.burst, "\(name)")
            #expect(commands.refused[name] == 3_000 - 2 * pace.burst - 1)
            // An operation that writes files or ends the process has a slow pace.
            if row.effect >= .disk { #expect(pace.burst <= 5 && pace.period >= .seconds(60), "\(name)") }
        }
    }

    @Test(arguments: [("scan", "devices", "{}"), ("history", "buffer-pause", #"{"mode":"pause"}"#)])
    func `a former name has the pace of its operation, and no pace of its own`(
        former: String, name: String, arguments: String
    ) async throws {
        let commands = RemoteCommands()
        let now = MonotonicTime.zero + .seconds(100_000)
        let pace = try #require(OperationTable.row(named: name)).pace
        func isDone(_ verb: String, _ arguments: String) async -> Bool {
            let request = CommandRequest(verb: verb, arguments: Array(arguments.utf8))
            let answer = await commands.perform(request, at: now) { _, _ throws(OperationError) in [String]() }
            return if case .success = answer { true } else { false }
        }
        for _ in 0..<pace.burst { #expect(await isDone(former, arguments)) }
        #expect(await !isDone(former, arguments))
        #expect(await !isDone(name, "{}"))
        #expect(commands.refused == [name: 2])
    }

    @Test func `a flood of support bundles writes two, and the others are answered with why`() throws {
        let client = try Client()
        for number in 0..<8 {
            let answer = try client.ask("support-bundle")
            let isDone = number < 2
            #expect(
                answer["ok"] as? Bool == isDone && answer["kind"] as? String == (isDone ? nil : "busy"), "\(answer)")
        }
        #expect(client.scene.gateway.status.commandsRefused == ["support-bundle": 6])
        #expect(try client.ask("scan")["ok"] as? Bool == true, "other verbs have paces of their own")
    }

    @Test func `where a verb is not allowed nothing happens`() throws {
        let client = try Client(allow: ["scan"])
        #expect(try client.ask("restart", #"{"id":"7"}"#)["kind"] as? String == "refused")
        #expect(try client.ask("scan")["ok"] as? Bool == true)
        #expect(client.restarts.count.load(ordering: .relaxed) == 0)
    }

    @Test func `a verb that there is not is a mistake of the configuration, with the nearest one`() {
        let error = #expect(throws: ConfigurationError.self) {
            try GatewayConfiguration.parse("[mqtt.commands]\nallow = [\"restrat\"]\n", gateway: "g")
        }
        #expect(error?.description.contains("did you mean \"restart\"?") == true)
    }
}
