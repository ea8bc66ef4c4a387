// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Platform

/// The facts about the owner of a sensor.
struct SharedSensor {
    enum Owner: Equatable, Sendable {
        /// No gateway has a valid claim.
        case nobody
        case us
        case other(String)
    }

    var owner = Owner.nobody
    /// The end of the owner's claim.
    var end = MonotonicTime.zero
    /// Since when there is no owner.
    var ownerlessSince: MonotonicTime
    /// There is no owner, and the wait for an owner is over.
    var isOrphan = false
    /// The other gateway's signal of the sensor, dBm; nil if it does not hear the sensor, or has missed sightings of
    /// this gateway.
    var theirRSSI: Int?
    /// Since when the other gateway takes care of the sensor, in milliseconds since 1970 by this gateway's clock.
    var theirSince: Int64?
    /// Another gateway delivers the readings of this time, in milliseconds since 1970 by this gateway's clock. Readings
    /// of this gateway from this time are duplicates.
    var covered: ClosedRange<Int64>?

    /// This gateway hears the sensor, or has a link to it.
    var isPresent = false
    /// Since when this gateway's claim stands without another gateway's claim.
    var heldSince: MonotonicTime?
    var signal = SmoothedSignal()

    var isSubscribed = false
    /// When this gateway makes its claim, unless another gateway is faster.
    var claim: MonotonicTime?
    /// When to repeat the claim.
    var renewal: MonotonicTime?
    /// Claims in a row that have not come back from the broker.
    var unanswered = 0

    /// Rows that were passed over, with their times, in milliseconds since 1970.
    var kept: [Int64: Int64] = [:]

    init(at now: MonotonicTime) { ownerlessSince = now }

    /// The time of the next action for the sensor.
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

    /// Forgets the kept rows of the time that another gateway covers.
    ///
    /// - Returns: The forgotten rows.
    mutating func takeCovered() -> [Int64] {
        guard let covered, !kept.isEmpty else { return [] }
        let rows = kept.filter { covered.contains($0.value) }.map(\.key)
        for row in rows { kept[row] = nil }
        return rows
    }
}

/// The smoothed signal of a sensor, because single packets differ by more than two places in a house.
struct SmoothedSignal {
    /// The weight of a new packet.
    private static let weight = 0.3
    /// An older signal counts as unknown.
    static let memory: Duration = .seconds(900)
    /// The number of remembered sightings.
    private static let sample = 3

    private(set) var strength: Double?
    private(set) var heard: MonotonicTime?
    /// The times of the last sightings, the newest last.
    private var sightings: [MonotonicTime] = []
    /// Since when this signal is stronger than the owner's, by the margin for a takeover.
    private(set) var betterSince: MonotonicTime?

    /// This signal is stronger than the owner's, or no longer.
    mutating func compared(isBetter: Bool, at now: MonotonicTime) { betterSince = isBetter ? betterSince ?? now : nil }

    /// The comparison begins anew.
    mutating func compareAnew() { betterSince = nil }

    mutating func record(_ rssi: Int, at now: MonotonicTime) {
        let known = isFresh(at: now) ? strength : nil
        strength = known.map { $0 + Self.weight * (Double(rssi) - $0) } ?? Double(rssi)
        heard = now
        sightings = sightings.suffix(Self.sample - 1) + [now]
    }

    /// The sensor was heard so often after `time` that a gateway without a sighting since then has lost the sensor.
    func wasHeardOften(since time: MonotonicTime) -> Bool {
        sightings.count == Self.sample && sightings.allSatisfy { $0 > time }
    }

    private func isFresh(at now: MonotonicTime) -> Bool { heard.map { now - $0 <= Self.memory } ?? false }

    /// dBm; nil if the sensor was not heard lately.
    func rssi(at now: MonotonicTime) -> Int? {
        isFresh(at: now) ? strength.map { Int($0.rounded()) } : nil
    }
}
