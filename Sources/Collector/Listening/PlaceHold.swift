// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The proof with which an advertising sensor holds a place.
package struct ClaimLimits: Equatable, Sendable {
    /// A device without a key holds its place when its packets span this many milliseconds.
    package var proof: Int64 = 10_000
    /// Limit of devices that are collected from before they hold a place. Further devices prove themselves first.
    package var unheld = 64
    /// Limit of devices that claim a place and have none.
    package var claims = 128

    package init() {}
}

/// How far a device has proved that a place is its own. An advertisement is a claim that any device can send once.
struct PlaceHold: Equatable, Sendable {
    /// The time of the first packet, in milliseconds since boot.
    private(set) var first: Int64?
    private(set) var last: Int64 = 0
    /// The key of the entry has opened a packet of the device.
    private(set) var hasOpened = false
    /// An earlier run has collected from the device.
    private(set) var isRemembered = false
    /// The device keeps the place until it is silent.
    private(set) var isHeld = false

    mutating func heard(at now: Int64) {
        first = first ?? now
        last = now
    }

    /// The facts of earlier runs about the device are known.
    mutating func recall(_ isRemembered: Bool) { self.isRemembered = isRemembered }

    mutating func opened() { hasOpened = true }

    /// Milliseconds from the first packet to the last.
    var span: Int64 { first.map { last.subtractingSaturated($0) } ?? 0 }

    /// Whether the device may hold a place: the key has opened a packet, or, without a key, the device has spoken for a
    /// while.
    func isProven(hasKey: Bool, _ limits: ClaimLimits) -> Bool {
        hasKey ? hasOpened : isRemembered || first != nil && span >= limits.proof
    }

    /// Takes the place for good when the device is proven. Returns whether this is new.
    mutating func hold(hasKey: Bool, _ limits: ClaimLimits) -> Bool {
        guard !isHeld, isProven(hasKey: hasKey, limits) else { return false }
        isHeld = true
        return true
    }
}

/// The fate of a proven device that claims the single place of an entry.
enum PlaceVerdict: Equatable, Sendable {
    /// The device gets the place.
    case take
    /// Another device has the place and still speaks: the operator decides.
    case contest

    /// The device with the place.
    struct Holder: Equatable, Sendable {
        /// See ``PlaceHold/isHeld``.
        var isHeld: Bool
        /// Milliseconds since the holder's last packet.
        var quiet: Int64
        /// Silence begins after this many milliseconds.
        var limit: Int64
        /// The holder speaks only about events, so its silence means nothing.
        var isSilentByNature: Bool
    }

    /// - Parameter holder: nil if the place is free.
    static func of(_ holder: Holder?) -> PlaceVerdict {
        guard let holder, holder.isHeld else { return .take }
        return holder.quiet > holder.limit && !holder.isSilentByNature ? .take : .contest
    }
}

/// The sensor that goes if all places are taken and another sensor has proven itself.
enum PlaceBound {
    struct Standing: Equatable, Sendable {
        var isHeld: Bool
        /// An earlier run has collected from the sensor.
        var isRemembered: Bool
        /// Its entry names its address.
        var isNamed: Bool
        /// Milliseconds since the sensor was heard.
        var quiet: Int64
        /// Milliseconds between the sensor's first and last packets.
        var span: Int64
    }

    /// Sensors that never held their place go first, the quietest of them before the rest. Then silent sensors go; the
    /// sensor that spoke for the shortest time goes first. A named sensor or a speaking sensor stays.
    static func leastWorthy(_ sensors: [Standing], silence: Int64) -> Int? {
        let free = sensors.indices.filter { !sensors[$0].isNamed }
        let unheld = free.filter { !sensors[$0].isHeld }
        if let quietest = unheld.max(by: { sensors[$0].quiet < sensors[$1].quiet }) { return quietest }
        let silent = free.filter { sensors[$0].quiet > silence }
        return silent.min { first, second in
            let (first, second) = (sensors[first], sensors[second])
            return first.isRemembered == second.isRemembered ? first.span < second.span : !first.isRemembered
        }
    }
}
