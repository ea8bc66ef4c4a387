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
    /// How the other gateway hears it, dBm; nil where it does not, or has missed what we have heard.
    var theirRSSI: Int?
    /// Since when the other gateway takes care of it, in milliseconds since 1970 by our clock.
    var theirSince: Int64?
    /// What another gateway has heard in this time, in milliseconds since 1970 by our clock, it delivers: what we have received is
    /// the same.
    var covered: ClosedRange<Int64>?

    /// We hear it, or have a link to it.
    var isPresent = false
    /// Since when we have said that we take care of it, with nobody else saying so.
    var heldSince: MonotonicTime?
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

    /// When something is to be done about it next.
    func due(isConnected: Bool) -> MonotonicTime? {
        let toSay: MonotonicTime?
        let toJudge: MonotonicTime?
        switch owner {
        case .nobody:
            toSay = claim
            toJudge = isOrphan ? nil : ownerlessSince + LeaseMachine.patience
        case .us:
            toSay = renewal
            toJudge = end
        case .other:
            toSay = signal.betterSince.map { $0 + LeaseMachine.betterTime }
            toJudge = end
        }
        guard isConnected, let toSay else { return toJudge }
        return min(toSay, toJudge ?? toSay)
    }

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
    static let memory: Duration = .seconds(900)
    /// Sightings that are remembered by their time.
    private static let sample = 3

    private(set) var strength: Double?
    private(set) var heard: MonotonicTime?
    /// When it was heard last, the newest last.
    private var sightings: [MonotonicTime] = []
    /// Since when it is stronger than the owner's, by what is needed to take over.
    var betterSince: MonotonicTime?

    mutating func take(_ rssi: Int, at now: MonotonicTime) {
        let known = isFresh(at: now) ? strength : nil
        strength = known.map { $0 + Self.weight * (Double(rssi) - $0) } ?? Double(rssi)
        heard = now
        sightings = sightings.suffix(Self.sample - 1) + [now]
    }

    /// It was heard so often after a time that whoever has not heard it since does not hear it any more.
    func wasHeardOften(since time: MonotonicTime) -> Bool {
        sightings.count == Self.sample && sightings.allSatisfy { $0 > time }
    }

    private func isFresh(at now: MonotonicTime) -> Bool { heard.map { now - $0 <= Self.memory } ?? false }

    /// dBm; nil where it was not heard lately.
    func rssi(at now: MonotonicTime) -> Int? {
        isFresh(at: now) ? strength.map { Int($0.rounded()) } : nil
    }
}
