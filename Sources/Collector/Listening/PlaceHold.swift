// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The proof with which a sensor holds a place among those that advertise.
package struct ClaimLimits: Equatable, Sendable {
    /// A device without a key holds its place when it was heard over so many milliseconds.
    package var proof: Int64 = 10_000
    /// Devices that are collected from before they hold a place, at most. A crowd beyond them proves itself first.
    package var unheld = 64
    /// Devices that claim a place and have none, at most.
    package var claims = 128

    package init() {}
}

/// How far one device has shown that a place is its own. An advertisement is a claim, which anybody can send once.
struct PlaceHold: Equatable, Sendable {
    /// When it was first heard, in milliseconds since boot.
    private(set) var first: Int64?
    private(set) var last: Int64 = 0
    /// The key of its entry has opened a packet of it.
    private(set) var hasOpened = false
    /// An earlier run has collected from it.
    var isRemembered = false
    /// It has the place until it is silent.
    private(set) var isHeld = false

    mutating func heard(at now: Int64) {
        first = first ?? now
        last = now
    }

    mutating func opened() { hasOpened = true }

    /// Milliseconds from the first packet to the last.
    var span: Int64 { first.map { last.subtractingSaturated($0) } ?? 0 }

    /// Whether it may hold a place: a packet has opened; or, without a key, it has spoken for a while.
    func isProven(hasKey: Bool, _ limits: ClaimLimits) -> Bool {
        hasKey ? hasOpened : isRemembered || first != nil && span >= limits.proof
    }

    /// Takes the place for good when it is proven; says whether that is new.
    mutating func hold(hasKey: Bool, _ limits: ClaimLimits) -> Bool {
        guard !isHeld, isProven(hasKey: hasKey, limits) else { return false }
        isHeld = true
        return true
    }
}

/// The fate of a proven device that claims the one place of an entry.
enum PlaceVerdict: Equatable, Sendable {
    /// It gets the place.
    case take
    /// Another device has it, and goes on speaking: the operator decides.
    case contest

    /// The device that has the place.
    struct Holder: Equatable, Sendable {
        /// See ``PlaceHold/isHeld``.
        var isHeld: Bool
        /// Milliseconds since it spoke.
        var quiet: Int64
        /// Silence begins after so many milliseconds.
        var limit: Int64
        /// It speaks when something happens: its silence says nothing.
        var isSilentByNature: Bool
    }

    /// - Parameter holder: nil where nobody has the place.
    static func of(_ holder: Holder?) -> PlaceVerdict {
        guard let holder, holder.isHeld else { return .take }
        return holder.quiet > holder.limit && !holder.isSilentByNature ? .take : .contest
    }
}

/// The sensor that goes when all places are taken and another one has proven itself.
enum PlaceBound {
    struct Standing: Equatable, Sendable {
        var isHeld: Bool
        /// An earlier run has collected from it.
        var isRemembered: Bool
        /// Its entry names its address.
        var isNamed: Bool
        /// Milliseconds since it was heard.
        var quiet: Int64
        /// Milliseconds for which it has spoken.
        var span: Int64
    }

    /// One that never held its place goes first, the quietest of them; then, of those that are silent, the one that spoke for the
    /// shortest time. One that is named, or that speaks, stays.
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
