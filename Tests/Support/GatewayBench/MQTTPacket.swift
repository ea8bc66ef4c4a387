// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A publisher's packet in parts. The reader trusts libmosquitto, and checks nothing.
enum MQTTPacket {
    struct Connect: Equatable, Sendable {
        var level: UInt8
        var clientID = ""
        var isWillRetained = false
        var startsClean = false
        var sessionExpiry: UInt32?
        var maximumPacketSize: UInt32?
    }

    /// SUBSCRIBE or UNSUBSCRIBE.
    struct Request: Equatable, Sendable {
        var packetID: UInt16
        var filters: [String] = []
        /// One octet for each filter, in a SUBSCRIBE.
        var options: [UInt8] = []
    }

    struct Publish: Equatable, Sendable {
        var topic: String
        var qos: UInt8
        var isRetained: Bool
        var isRepeat: Bool
        var packetID: UInt16 = 0
        var expiry: UInt32?
        var user: [String: String] = [:]
        var payload: String

        /// The payload's readings: the one object, or the objects of a history array.
        var readings: [[String: Any]] {
            let value = try? JSONSerialization.jsonObject(with: Data(payload.utf8), options: .fragmentsAllowed)
            return value as? [[String: Any]] ?? (value as? [String: Any]).map { [$0] } ?? []
        }
    }

    case connect(Connect)
    case publish(Publish)
    case puback(UInt16)
    case subscribe(Request)
    case unsubscribe(Request)
    case ping
    case disconnect
    case other

    /// Waits for the next packet; nil when there will be none.
    static func read(from connection: Int32, level: UInt8) -> MQTTPacket? {
        guard let header = octets(1, from: connection)?.first else { return nil }
        var length = 0
        for shift in stride(from: 0, to: 28, by: 7) {
            guard let octet = octets(1, from: connection)?.first else { return nil }
            length |= Int(octet & 0x7F) << shift
            if octet & 0x80 == 0 { break }
        }
        guard let body = octets(length, from: connection) else { return nil }
        var reader = Reader(octets: body[...])
        switch header >> 4 {
        // The first octet of TLS has other flags.
        case 1 where header & 0x0F == 0: return .connect(connect(&reader))
        case 3: return .publish(publish(&reader, header, level))
        case 4: return .puback(reader.short())
        case 8: return .subscribe(request(&reader, level, hasOptions: true))
        case 10: return .unsubscribe(request(&reader, level, hasOptions: false))
        case 12: return .ping
        case 14: return .disconnect
        default: return .other
        }
    }

    private static func connect(_ reader: inout Reader) -> Connect {
        _ = reader.string()
        var connect = Connect(level: reader.octet())
        let flags = reader.octet()
        connect.isWillRetained = flags & 0x24 == 0x24
        connect.startsClean = flags & 2 != 0
        _ = reader.short()
        if connect.level == 5 {
            let properties = reader.properties()
            (connect.sessionExpiry, connect.maximumPacketSize) = (properties.expiry, properties.maximumPacketSize)
        }
        connect.clientID = reader.string()
        return connect
    }

    private static func publish(_ reader: inout Reader, _ header: UInt8, _ level: UInt8) -> Publish {
        var message = Publish(
            topic: reader.string(), qos: header >> 1 & 3, isRetained: header & 1 != 0, isRepeat: header & 8 != 0,
            payload: "")
        if message.qos > 0 { message.packetID = reader.short() }
        if level == 5 {
            let properties = reader.properties()
            (message.expiry, message.user) = (properties.expiry, properties.user)
        }
        message.payload = String(decoding: reader.octets, as: UTF8.self)
        return message
    }

    private static func request(_ reader: inout Reader, _ level: UInt8, hasOptions: Bool) -> Request {
        var request = Request(packetID: reader.short())
        if level == 5 { _ = reader.properties() }
        while !reader.octets.isEmpty {
            request.filters.append(reader.string())
            if hasOptions { request.options.append(reader.octet()) }
        }
        return request
    }

    private static func octets(_ count: Int, from connection: Int32) -> [UInt8]? {
        guard count > 0 else { return [] }
        var octets = [UInt8](repeating: 0, count: count)
        let received = octets.withUnsafeMutableBytes { recv(connection, $0.baseAddress, count, Int32(MSG_WAITALL)) }
        return received == count ? octets : nil
    }

    private struct Properties {
        /// The expiry of a message or of a session.
        var expiry: UInt32?
        var maximumPacketSize: UInt32?
        var user: [String: String] = [:]
    }

    private struct Reader {
        var octets: ArraySlice<UInt8>

        mutating func octet() -> UInt8 { octets.popFirst() ?? 0 }
        mutating func short() -> UInt16 { UInt16(octet()) << 8 | UInt16(octet()) }
        mutating func long() -> UInt32 { UInt32(short()) << 16 | UInt32(short()) }

        mutating func string() -> String {
            let count = Int(short())
            defer { octets = octets.dropFirst(count) }
            return String(decoding: octets.prefix(count), as: UTF8.self)
        }

        /// MQTT 5.0, 2.2.2.2, as far as publishers have them.
        mutating func properties() -> Properties {
            let end = octets.count - Int(octet()) - 1
            var properties = Properties()
            while octets.count > end {
                switch octet() {
                case 0x02, 0x11: properties.expiry = long()
                case 0x26:
                    let key = string()
                    properties.user[key] = string()
                case 0x21: _ = short()
                case 0x27: properties.maximumPacketSize = long()
                default: return properties
                }
            }
            return properties
        }
    }
}
