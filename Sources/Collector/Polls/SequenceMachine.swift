// SPDX-License-Identifier: Apache-2.0

import Readings

/// Follows a sensor's own numbers of its values, and counts missing values.
///
/// The count is a lower bound. Numbers of few octets may have come round more than once while there was no link. Values
/// that a sensor could not send before a restart are unknown.
struct SequenceMachine: Equatable, Sendable {
    enum Verdict: Equatable {
        /// There is no number to compare with.
        case first
        case next
        /// The number came before: sensors repeat unconfirmed values.
        case repeated
        /// The count of numbers left out.
        case gap(Int)
        /// The sensor counts from another number now.
        case restarted
    }

    /// Limit of numbers that a sensor repeats.
    static let repeatWindow: UInt32 = 16
    /// A greater step does not come from lost values.
    static let largestStep: UInt32 = 1_000_000

    /// The count of missing numbers.
    private(set) var missing = 0
    private(set) var restarts = 0
    /// The last new number.
    private(set) var last: UInt32?
    private let mask: UInt32
    /// The next number is the first on a link, and the sensor may have restarted before the link.
    private var isFirstOnLink = true

    /// - Parameter octets: The octets that a number has: 1, 2 or 4.
    init(octets: Int) { self.init(bits: 8 * max(octets, 1)) }

    /// - Parameter bits: The bits that a number has: 1…32.
    init(bits: Int) { mask = bits >= 32 ? .max : 1 << UInt32(max(bits, 1)) - 1 }

    /// Continues from the state of an earlier run of the gateway.
    mutating func resume(after number: UInt32) { if last == nil { last = number & mask } }

    /// A link to the sensor begins.
    mutating func connected() { isFirstOnLink = true }

    mutating func judge(_ number: UInt32) -> Verdict {
        guard let last else {
            (self.last, isFirstOnLink) = (number, false)
            return .first
        }
        let (forward, backward) = ((number &- last) & mask, (last &- number) & mask)
        guard backward > Self.repeatWindow else { return .repeated }
        // A smaller number has come round, or its sensor has restarted, which ends the link. So on a new link a smaller
        // number must not be far beyond the end.
        let farthest = !isFirstOnLink ? mask >> 1 : number > last ? mask : mask >> 4
        (self.last, isFirstOnLink) = (number, false)
        guard forward <= min(farthest, Self.largestStep) else {
            restarts += 1
            return .restarted
        }
        guard forward > 1 else { return .next }
        missing += Int(forward) - 1
        return .gap(Int(forward) - 1)
    }
}

extension SensorRule.Sequence {
    /// The number in a value; nil if the value is too short for a number.
    func number(in value: [UInt8]) -> UInt32? {
        guard value.count >= offset + length else { return nil }
        let octets = value[offset..<(offset + length)]
        return (isBigEndian ? Array(octets) : octets.reversed()).reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension Collector {
    // A run with an orderly end leaves its last numbers to the next run, which uses them once. After any other end
    // there are no numbers, so the next run counts no received value as missing.

    func resumeSequence(of sensor: LinkedSensor) {
        guard sensor.plan.isNumbered, let text = outlet.identifier(Self.sequenceKey(of: sensor)), !text.isEmpty
        else { return }
        outlet.keep("", Self.sequenceKey(of: sensor))
        sensor.plan.resume(after: text)
    }

    func keepSequence(of sensor: LinkedSensor) {
        if let text = sensor.plan.numbers { outlet.keep(text, Self.sequenceKey(of: sensor)) }
    }

    private static func sequenceKey(of sensor: LinkedSensor) -> String { "sequence:\(sensor.device)" }

    func countGap(before reading: Reading, of feed: CharacteristicFeed) {
        let sensor = feed.sensor
        guard let number = sensor.rule.sequence?.number(in: reading.value),
            let missing = sensor.plan.gap(before: number, of: feed.instance)
        else { return }
        outlet.countGap(reading.device, missing)
    }
}
