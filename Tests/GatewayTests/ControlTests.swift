// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Logging
import Synchronization
import Testing

@testable import Gateway

@Suite("Control socket")
struct ControlTests {
    let folder: TemporaryFolder
    let socket: String
    var quick = ControlLimits()

    init() throws {
        folder = try TemporaryFolder()
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

    /// One line, without its end; what has come by then when the other side closes, or five seconds pass.
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
        #expect(try ControlClient.ask(.bufferStats, socket: socket, as: String.self) == "buffer-stats")
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
        #expect(try ControlClient.ask(.status, socket: socket, as: String.self) == "status")
    }

    @Test("A request that is too long is refused and the client disconnected")
    func oversize() throws {
        let server = try server()
        defer { server.stop() }
        let client = try connect()
        defer { close(client) }
        write(client, String(repeating: "x", count: 5_000))
        #expect(readAll(client) == "{\"error\":\"the request is too long\",\"ok\":false}\n")
        #expect(try ControlClient.ask(.status, socket: socket, as: String.self) == "status")
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

    @Test("Idle clients keep nobody out: the one that is silent for longest goes, and is told so")
    func idleClients() throws {
        var limits = ControlLimits()
        limits.clients = 4
        // Nobody is disconnected for being silent.
        limits.patience = .seconds(3_600)
        let server = try server(limits)
        defer { server.stop() }
        var crowd: [Int32] = []
        defer { for client in crowd { close(client) } }
        for _ in 0..<24 { crowd.append(try connect()) }
        #expect(try ControlClient.ask(.status, socket: socket, as: String.self) == "status")
        #expect(crowd.prefix(20).allSatisfy { readAll($0) == "{\"error\":\"too many clients\",\"ok\":false}\n" })
        // Those that were silent for less time, and then spoke, are still there.
        let last = try #require(crowd.last)
        write(last, "{\"command\":\"one\"}\n")
        #expect(readLine(last) == "{\"ok\":true,\"result\":\"one\"}")
        for _ in 0..<2 { crowd.append(try connect()) }
        #expect(try ControlClient.ask(.bufferStats, socket: socket, as: String.self) == "buffer-stats")
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
        #expect(eventually { left.withLock { $0 } == 2 })
    }

    @Test("A second gateway notices the first; a socket that nobody listens on is replaced, another file is not")
    func staleSocket() throws {
        let first = try server()
        #expect(throws: ControlError.inUse(path: socket)) { _ = try server() }
        first.stop()
        #expect(!FileManager.default.fileExists(atPath: socket))

        // What a killed process leaves behind: the file without the listener.
        _ = try UnixSocket.listening(on: socket)
        #expect(FileManager.default.fileExists(atPath: socket))
        let second = try server()
        #expect(try ControlClient.ask(.status, socket: socket, as: String.self) == "status")
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

    @Test("A client of no gateway is told that there is none")
    func noServer() {
        #expect(throws: ControlError.system(operation: "connect to", path: socket, errno: ENOENT)) {
            try ControlClient.ask(.status, socket: socket, as: String.self)
        }
    }
}
