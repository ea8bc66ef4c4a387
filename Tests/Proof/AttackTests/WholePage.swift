// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

@testable import Gateway
@testable import GatewayBench
@testable import HostBench
@testable import Page

/// A gateway with files of its own, whose page is served on this machine.
final class WholePage {
    static let password = "correct horse"

    let scene: OperationsScene
    let port: UInt16
    private let page: PageService

    /// - Parameters:
    ///   - person: The text of martlet.toml beside the page's table.
    ///   - isLocked: Visitors have to give the password.
    init(_ person: String = "", isLocked: Bool = true) throws {
        port = try TestPorts.next()
        let password = isLocked ? "password = \"\(Self.password)\"\n" : ""
        scene = try OperationsScene("[page]\nlisten = \"127.0.0.1:\(port)\"\n\(password)\(person)")
        guard
            let page = PageService(
                scene.gateway.configuration, of: scene.gateway, extras: PageExtras(), logger: scene.lines.logger)
        else { throw ScriptFailure("there is no page") }
        self.page = page
        page.start()
        try require(scene.lines.text.contains("the page is served"), scene.lines.text)
    }

    deinit { page.stop() }

    /// A connection from an address of this machine.
    func connect(from source: String = "127.0.0.1") throws -> PageVisitor { try PageVisitor(port, from: source) }

    /// A request and its whole answer.
    func ask(
        _ line: String, _ headers: [String] = [], body: String = "", host: String? = nil,
        from source: String = "127.0.0.1"
    ) throws -> String {
        let visitor = try connect(from: source)
        let head = ["\(line) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")", "Connection: close"] + headers
        try visitor.send(
            head.joined(separator: "\r\n") + (body.isEmpty ? "" : "\r\nContent-Length: \(body.utf8.count)") + "\r\n\r\n"
                + body)
        return visitor.rest()
    }

    func post(_ path: String, _ json: String, _ headers: [String] = []) throws -> String {
        try ask("POST \(path)", ["Content-Type: application/json"] + headers, body: json)
    }

    /// The page's answer to a password: the redirection and the session's cookie.
    func logIn(_ password: String = password, from source: String = "127.0.0.1") throws -> (
        place: String, cookie: String
    ) {
        let answer = try ask("POST /login", body: "password=" + password.replacing(" ", with: "+"), from: source)
        func value(_ name: String) -> String {
            let line = answer.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name + ": ") }
            return String(line?.dropFirst(name.count + 2).prefix { $0 != ";" } ?? "")
        }
        return (value("location"), "Cookie: " + value("set-cookie"))
    }
}

/// A connection to the page.
final class PageVisitor {
    private let descriptor: Int32

    init(_ port: UInt16, from source: String) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        // Nothing here waits for ever.
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        var here = Broker.loopback(0)
        inet_pton(AF_INET, source, &here.sin_addr)
        let there = Broker.loopback(port)
        let isConnected = [(here, bind), (there, connect)].allSatisfy { address, call in
            withUnsafePointer(to: address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
        }
        guard isConnected else {
            throw ScriptFailure("no connection from \(source): \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }

    /// False when the page has ended the connection.
    @discardableResult
    func send(_ text: String) throws -> Bool {
        let octets = Array(text.utf8)
        var sent = 0
        while sent < octets.count {
            let count = octets[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// The next octets; empty when the connection has ended, or when nothing comes for a minute.
    func receive() -> String {
        var octets = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &octets, octets.count, 0)
        return String(decoding: octets.prefix(max(count, 0)), as: UTF8.self)
    }

    /// All octets until the page ends the connection, or for a minute: see ``isOver``.
    func rest() -> String {
        var text = ""
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            let part = receive()
            if part.isEmpty { return text }
            text += part
        }
        return text
    }

    /// The page has ended the connection, and did not only fall silent.
    var isOver: Bool {
        var octet: UInt8 = 0
        let count = recv(descriptor, &octet, 1, Int32(MSG_DONTWAIT))
        return count == 0 || (count < 0 && errno == ECONNRESET)
    }
}

/// Accepts every client as a broker would, and keeps their packets.
final class BrokerEar: Sendable {
    let port: UInt16
    private let listener: Int32
    private let said = Mutex<[UInt8]>([])

    var text: String { said.withLock { String(decoding: $0, as: UTF8.self) } }

    init() throws {
        port = try TestPorts.next()
        listener = try TestPorts.listener(port)
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                Thread.detachNewThread { [self] in
                    var octets = [UInt8](repeating: 0, count: 4_096)
                    var isFirst = true
                    while case let count = recv(connection, &octets, octets.count, 0), count > 0 {
                        said.withLock { $0 += octets.prefix(count) }
                        // CONNACK of MQTT 5: accepted.
                        if isFirst { _ = Glibc.send(connection, [0x20, 3, 0, 0, 0] as [UInt8], 5, 0) }
                        isFirst = false
                    }
                    close(connection)
                }
            }
        }
    }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }
}
