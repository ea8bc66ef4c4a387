// SPDX-License-Identifier: Apache-2.0

import Readings

/// Follows the numbers that a sensor gives its values, and counts those that never came.
///
/// What it counts is a lower bound: numbers of few octets may have come round more than once while there was no link,
/// and nobody knows what a sensor measured, and could not send, before it was restarted.
struct SequenceMachine: Equatable, Sendable {
    enum Verdict: Equatable {
        /// There is nothing to compare it with.
        case first
        case next
        /// It came before: sensors send again what was not confirmed.
        case repeated
        /// So many numbers were left out.
        case gap(Int)
        /// It counts from somewhere else now.
        case restarted
    }

    /// Numbers that one sends again at most.
    static let repeatWindow: UInt32 = 16
    /// A greater step is none that values were lost on.
    static let largestStep: UInt32 = 1_000_000

    /// Numbers that never came.
    private(set) var missing = 0
    private(set) var restarts = 0
    /// The last number that was not seen before.
    private(set) var last: UInt32?
    private let mask: UInt32
    /// The next number is the first one on a link, before which the sensor may have been restarted.
    private var isFirstOnLink = true

    /// - Parameter octets: of a number: 1, 2 or 4.
    init(octets: Int) { self.init(bits: 8 * max(octets, 1)) }

    /// - Parameter bits: of a number: 1…32.
    init(bits: Int) { mask = bits >= 32 ? .max : 1 << UInt32(max(bits, 1)) - 1 }

    /// Goes on where an earlier run of the gateway has stopped.
    mutating func resume(after number: UInt32) { if last == nil { last = number & mask } }

    /// A link to the sensor begins.
    mutating func connected() { isFirstOnLink = true }

    mutating func take(_ number: UInt32) -> Verdict {
        guard let last else {
            (self.last, isFirstOnLink) = (number, false)
            return .first
        }
        let (forward, backward) = ((number &- last) & mask, (last &- number) & mask)
        guard backward > Self.repeatWindow else { return .repeated }
        // A smaller number has come round. Or its sensor began again, which takes the link with it: on a new one it
        // must not be far beyond the end.
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
    /// The number in a value; nil when the value is too short for one.
    func number(in value: [UInt8]) -> UInt32? {
        guard value.count >= offset + length else { return nil }
        let octets = value[offset..<(offset + length)]
        return (isBigEndian ? Array(octets) : octets.reversed()).reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension Collector {
    // A run that ends in an orderly way leaves its last numbers to the next one, which uses them once: after any other
    // end there are none, and nothing is counted that did come.

    func resumeSequence(of sensor: LinkedSensor) {
        guard sensor.sequence != nil, let text = outlet.identifier(Self.sequenceKey(of: sensor)), !text.isEmpty
        else { return }
        outlet.keep("", Self.sequenceKey(of: sensor))
        sensor.sequence?.resume(after: text)
    }

    func keepSequence(of sensor: LinkedSensor) {
        if let text = sensor.sequence?.text, !text.isEmpty { outlet.keep(text, Self.sequenceKey(of: sensor)) }
    }

    private static func sequenceKey(of sensor: LinkedSensor) -> String { "sequence:\(sensor.device)" }

    func countGap(before reading: Reading, of feed: CharacteristicFeed) {
        let sensor = feed.sensor
        guard let number = sensor.rule.sequence?.number(in: reading.value),
            case .gap(let missing) = sensor.sequence?.take(number, of: feed.instance)
        else { return }
        outlet.countGap(reading.device, missing)
    }
}
