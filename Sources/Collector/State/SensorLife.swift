// SPDX-License-Identifier: Apache-2.0

/// How far the collector believes in a sensor, and what it has told of the sensor.
struct SensorLife: Equatable, Sendable {
    /// Limit of a candidate's events, because there may be many candidates.
    static let candidateEvents = 16

    /// The place in the order in which candidates came.
    let order: UInt64
    /// Since when the sensor is looked for in this run, in milliseconds since boot; nil where that is not known.
    let began: Int64?
    /// Whether the sensor has worked, in this run or an earlier run. Until then the sensor is a candidate, known only
    /// by an advertisement that any device can send.
    private(set) var isProven: Bool
    /// Whether the broker has this sensor as online.
    private(set) var isAnnounced = false
    /// No entry accepts the sensor any more, and its link may still be ending.
    private(set) var isRemoved = false

    init(isProven: Bool = false, order: UInt64 = 0, began: Int64? = nil) {
        (self.isProven, self.order, self.began) = (isProven, order, began)
    }

    /// The sensor counts towards the limit of candidates.
    var isCandidate: Bool { !isProven && !isRemoved }

    /// The sensor works. True if it was a candidate before.
    @discardableResult
    mutating func prove() -> Bool {
        defer { isProven = true }
        return !isProven
    }

    /// Nothing tells the sensor from other devices any more.
    mutating func doubt() { isProven = false }

    /// The broker is told whether the sensor is online. False if the broker knows this already.
    mutating func announce(_ isOnline: Bool) -> Bool {
        defer { isAnnounced = isOnline }
        return isAnnounced != isOnline
    }

    mutating func remove() { isRemoved = true }

    /// The sensor's limit of events; `limit`: the limit of a sensor that works.
    func eventLimit(_ limit: Int) -> Int { isProven ? limit : min(limit, Self.candidateEvents) }
}
