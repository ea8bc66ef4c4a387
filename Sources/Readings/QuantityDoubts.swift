// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Quantities that a single packet of a sensor has named. Some packets on the air are damaged (their CRC has 24 bits),
/// and a damaged packet may name any quantity. For a quantity that the sensor has, a second packet names it, too.
///
/// An unconfirmed doubt ends. A sensor may name its battery once a day, or send one packet a week. A doubt therefore
/// ends after ``lifetime`` and after ``packets`` other packets of the sensor, whichever comes later.
package struct QuantityDoubts: Equatable, Sendable {
    /// Limit of a sensor's doubts. The oldest doubt gives way.
    package static let limit = 16
    package static let lifetime: Duration = .seconds(3 * 86_400)
    /// Packets of the sensor that do not name the quantity.
    package static let packets = 16

    /// A packet without a link.
    package struct Packet: Equatable, Sendable {
        /// A packet keeps its number, however often it is judged. Later packets have greater numbers.
        package var number: Int64
        /// The time of the judgement, in milliseconds by any clock that goes on while the process runs.
        package var milliseconds: Int64
        /// The time of arrival, in seconds since 1970; nil while unknown.
        package var unixSeconds: Int64?

        package init(_ number: Int64, at milliseconds: Int64, unixSeconds: Int64? = nil) {
            (self.number, self.milliseconds, self.unixSeconds) = (number, milliseconds, unixSeconds)
        }
    }

    package struct Doubt: Equatable, Sendable {
        /// The packet's number.
        package var number: Int64
        package var unixSeconds: Int64?
        /// By the clock of ``Packet/milliseconds``; nil for a doubt of an earlier process, until the first packet of
        /// this process.
        var since: Int64?
        var others = 0

        package init(_ number: Int64, unixSeconds: Int64? = nil) {
            (self.number, self.unixSeconds) = (number, unixSeconds)
        }

        fileprivate func isOver(at packet: Packet) -> Bool {
            guard others >= QuantityDoubts.packets else { return false }
            let lifetime = QuantityDoubts.lifetime.wholeMilliseconds
            if let since, packet.milliseconds.subtractingSaturated(since) >= lifetime { return true }
            guard let unixSeconds, let now = packet.unixSeconds else { return false }
            return now.subtractingSaturated(unixSeconds) >= lifetime / 1_000
        }
    }

    /// By the quantities' keys in payloads.
    package private(set) var doubts: [String: Doubt] = [:]

    package init() {}

    /// A packet of the sensor has come, with any quantities. To be called once a packet, before ``confirms(_:_:)``.
    ///
    /// - Returns: Whether a doubt has ended.
    package mutating func pass(_ packet: Packet) -> Bool {
        guard !doubts.isEmpty else { return false }
        let count = doubts.count
        for key in Array(doubts.keys) {
            guard var doubt = doubts[key], doubt.number != packet.number else { continue }
            doubt.others = min(doubt.others + 1, Self.packets)
            doubt.since = doubt.since ?? packet.milliseconds
            doubts[key] = doubt.isOver(at: packet) ? nil : doubt
        }
        return doubts.count < count
    }

    /// A packet names an unknown quantity. If no other packet has named the quantity before, the quantity is doubted.
    package mutating func confirms(_ key: String, _ packet: Packet) -> Bool {
        guard let doubt = doubts[key] else {
            var doubt = Doubt(packet.number, unixSeconds: packet.unixSeconds)
            doubt.since = packet.milliseconds
            keep(doubt, of: key)
            return false
        }
        guard doubt.number != packet.number else { return false }
        doubts[key] = nil
        return true
    }

    /// Takes up a doubt. If there are too many, the new doubt replaces the oldest.
    package mutating func keep(_ doubt: Doubt, of key: String) {
        // A stranger's packets that name all quantities do not cost the sensor's packets their turn.
        if doubts.count >= Self.limit, doubts[key] == nil,
            let oldest = doubts.min(by: { $0.value.number < $1.value.number })
        {
            doubts[oldest.key] = nil
        }
        doubts[key] = doubt
    }

    package mutating func remove(_ key: String) { doubts[key] = nil }
}

extension Quantity {
    /// Whether two packets on the air have to name the quantity before it counts as the sensor's. Buttons, doors and
    /// locks report at once when something happens, and the next packet may be days away.
    package var needsSecondPacket: Bool {
        switch kind {
        case .measurement, .total: true
        case .text: self != .lockState
        case .binary, .event: false
        }
    }
}
