// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The quantities that one packet of a sensor has named and no other. Packets on the air are damaged now and then (their CRC has
/// 24 bits), and a damaged one may name any quantity: what a sensor has, a second packet names, too.
///
/// A doubt that nothing confirms ends. A sensor may name its battery once a day, or send one packet a week: so a doubt ends after
/// ``lifetime`` and after ``packets`` other packets of the sensor, whichever comes later.
package struct QuantityDoubts: Equatable, Sendable {
    /// Doubts of one sensor, at most: the oldest one gives way.
    package static let limit = 16
    package static let lifetime: Duration = .seconds(3 * 86_400)
    /// Packets of the sensor that do not name the quantity.
    package static let packets = 16

    /// A packet that came without a link.
    package struct Packet: Equatable, Sendable {
        /// The same packet has the same number, however often it is looked at; later ones have greater numbers.
        package var number: Int64
        /// When it is looked at, in milliseconds by any clock that goes on while the process runs.
        package var milliseconds: Int64
        /// When it came, in seconds since 1970; nil while that is not known.
        package var unixSeconds: Int64?

        package init(_ number: Int64, at milliseconds: Int64, unixSeconds: Int64? = nil) {
            (self.number, self.milliseconds, self.unixSeconds) = (number, milliseconds, unixSeconds)
        }
    }

    package struct Doubt: Equatable, Sendable {
        /// Of the packet.
        package var number: Int64
        package var unixSeconds: Int64?
        /// By the clock of ``Packet/milliseconds``; nil for a doubt of an earlier process, until the first packet of this one.
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

    /// A packet of the sensor is there, whatever it names. To be called once a packet, before ``confirms(_:_:)``.
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

    /// A packet names a quantity that is not known yet. Where it is the first one to do so, the quantity is doubted.
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

    /// Takes a doubt up, in the place of the oldest one where there are too many.
    package mutating func keep(_ doubt: Doubt, of key: String) {
        // Packets of somebody who names all quantities do not cost those of the sensor their turn.
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
    /// Whether a packet on the air has to name it twice before it is the sensor's. A button that was pressed, a door that was opened
    /// and the state of a lock come when something happens, and the next packet may be days away.
    package var needsSecondPacket: Bool {
        switch details.kind {
        case .measurement, .total: true
        case .text: self != .lockState
        case .binary, .event: false
        }
    }
}
