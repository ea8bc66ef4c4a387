// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Logging
import Synchronization
import Testing

@testable import Collector
@testable import Gateway
@testable import GatewayBench
@testable import Operations
@testable import Publisher
@testable import Readings

@Suite("Control socket", .ownThread)
struct ControlTests {
    let folder: TestFolder
    let socket: String
    var quick = ControlLimits()

    init() throws {
        folder = try TestFolder()
        socket = folder.path("control.sock")
        quick.patience = .milliseconds(200)
    }

    private static let quiet: Logger = {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }()

    private func server(_ limits: ControlLimits = ControlLimits()) throws -> ControlServer {
        try ControlServer(path: socket, limits: limits, logger: Self.quiet) { line in
            let request = try? ControlCoding.decode(ControlRequest.self, from: line)
            return (try? ControlCoding.encode(ControlResponse.success(request?.command ?? "garbage"))) ?? []
        }
    }

    private func connect() throws -> Int32 { try UnixSocket.connected(to: socket).release() }

    /// Everything until the other side closes, at most five seconds long.
    private func readAll(_ descriptor: Int32) -> String {
        var octets: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, 5_000) > 0 {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            octets += buffer[..<count]
        }
        return String(decoding: octets, as: UTF8.self)
    }

    /// One line without its end; the octets so far when the other side closes, or after five seconds.
    private func readLine(_ descriptor: Int32) -> String {
        var octets: [UInt8] = []
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var octet: UInt8 = 0
        while poll(&entry, 1, 5_000) > 0, recv(descriptor, &octet, 1, 0) == 1, octet != UInt8(ascii: "\n") {
            octets.append(octet)
        }
        return String(decoding: octets, as: UTF8.self)
    }

    private func write(_ descriptor: Int32, _ text: String) {
        let octets = Array(text.utf8)
        _ = octets.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    @Test("A command is answered, and the socket is for owner and group only")
    func answers() throws {
        let server = try server()
        defer { server.stop() }
        #expect(try ControlClient.ask(ControlRequest(.bufferStats), socket: socket, as: String.self) == "buffer-stats")
        var information = stat()
        #expect(lstat(socket, &information) == 0)
        #expect(information.st_mode & 0o777 == 0o660)
    }

    @Test("Several requests may come at once and in pieces; each has its answer, in order")
    func pipelined() throws {
        let server = try server(quick)
        defer { server.stop() }
        let client = try connect()
        defer { close(client) }
        write(client, "{\"command\":\"one\"}\n{\"comm")
        write(client, "and\":\"two\"}\n")
        #expect(readAll(client) == "{\"ok\":true,\"result\":\"one\"}\n{\"ok\":true,\"result\":\"two\"}\n")
    }

    @Test(
        "Garbage is answered and does no harm",
        arguments: ["\n", "{\n", "\u{0}\u{1}\u{2}\n", "[[[[[[[[[[\n", "{\"command\":5}\n", "\u{FFFD}\n"])
    func garbage(text: String) throws {
        let server = try server()
        defer { server.stop() }
        let answer = try ControlClient.exchange(Array(text.utf8), socket: socket)
        #expect(String(decoding: answer, as: UTF8.self) == "{\"ok\":true,\"result\":\"garbage\"}")
        #expect(try ControlClient.ask(ControlRequest(.status), socket: socket, as: String.self) == "status")
    }

    @Test("A too long request is refused and the client disconnected")
    func oversize() throws {
        let server = try server()
        defer { server.stop() }
        let client = try connect()
        defer { close(client) }
        write(client, String(repeating: "x", count: 5_000))
        #expect(readAll(client) == "{\"error\":\"the request is too long\",\"ok\":false}\n")
        #expect(try ControlClient.ask(ControlRequest(.status), socket: socket, as: String.self) == "status")
    }

    @Test("A silent client is disconnected")
    func silent() throws {
        let server = try server(quick)
        defer { server.stop() }
        let client = try connect()
        defer { close(client) }
        write(client, "{\"command\":")
        #expect(readAll(client) == "")
    }

    @Test("Idle clients keep no client out: the longest silent client goes, with a message")
    func idleClients() throws {
        var limits = ControlLimits()
        limits.clients = 4
        // The server disconnects no client for silence.
        limits.patience = .seconds(3_600)
        let server = try server(limits)
        defer { server.stop() }
        var crowd: [Int32] = []
        defer { for client in crowd { close(client) } }
        for _ in 0..<24 { crowd.append(try connect()) }
        #expect(try ControlClient.ask(ControlRequest(.status), socket: socket, as: String.self) == "status")
        #expect(crowd.prefix(20).allSatisfy { readAll($0) == "{\"error\":\"too many clients\",\"ok\":false}\n" })
        // Clients that were silent for less time, and then spoke, are still there.
        let last = try #require(crowd.last)
        write(last, "{\"command\":\"one\"}\n")
        #expect(readLine(last) == "{\"ok\":true,\"result\":\"one\"}")
        for _ in 0..<2 { crowd.append(try connect()) }
        #expect(try ControlClient.ask(ControlRequest(.bufferStats), socket: socket, as: String.self) == "buffer-stats")
        write(last, "{\"command\":\"two\"}\n")
        #expect(readLine(last) == "{\"ok\":true,\"result\":\"two\"}")
    }

    @Test("A dialogue outlasts idle clients, but does not keep the others out when all are in one")
    func dialogues() throws {
        var limits = ControlLimits()
        limits.clients = 4
        let left = Mutex(0)
        let server = try ControlServer(
            path: socket, limits: limits, logger: Self.quiet,
            dialogues: { line in
                guard line.elementsEqual("talk".utf8) else { return nil }
                let dialogue = ControlDialogue(received: { _ in }, left: { left.withLock { $0 += 1 } })
                dialogue.say(Array("hello".utf8))
                return dialogue
            }, handler: { $0 })
        defer { server.stop() }
        var clients: [Int32] = []
        defer { for client in clients { close(client) } }
        func talk() throws {
            let client = try connect()
            clients.append(client)
            write(client, "talk\n")
            #expect(readLine(client) == "hello")
        }
        try talk()
        for _ in 0..<8 { clients.append(try connect()) }
        #expect(try ControlClient.exchange(Array("a\n".utf8), socket: socket) == Array("a".utf8))
        #expect(left.withLock { $0 } == 0)
        for _ in 0..<4 { try talk() }
        #expect(try ControlClient.exchange(Array("b\n".utf8), socket: socket) == Array("b".utf8))
        #expect(blockingEventually { left.withLock { $0 } == 2 })
    }

    /// Withholds answers until the test releases them.
    private final class Gate: Sendable {
        private struct State {
            var isOpen = false
            var waiting: [CheckedContinuation<Void, Never>] = []
            var came = 0
        }

        private let state = Mutex(State())

        var came: Int { state.withLock { $0.came } }

        func pass() async {
            await withCheckedContinuation { waiting in
                let isOpen = state.withLock { state in
                    state.came += 1
                    if !state.isOpen { state.waiting.append(waiting) }
                    return state.isOpen
                }
                if isOpen { waiting.resume() }
            }
        }

        func open() {
            let waiting = state.withLock { state in
                defer { (state.waiting, state.isOpen) = ([], true) }
                return state.waiting
            }
            for waiting in waiting { waiting.resume() }
        }
    }

    private func server(_ limits: ControlLimits, gate: Gate) throws -> ControlServer {
        try ControlServer(path: socket, limits: limits, logger: Self.quiet) { line in
            if line.starts(with: "wait".utf8) { await gate.pass() }
            return line
        }
    }

    @Test("A slow answer holds up no other client, and reaches the asking client")
    func slowAnswer() throws {
        let gate = Gate()
        let server = try server(ControlLimits(), gate: gate)
        defer { server.stop() }
        let slow = try connect()
        defer { close(slow) }
        // The answers to later requests keep their order.
        write(slow, "wait 1\nnext\n")
        #expect(blockingEventually { gate.came == 1 })
        #expect(try ControlClient.exchange(Array("other\n".utf8), socket: socket) == Array("other".utf8))
        gate.open()
        #expect(readLine(slow) == "wait 1" && readLine(slow) == "next")
    }

    @Test("A client that hangs up while it waits is released, and its answer is dropped")
    func hangUp() throws {
        let gate = Gate()
        var limits = ControlLimits()
        limits.clients = 1
        let server = try server(limits, gate: gate)
        defer { server.stop() }
        let gone = try connect()
        write(gone, "wait\n")
        #expect(blockingEventually { gate.came == 1 })
        close(gone)
        // If the former connection still existed, the next would be the second.
        let next = try connect()
        defer { close(next) }
        write(next, "one\n")
        #expect(readLine(next) == "one")
        gate.open()
        write(next, "two\n")
        #expect(readLine(next) == "two", "and not the answer of the other one")
    }

    @Test("A question without an answer is reported as such, and the client goes on")
    func neverAnswered() throws {
        let gate = Gate()
        defer { gate.open() }
        var limits = ControlLimits()
        limits.answer = .seconds(2)
        let server = try server(limits, gate: gate)
        defer { server.stop() }
        let client = try connect()
        defer { close(client) }
        write(client, "wait\nafter\n")
        #expect(readLine(client) == #"{"error":"the gateway takes too long to answer","ok":false}"#)
        #expect(readLine(client) == "after")
    }

    @Test("Missing answers do not pile up: their number has a bound")
    func boundedAnswers() throws {
        let gate = Gate()
        var limits = ControlLimits()
        limits.answers = 3
        let server = try server(limits, gate: gate)
        defer { server.stop() }
        for count in 1...3 {
            let client = try connect()
            write(client, "wait\n")
            #expect(blockingEventually { gate.came == count })
            close(client)
        }
        let refused = #"{"error":"too many requests wait for their answers","ok":false}"#
        #expect(try ControlClient.exchange(Array("one\n".utf8), socket: socket) == Array(refused.utf8))
        gate.open()
        let isAnswered = try blockingEventually {
            try ControlClient.exchange(Array("one\n".utf8), socket: socket) == Array("one".utf8)
        }
        #expect(isAnswered)
    }

    @Test("Before there is a gateway the socket says so")
    func starting() async {
        let answers = ControlAnswers()
        #expect(
            await answers.answer(Array(#"{"command":"status"}"#.utf8)).elementsEqual(
                #"{"error":"the gateway is starting","ok":false}"#.utf8))
        #expect(answers.dialogue(Array(#"{"command":"pair"}"#.utf8)) == nil)
    }

    @Test("Other modules carry out their operations, and begin dialogues; unknown operations are refused")
    func provided() async throws {
        let scene = try OperationsScene()
        func ask(_ line: String) async -> String {
            String(decoding: await scene.gateway.answer(Array(line.utf8)), as: UTF8.self)
        }
        let line = #"{"command":"provision","action":"status"}"#
        #expect(await ask(line).contains("the part that does it is switched off"))
        scene.gateway.provide(OperationTable.provision) { _, call throws(OperationError) in
            WindowReport(open: call.caller == .socket, failures: 0)
        }
        scene.gateway.provide(.provisionOpen, dialogue: { _ in ControlDialogue(received: { _ in }, left: {}) })
        #expect(await ask(line) == #"{"ok":true,"result":{"failures":0,"is_open":true,"open":true}}"#)
        #expect(scene.gateway.dialogue(Array(#"{"command":"provision-open"}"#.utf8)) != nil)
        for other in [#"{"command":"provisio"}"#, "garbage", "{}", #"{"command":5}"#, ""] {
            #expect(await ask(other).hasPrefix(#"{"error":""#))
            #expect(scene.gateway.dialogue(Array(other.utf8)) == nil)
        }
        scene.gateway.stop()
        #expect(scene.gateway.provided(.provision) == nil, "what others have lent lives no longer than the gateway")
        #expect(scene.gateway.providers.dialogue(.provisionOpen) == nil)
    }

    @Test("A second gateway notices the first; a socket without a listener is replaced, another file is not")
    func staleSocket() throws {
        let first = try server()
        #expect(throws: ControlError.inUse(path: socket)) { _ = try server() }
        first.stop()
        #expect(!FileManager.default.fileExists(atPath: socket))

        // A killed process leaves the socket's file without a listener.
        _ = try UnixSocket.listening(on: socket)
        #expect(FileManager.default.fileExists(atPath: socket))
        let second = try server()
        #expect(try ControlClient.ask(ControlRequest(.status), socket: socket, as: String.self) == "status")
        second.stop()

        try folder.write("control.sock", "precious")
        #expect(throws: ControlError.self) { _ = try server() }
        #expect(try String(contentsOfFile: socket, encoding: .utf8) == "precious")
    }

    @Test("Stopping ends open connections")
    func stopping() throws {
        let server = try server()
        let client = try connect()
        defer { close(client) }
        write(client, "{\"command\":\"one\"}\n")
        server.stop()
        server.stop()
        #expect(["", "{\"ok\":true,\"result\":\"one\"}\n"].contains(readAll(client)))
    }

    @Test("A gateway's status is the same on both sides of the socket")
    func coding() throws {
        var books = JournalStatistics(path: "/j")
        books.dropped = ["queue-full": 1]
        books.oldestAgeSeconds = 1.5
        // Names of sensors stay as they are.
        books.sensors = ["living_room": LedgerEntry()]
        books.sensors?["living_room"]?.dropped = ["journal-age": 3]
        var collector = CollectorStatus()
        collector.sensors = [
            SensorStatus(
                id: "a", name: "A", address: nil, identifier: "i", link: .settingUp, rssi: -60, readings: 1, drops: 2,
                reconnects: ["Timed out": 2], lastDrop: "Timed out", lastFailure: nil, missing: ["180D/2A37"],
                values: [.init(characteristic: "2a19", value: "60", source: "read", uptimeMs: 5, unixMs: nil)])
        ]
        let status = GatewayStatus(
            gateway: "g", version: "1", uptimeS: 1, clock: "synced",
            controller: .init(name: "hci0", state: "powered on", counters: ["unexpected_pdus": 3]),
            collector: collector,
            journal: books, mqtt: PublisherStatistics(broker: "b:1"))
        let octets = try ControlCoding.encode(status)
        let copy = try ControlCoding.decode(GatewayStatus.self, from: octets)
        #expect(copy.collector == status.collector)
        #expect(copy.journal == status.journal)
        #expect(copy.mqtt == status.mqtt)
        #expect(copy.controller.counters == status.controller.counters)
        #expect(try ControlCoding.encode(copy) == octets)
    }

    @Test("A client without a gateway hears that there is none")
    func noServer() {
        #expect(throws: ControlError.system(operation: "connect to", path: socket, errno: ENOENT)) {
            try ControlClient.ask(ControlRequest(.status), socket: socket, as: String.self)
        }
    }
}
