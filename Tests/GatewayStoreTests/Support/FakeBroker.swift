// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// A broker that speaks MQTT 3.1.1 only, and as little of it as a publisher needs; or one that takes all versions, one
/// message at a time, and never acknowledges any.
final class FakeBroker: Listener, Sendable {
    /// What it does with a CONNECT of MQTT 5.
    enum Refusal: String, Sendable, CaseIterable {
        case returnCode1, reason84, hangsUp

        var octets: [UInt8] {
            switch self {
            case .returnCode1: [0x20, 0x02, 0x00, 0x01]
            case .reason84: [0x20, 0x03, 0x00, 0x84, 0x00]
            case .hangsUp: []
            }
        }
    }

    struct Published: Equatable, Sendable {
        var topic: String
        var isRetained: Bool
        var payload: String
    }

    struct Log {
        var connectLevels: [UInt8] = []
        var published: [Published] = []
    }

    let port: UInt16
    private let listener: Int32
    /// Nil is the broker that acknowledges nothing.
    private let refusal: Refusal?
    private let log = Mutex(Log())

    var connectLevels: [UInt8] { log.withLock { $0.connectLevels } }
    var published: [Published] { log.withLock { $0.published } }

    init(refusal: Refusal?) throws {
        self.refusal = refusal
        port = try Broker.freePort()
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Broker.loopback(port)
        let listens = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 && listen(listener, 8) == 0
            }
        }
        guard listens else { throw POSIXError(.EADDRINUSE) }
        Thread.detachNewThread { [listener, weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                self?.serve(connection)
                close(connection)
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private func serve(_ connection: Int32) {
        while let (header, body) = Self.packet(from: connection) {
            switch header >> 4 {
            case 1:
                let level = body.count > 6 ? body[6] : 0
                log.withLock { $0.connectLevels.append(level) }
                if let refusal, level != 4 { return Self.send(refusal.octets, to: connection) }
                // Receive Maximum 1.
                let properties: [UInt8] = level == 5 ? [0x03, 0x21, 0x00, 0x01] : []
                Self.send([0x20, UInt8(2 + properties.count), 0x00, 0x00] + properties, to: connection)
            case 3:
                let length = Int(body[0]) << 8 | Int(body[1])
                let isAcknowledged = header & 0x06 != 0
                let payload = body.dropFirst(2 + length + (isAcknowledged ? 2 : 0))
                let message = Published(
                    topic: String(decoding: body[2..<(2 + length)], as: UTF8.self), isRetained: header & 1 != 0,
                    payload: String(decoding: payload, as: UTF8.self))
                log.withLock { $0.published.append(message) }
                if isAcknowledged, refusal != nil {
                    Self.send([0x40, 0x02, body[2 + length], body[3 + length]], to: connection)
                }
            case 12: Self.send([0xD0, 0x00], to: connection)
            default: return
            }
        }
    }

    private static func packet(from connection: Int32) -> (header: UInt8, body: [UInt8])? {
        guard let header = octets(1, from: connection)?.first else { return nil }
        var length = 0
        for shift in stride(from: 0, to: 28, by: 7) {
            guard let octet = octets(1, from: connection)?.first else { return nil }
            length |= Int(octet & 0x7F) << shift
            if octet & 0x80 == 0 { break }
        }
        return octets(length, from: connection).map { (header, $0) }
    }

    private static func octets(_ count: Int, from connection: Int32) -> [UInt8]? {
        guard count > 0 else { return [] }
        var octets = [UInt8](repeating: 0, count: count)
        let received = octets.withUnsafeMutableBytes { recv(connection, $0.baseAddress, count, Int32(MSG_WAITALL)) }
        return received == count ? octets : nil
    }

    private static func send(_ octets: [UInt8], to connection: Int32) {
        _ = Glibc.send(connection, octets, octets.count, Int32(MSG_NOSIGNAL))
    }
}
