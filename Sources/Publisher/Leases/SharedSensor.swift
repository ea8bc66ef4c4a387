// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Platform

/// What is known of who takes care of one sensor.
struct SharedSensor {
    enum Owner: Equatable, Sendable {
        /// Nobody has said so, or not lately.
        case nobody
        case us
        case other(String)
    }

    var owner = Owner.nobody
    /// When the owner's word is not believed any more.
    var end = MonotonicTime.zero
    /// Since when there is no owner.
    var ownerlessSince: MonotonicTime
    /// There is no owner, and none is waited for any more.
    var isOrphan = false
    /// How the other gateway hears it, dBm.
    var theirRSSI: Int?
    /// Since when the other gateway takes care of it, in milliseconds since 1970.
    var theirSince: Int64?
    /// What another gateway has received in this time, in milliseconds since 1970, it delivers: what we have received is the same.
    var covered: ClosedRange<Int64>?

    /// We hear it, or have a link to it.
    var isPresent = false
    /// We have said that we take care of it, since when in milliseconds since 1970, where we knew that.
    var hasSpoken = false
    var since: Int64?
    var signal = SensorSignal()

    var isSubscribed = false
    /// When to say that we take care of it, if nobody else does by then.
    var claim: MonotonicTime?
    /// When to say it again.
    var renewal: MonotonicTime?
    /// Claims in a row that have not come back from the broker.
    var unanswered = 0

    /// Rows that were passed over, with the time that they are of, in milliseconds since 1970.
    var kept: [Int64: Int64] = [:]

    init(at now: MonotonicTime) { ownerlessSince = now }

    /// Forgets what was kept of the time that another gateway covers.
    ///
    /// - Returns: Those rows.
    mutating func takeCovered() -> [Int64] {
        guard let covered, !kept.isEmpty else { return [] }
        let rows = kept.filter { covered.contains($0.value) }.map(\.key)
        for row in rows { kept[row] = nil }
        return rows
    }
}

/// How strong a sensor is heard, smoothed: single packets differ by more than two places in a house do.
struct SensorSignal {
    /// How much a new packet counts.
    private static let weight = 0.3
    /// A signal is no older than that.
    static let memory: Duration = .seconds(90)

    private(set) var strength: Double?
    private(set) var heard = MonotonicTime.zero
    /// Since when it is stronger than the owner's, by what is needed to take over.
    var betterSince: MonotonicTime?

    mutating func take(_ rssi: Int, at now: MonotonicTime) {
        let known = now - heard <= Self.memory ? strength : nil
        strength = known.map { $0 + Self.weight * (Double(rssi) - $0) } ?? Double(rssi)
        heard = now
    }

    /// dBm; nil where it was not heard lately.
    func rssi(at now: MonotonicTime) -> Int? {
        now - heard <= Self.memory ? strength.map { Int($0.rounded()) } : nil
    }
}
