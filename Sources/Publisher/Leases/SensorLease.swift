// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A gateway's claim on `…/dev/<dev>/owner`: the gateway collects from the sensor, and the other gateways believe this
/// until a given time.
///
/// Any client with the right to publish there can have written the claim.
struct SensorLease: Codable, Equatable, Sendable {
    /// The `<gw>` of its topics.
    var gateway: String
    /// dBm, as the claiming gateway hears the sensor.
    var rssi: Int?
    /// Milliseconds since 1970; nil if the claiming gateway does not know the time.
    var until: Int64?
    /// Milliseconds since the claiming gateway last heard the sensor; nil if never.
    var age: Int64?
    /// Milliseconds for which the claiming gateway has taken care of the sensor without a break.
    var held: Int64?

    enum CodingKeys: String, CodingKey {
        case gateway = "gw"
        case rssi, until
        case age = "age_ms"
        case held = "held_ms"
    }
}

extension SensorLease {
    /// Limit of a readable message, in octets.
    private static let longest = 512
    private static let longestName = 64
    /// Milliseconds; a century.
    private static let longestTime: Int64 = 3_200_000_000_000
    private static let possibleRSSI = -127...20

    /// Nil if the payload is no lease.
    init?(_ payload: [UInt8]) {
        guard payload.count <= Self.longest,
            let lease = try? JSONDecoder().decode(SensorLease.self, from: Data(payload)),
            (1...Self.longestName).contains(lease.gateway.utf8.count)
        else { return nil }
        self = lease
        if let age { self.age = min(max(age, 0), Self.longestTime) }
        if let rssi, !Self.possibleRSSI.contains(rssi) { self.rssi = nil }
    }

    var payload: [UInt8] {
        var writer = PayloadWriter()
        writer.literal("{\"gw\":")
        writer.string(gateway)
        if let rssi { writer.field(",\"rssi\":", Int64(rssi)) }
        if let until { writer.field(",\"until\":", until) }
        if let age { writer.field(",\"age_ms\":", age) }
        if let held { writer.field(",\"held_ms\":", held) }
        writer.literal("}")
        return writer.octets
    }
}

extension PayloadWriter {
    fileprivate mutating func field(_ head: StaticString, _ number: Int64) {
        literal(head)
        integer(number)
    }
}
