// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Logging
import Synchronization
import Testing

@testable import NetworkControl

/// A socket with scripted answers: a thread for each connection, and a call of the script for each line.
private final class Listener: Sendable {
    let path: String
    private let descriptor: Int32
    /// The received lines, and "end" for each closed connection.
    let heard: AsyncStream<String>

    /// - Parameter script: Takes a line, and may send answers; false ends the connection.
    init(_ script: @escaping @Sendable (String, LineSocket) -> Bool) throws {
        let path = NSTemporaryDirectory() + "network-\(RandomUUID.next().prefix(8)).sock"
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        try #require(listen(descriptor, 8) == 0)
        let (heard, continuation) = AsyncStream.makeStream(of: String.self)
        (self.path, self.descriptor, self.heard) = (path, descriptor, heard)
        Thread.detachNewThread {
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                Thread.detachNewThread {
                    let socket = LineSocket(descriptor: connection, maximumLine: NetworkRequest.maximumLine)
                    while case .line(let line) = socket.receive(until: .now + .seconds(120)) {
                        let text = String(decoding: line, as: UTF8.self)
                        continuation.yield(text)
                        guard script(text, socket) else { break }
                    }
                    close(connection)
                    continuation.yield("end")
                }
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
        unlink(path)
    }

    func client() -> NetworkHelperClient {
        NetworkHelperClient(path: path, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// The next `count` received lines or ends.
    func next(_ count: Int) async -> [String] {
        var found: [String] = []
        for await each in heard {
            found.append(each)
            if found.count == count { break }
        }
        return found
    }
}

@Suite("How the gateway asks its network helper") struct ClientTests {
    private static let uuid = "0b0e7a5e-0000-4000-8000-000000000000"
    private static let settings = WirelessSettings(ssid: "Attic", password: "correct horse")

    private static func send(_ text: String, over socket: LineSocket) -> Bool { socket.send(Array("\(text)\n".utf8)) }

    /// As the helper does when all goes well.
    private static func obliging(_ line: String, _ socket: LineSocket) -> Bool {
        if line.contains("\"join\"") {
            return send(#"{"step":"associate"}"#, over: socket) && send(#"{"step":"address"}"#, over: socket)
                && send(
                    #"{"status":{"isConnected":true,"ssid":"Attic","addresses":["192.0.2.7"],"hasWiFi":true}}"#,
                    over: socket)
        }
        if line.contains("\"keep\"") { return send(#"{"kept":"\#(uuid)"}"#, over: socket) }
        if line.contains("\"status\"") {
            return send(#"{"status":{"isConnected":false,"addresses":[],"hasWiFi":true}}"#, over: socket)
        }
        if line.contains("\"scan\"") {
            return send(
                #"{"networks":[{"ssid":"Attic","strength":70,"security":"wpa2","frequency":2412,"isJoined":false}]}"#,
                over: socket)
        }
        return send("{}", over: socket)
    }

    @Test("a network is joined, kept and settled; the trial alone has one connection for all its requests") func whole()
        async throws
    {
        let listener = try Listener(Self.obliging)
        let client = listener.client()
        let steps = Mutex<[NetworkStep]>([])
        let status = try await client.join(Self.settings, limit: .seconds(60)) { step in
            steps.withLock { $0.append(step) }
        }
        #expect(status.ssid == "Attic")
        #expect(steps.withLock { $0 } == [.associate, .address])
        await #expect(throws: NetworkFailure.busy) {
            try await client.join(Self.settings, limit: .seconds(60)) { _ in }
        }
        #expect(try await client.keep() == Self.uuid)
        try await client.settle(Self.uuid)
        let heard = await listener.next(5)
        // When a connection has ended is another thread's to see.
        #expect(heard.filter { $0 == "end" }.count == 2)
        #expect(
            heard.filter { $0 != "end" } == [
                #"{"limit":60,"password":"correct horse","ssid":"Attic","verb":"join"}"#, #"{"verb":"keep"}"#,
                #"{"kept":"\#(Self.uuid)","verb":"settle"}"#,
            ])
        #expect(try await client.status() == NetworkStatus(hasWiFi: true))
        #expect(try await client.scan().map(\.ssid) == ["Attic"])
        try await client.setCountry("DE")
    }

    @Test("a kept network can be taken back until it is settled") func keptBack() async throws {
        let listener = try Listener(Self.obliging)
        let client = listener.client()
        _ = try await client.join(Self.settings, limit: .seconds(60)) { _ in }
        _ = try await client.keep()
        try await client.revert()
        try await client.revert()
        let heard = await listener.next(5)
        #expect(heard.filter { $0 == "end" }.count == 2)
        #expect(heard.filter { $0 != "end" }.last == #"{"kept":"\#(Self.uuid)","verb":"take-back"}"#)
        await #expect(throws: NetworkFailure.failed) { try await client.keep() }
    }

    @Test("a trial is taken back over its own connection, and another trial may follow") func takenBack() async throws {
        let listener = try Listener(Self.obliging)
        let client = listener.client()
        for _ in 0..<2 {
            _ = try await client.join(Self.settings, limit: .seconds(60)) { _ in }
            try await client.revert()
            #expect(await listener.next(3).suffix(2) == [#"{"verb":"take-back"}"#, "end"])
        }
    }

    @Test("a cancelled join ends its connection, and with it the trial") func cancelled() async throws {
        let listener = try Listener { line, socket in Self.send(#"{"step":"associate"}"#, over: socket) }
        let client = listener.client()
        let (begun, continuation) = AsyncStream.makeStream(of: NetworkStep.self)
        let task = Task { try await client.join(Self.settings, limit: .seconds(60)) { continuation.yield($0) } }
        for await _ in begun { break }
        task.cancel()
        await #expect(throws: NetworkFailure.self) { try await task.value }
        #expect(await listener.next(2).last == "end")
    }

    @Test("a join that is taken back ends, too, and another may follow") func takenBackMeanwhile() async throws {
        let listener = try Listener { line, socket in Self.send(#"{"step":"associate"}"#, over: socket) }
        let client = listener.client()
        for _ in 0..<2 {
            let (begun, continuation) = AsyncStream.makeStream(of: NetworkStep.self)
            let task = Task { try await client.join(Self.settings, limit: .seconds(60)) { continuation.yield($0) } }
            for await _ in begun { break }
            try await client.revert()
            await #expect(throws: NetworkFailure.self) { try await task.value }
            #expect(await listener.next(2).last == "end")
        }
    }

    @Test("a client that disappears ends its trial") func gone() async throws {
        let listener = try Listener(Self.obliging)
        var client: NetworkHelperClient? = listener.client()
        _ = try await client?.join(Self.settings, limit: .seconds(60)) { _ in }
        client = nil
        #expect(await listener.next(2).last == "end")
    }

    @Test("all requests for the status during an answer get this answer") func statusOnce() async throws {
        let gate = DispatchSemaphore(value: 0)
        let asked = Mutex(0)
        let listener = try Listener { _, socket in
            asked.withLock { $0 += 1 }
            gate.wait()
            return Self.send(#"{"status":{"isConnected":true,"hasWiFi":false,"addresses":[]}}"#, over: socket)
        }
        let client = listener.client()
        let first = Task { try await client.status() }
        var heard = listener.heard.makeAsyncIterator()
        #expect(await heard.next()?.contains("status") == true)
        let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
        let others = (0..<20).map { _ in
            Task {
                continuation.yield()
                return try await client.status()
            }
        }
        for await _ in begun.prefix(others.count) {}
        for _ in 0..<30 { gate.signal() }
        for task in [first] + others { #expect(try await task.value.isConnected) }
        // A request that the machine interrupted just before it was sent may have come too late.
        let before = asked.withLock { $0 }
        #expect(before <= 3)
        _ = try await client.status()
        #expect(asked.withLock { $0 } == before + 1, "a later question is asked anew")
    }

    @Test("a failure is the helper's") func failure() async throws {
        let listener = try Listener { _, socket in
            Self.send(#"{"step":"associate"}"#, over: socket)
                && Self.send(#"{"failure":"wrong-password","words":"no\u001b[2J"}"#, over: socket)
        }
        let client = listener.client()
        for _ in 0..<2 {
            await #expect(throws: NetworkFailure.wrongPassword) {
                try await client.join(Self.settings, limit: .seconds(60)) { _ in }
            }
        }
    }

    static let hostile: [(String, NetworkFailure)] = [
        ("", .failed), ("{", .failed), ("[]", .failed), (#"{"failure":"nonsense"}"#, .failed),
        (#"{"status":7}"#, .failed),
        ("{}", .failed), (#"{"status":{"isConnected":true}}"#, .failed), (#"{"step":"associate"}"#, .noManager),
        (#"{"step":"associate"}"# + String(repeating: "\n" + #"{"step":"associate"}"#, count: 99), .failed),
        (String(repeating: "x", count: 70_000), .failed), (String(repeating: "[", count: 60_000), .failed),
    ]

    @Test("an invalid answer is a failure", arguments: hostile)
    func hostileAnswer(answer: String, failure: NetworkFailure) async throws {
        let listener = try Listener { _, socket in
            _ = Self.send(answer, over: socket)
            return false
        }
        await #expect(throws: failure) { try await listener.client().status() }
    }

    @Test("a missing helper is reported as missing") func absent() async throws {
        let client = NetworkHelperClient(
            path: "/nonexistent/network.sock", logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        await #expect(throws: NetworkFailure.noManager) { try await client.status() }
        await #expect(throws: NetworkFailure.noManager) { try await client.scan() }
        await #expect(throws: NetworkFailure.noManager) { try await client.settle(nil) }
        await #expect(throws: NetworkFailure.noManager) {
            try await client.join(Self.settings, limit: .seconds(60)) { _ in }
        }
        await #expect(throws: NetworkFailure.failed) { try await client.keep() }
        try await client.revert()
        await #expect(throws: NetworkFailure.notValid) { try await client.setCountry("XX") }
        await #expect(throws: NetworkFailure.notValid) { try await client.settle("../x") }
    }
}
