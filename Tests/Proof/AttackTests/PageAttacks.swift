// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Glibc
import Publisher
import Synchronization
import Testing

@testable import Configuration
@testable import Gateway
@testable import GatewayBench
@testable import HostBench
@testable import Operations
@testable import Page

/// Attacks on a whole gateway by visitors of its page, or by clients that may publish commands at its broker. Rows 151 to 157.
@Suite(.serialized)
struct PageAttacks {
    /// Runs an attack that waits on sockets, and records the outcome. The attack has its own thread, because the gateway's tasks have few
    /// threads.
    private func row(_ row: Int, _ id: String, _ script: @escaping @Sendable () throws -> Void) async throws {
        let result: Result<Void, any Error> = await withCheckedContinuation { done in
            Thread.detachNewThread { done.resume(returning: Result { try script() }) }
        }
        try AttackRecord.run(row, id, file: #fileID) { try result.get() }
    }

    @Test(.timeLimit(.minutes(5))) func `row 151: the broker's password follows no changed way`() async throws {
        try await row(151, "broker password elsewhere") {
            let secret = "S3cret-of-the-broker"
            let folder = try TestFolder()
            try folder.write("secret", secret + "\n")
            let file = "username = \"gw-user\"\npassword_file = \"\(folder.path("secret"))\"\n"
            let broker = "[mqtt]\nhost = \"127.0.0.1\"\n"
            let ear = try BrokerEar()
            defer { ear.stop() }
            for (way, person, isWithTLS) in [
                ("\"port\":\(ear.port)", "\(broker)port = 1\n\(file)", false),
                ("\"uses_tls\":false", "\(broker)port = \(ear.port)\n\(file)[mqtt.tls]\nenabled = true\n", true),
                ("\"host\":\"localhost\",\"port\":\(ear.port)", "\(broker)port = 1\n\(file)", false),
            ] {
                let page = try WholePage(person, isLocked: false)
                try require(page.scene.gateway.configuration.mqtt.password?.revealed == secret, "no password at first")
                let refused = try page.post("/api/settings/apply", "{\(way)}")
                try require(refused.contains(" 422 ") && refused.contains("give it again"), "\(way): \(refused)")
                let taken = try page.post("/api/settings/apply", "{\(way),\"password\":\"\"}")
                try require(!ear.text.contains(secret), "\(way): the password went there")
                if !isWithTLS, !way.contains("host") {
                    try require(taken.contains(" 200 ") && ear.text.contains("gw-user"), "\(way): \(taken)")
                }
                try require(!taken.contains(secret) && !page.scene.lines.text.contains(secret), "it is told")
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `row 152: a text to be checked opens nothing and holds nobody up`() async throws
    {
        try await row(152, "check of foreign text") {
            let page = try WholePage(isLocked: false)
            let path = page.scene.folder.path("key")
            let entry = #"[[sensor]]\nname=\"a\"\nbindkey_file=\"\#(path)\"\n"#
            let text = "{\"text\":\"\(String(repeating: entry, count: 131_072 / (entry.utf8.count - 6)))\"}"
            /// The answer without its head, in which the time stands.
            func check() throws -> String {
                let answer = try page.post("/api/check", text)
                try require(answer.hasPrefix("HTTP/1.1 200 "), answer)
                return answer.components(separatedBy: "\r\n\r\n").dropFirst().joined()
            }
            let absent = try check()
            try page.scene.folder.write("key", String(repeating: "0", count: 1 << 20))
            let present = try check()
            try require(absent == present && !absent.isEmpty, "the answer tells whether there is a file")
            let one = try page.post("/api/check", "{\"text\":\"\(entry)\"}")
            try require(one.contains("sensor.bindkey_file was not looked at"), one)
            // Twelve at once; other visitors and the control socket are answered meanwhile.
            let checks = try (0..<12).map { _ in
                let visitor = try page.connect()
                try visitor.send(
                    "POST /api/check HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\n"
                        + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
                return visitor
            }
            for _ in 0..<5 {
                let settings = try page.ask("GET /api/settings")
                try require(settings.contains(" 200 "), settings)
                let status = try ControlClient.ask(
                    OperationTable.status, socket: page.scene.folder.path("control.sock"), timeout: .seconds(60))
                try require(status.gateway == "gw-test", "the control socket says \(status.gateway)")
            }
            let answers = checks.map { $0.rest() }
            try require(answers.allSatisfy { $0.contains(" 200 ") || $0.contains(" 409 ") }, "an answer is missing")
            try require(answers.contains { $0.contains(" 200 ") }, "no check was made")
        }
    }

    @Test(.timeLimit(.minutes(5))) func `row 153: all addresses of this machine guess as one`() async throws {
        try await row(153, "guesses from 127.0.0.0/8") {
            let page = try WholePage()
            let session = try page.logIn().cookie
            var places: [String] = []
            for number in 0..<200 {
                places.append(
                    try page.logIn("guess \(number)", from: "127.\(1 + number).\(number).\(1 + number)").place)
            }
            let looked = places.count { $0 == "/login?wrong" }
            try require(looked <= 12, "\(looked) guesses were looked at")
            try require(places.count { $0.hasPrefix("/login?wait=") } == 200 - looked, "\(Set(places))")
            let settings = try page.ask("GET /api/settings", [session])
            try require(settings.contains(" 200 "), settings)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `row 154: slow bodies keep nobody out`() async throws {
        try await row(154, "slow bodies") {
            let page = try WholePage()
            let isOver = Atomic(false)
            // Three addresses connect at the same time as the visitor.
            let crowd = SlowCrowd(page.port)
            Thread.detachNewThread { crowd.run(until: { isOver.load(ordering: .relaxed) }) }
            defer { isOver.store(true, ordering: .relaxed) }
            try require(blockingEventually { crowd.made > 96 }, "no crowd")
            for _ in 0..<5 {
                let (place, cookie) = try page.logIn(from: "127.0.0.9")
                try require(place == "/" && cookie.contains("="), "the visitor is not let in: \(place)")
                let before = crowd.made
                try require(blockingEventually { crowd.made > before }, "the crowd has ended")
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `row 155: events end with their session`() async throws {
        try await row(155, "events after the session") {
            let page = try WholePage()
            func watch(_ cookie: String) throws -> PageVisitor {
                let visitor = try page.connect()
                try visitor.send("GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\(cookie)\r\n\r\n")
                let first = visitor.receive()
                try require(first.contains(" 200 "), first)
                return visitor
            }
            let left = try page.logIn().cookie
            // Another site asks in the name of a visitor with a session.
            for path in ["/events", "/api/settings", "/metrics"] {
                let visitor = try page.connect()
                try visitor.send(
                    "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-Fetch-Site: cross-site\r\n\(left)\r\n\r\n")
                let refusal = visitor.receive()
                try require(refusal.contains(" 403 "), "\(path): \(refusal)")
            }
            let events = try watch(left)
            let answer = try page.ask("POST /logout", [left])
            try require(answer.contains(" 303 "), answer)
            _ = events.rest()
            try require(events.isOver, "the events went on after the logout")

            let pushed = try page.logIn().cookie
            let more = try watch(pushed)
            for _ in 0..<PageAccess.maximumSessions { try require(try page.logIn().place == "/", "a crowd's visitor") }
            _ = more.rest()
            try require(more.isOver, "the events went on after the session was pushed out")
            try require(try page.ask("GET /api/settings", [pushed]).contains(" 401 "), "the session goes on")
        }
    }

    @Test(.timeLimit(.minutes(5))) func `row 156: a flood of commands`() async throws {
        try await row(156, "command flood") {
            let broker = try Broker()
            let scene = try OperationsScene(
                "[mqtt]\nhost = \"127.0.0.1\"\nport = \(broker.port)\n[mqtt.commands]\nallow = [\"support-bundle\", \"scan\"]\n"
            )
            try require(blockingEventually { scene.gateway.slot.publisher?.statistics.connected == true }, "no broker")
            let flood = try MosquittoClient(
                "mosquitto_pub", port: broker.port, ["-t", "martlet/gw/gw-test/cmd/support-bundle", "-q", "1", "-l"],
                input: String(repeating: "{}\n", count: 300))
            _ = flood.output()
            // The gateway carries out commands one by one: the answer to a later command marks the end of the flood.
            var answer = ""
            for _ in 0..<60 where !answer.contains("\"ok\":true") {
                answer = try MosquittoClient(
                    "mosquitto_rr", port: broker.port,
                    ["-t", "martlet/gw/gw-test/cmd/scan", "-e", "answers/1", "-q", "1", "-W", "60", "-m", "{}"]
                ).output()
                usleep(100_000)
            }
            try require(answer.contains("\"command\":\"scan\",\"ok\":true"), "another command: \(answer)")
            // The pace limited those commands which did not meet a busy gateway.
            let refused = scene.gateway.status.commandsRefused?["support-bundle"] ?? 0
            try require(refused > 0, "the flood is not held to a pace")
            let files = try FileManager.default.contentsOfDirectory(atPath: scene.folder.path("state/support"))
            try require(files.count <= 2, "\(files)")
        }
    }

    @Test(.timeLimit(.minutes(5))) func `row 157: hosts and origins that are nearly ours`() async throws {
        try await row(157, "ambiguous Host and Origin") {
            let page = try WholePage(isLocked: false)
            let own = "127.0.0.1:\(page.port)"
            for host in [
                "[::1]evil", "[::1]:80:80", "[127.0.0.1]", "127.0.0.1:", "127.0.0.1.", "127.0.0.1:80:80",
                "127.0.0.1:evil",
                "evil@127.0.0.1", "127.0.0.1.evil", "localhost.", "localhost:0", "localhost:080",
            ] {
                let answer = try page.ask("GET /api/settings", host: host)
                try require(answer.contains(" 421 ") && !answer.contains("gw-test"), "\(host): \(answer)")
            }
            for origin in [
                "http://\(own).evil", "http://\(own)1", "http://\(own)/", "http://\(own)@evil", "http://evil", "null",
                "http://127.0.0.1", "xhttp://\(own)",
            ] {
                let answer = try page.post("/api/history", #"{"mode":"paused"}"#, ["Origin: \(origin)"])
                try require(answer.contains(" 403 "), "\(origin): \(answer)")
            }
            try require(page.scene.gateway.slot.publisher?.statistics.historyMode != "paused", "one was carried out")
            let answer = try page.post("/api/history", #"{"mode":"paused"}"#, ["Origin: http://\(own)"])
            try require(answer.contains(" 200 "), "the page itself: \(answer)")
        }
    }
}

/// Ninety-six connections from three addresses, each with a body that comes an octet at a time. A connection that ends is replaced.
private final class SlowCrowd: Sendable {
    private let port: UInt16
    private let count = Atomic(0)

    init(_ port: UInt16) { self.port = port }

    /// Connections made so far.
    var made: Int { count.load(ordering: .relaxed) }

    func run(until isOver: () -> Bool) {
        var visitors: [Int: PageVisitor] = [:]
        while !isOver() {
            for number in 0..<96 {
                if let visitor = visitors[number] {
                    if (try? visitor.send("x")) != true || visitor.isOver { visitors[number] = nil }
                } else if let visitor = try? PageVisitor(port, from: "127.0.0.\(2 + number / 32)") {
                    _ = try? visitor.send("POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4000\r\n\r\nx")
                    visitors[number] = visitor
                    count.add(1, ordering: .relaxed)
                }
            }
            usleep(100_000)
        }
    }
}
