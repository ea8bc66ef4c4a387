// SPDX-License-Identifier: Apache-2.0

import Readings

/// Tells the packets of one sensor that advertises apart: what is new, what it sends again, and what others play back.
///
/// A sensor sends each packet several times, for most are not heard. What it numbers is known by its number; what it does
/// not, by its content, for a while: a value that does not change is a reading of its own now and then.
struct PacketMachine: Equatable, Sendable {
    enum Verdict: Equatable, Sendable {
        /// It was not heard before. So many that the sensor numbered before it never came.
        case new(missing: Int)
        /// It was heard before.
        case repeated
        /// Authentic, and older than what came before: somebody plays it back.
        case replayed
    }

    /// Content without a number counts again after so many milliseconds.
    static let unchangedTime: Int64 = 60_000
    /// The same where it tells of an event, which may well happen again soon.
    static let eventTime: Int64 = 5_000
    /// Packets that a sensor sends in turns at most.
    private static let turns = 8
    /// After so many milliseconds without a packet, the sensor may have been restarted.
    private static let pause: Int64 = 600_000

    private struct Packet: Equatable {
        var stream: String
        var value: [UInt8]
        var number: UInt32?
        var counter: UInt32?
        var at: Int64

        func isSame(as other: Self) -> Bool {
            number == other.number && counter == other.counter && value == other.value && stream == other.stream
        }
    }

    private var recent: [Packet] = []
    private var numbers: [Int: SequenceMachine] = [:]
    private(set) var replay = ReplayGuard()

    /// Numbers that never came.
    var missing: Int { numbers.values.reduce(0) { $0 + $1.missing } }
    private(set) var isNumbered = false

    /// Goes on where an earlier run has stopped.
    mutating func resume(counter: UInt32) { replay.resume(counter) }

    /// `stream`: the family. `counter`: of an authentic packet. `now`: milliseconds since boot.
    mutating func take(
        _ packet: AdvertisedPacket, stream: String, counter: PacketNumber? = nil, at now: Int64
    ) -> Verdict {
        if let counter, !replay.accepts(counter, at: now) { return .replayed }
        let new = Packet(
            stream: stream, value: packet.value, number: packet.number?.value, counter: counter?.value, at: now)
        let last = recent.last?.at
        if let place = recent.firstIndex(where: { $0.isSame(as: new) }) {
            let isKnown = new.number != nil || new.counter != nil || packet.isUnique
            let time = packet.isEvent ? Self.eventTime : Self.unchangedTime
            if isKnown || now - recent[place].at < time { return .repeated }
            recent.remove(at: place)
        }
        if recent.count >= Self.turns { recent.removeFirst() }
        recent.append(new)
        guard let number = packet.number else { return .new(missing: 0) }
        isNumbered = true
        var sequence = numbers[number.bits] ?? SequenceMachine(bits: number.bits)
        if let last, now - last > Self.pause { sequence.connected() }
        defer { numbers[number.bits] = sequence }
        if case .gap(let missing) = sequence.take(number.value) { return .new(missing: missing) }
        return .new(missing: 0)
    }
}

/// Refuses authentic packets that are older than one that came before.
///
/// A sensor whose battery was changed may count from the beginning again. What it sends then looks like what somebody
/// recorded before: it is taken after many packets that follow on each other over a while.
struct ReplayGuard: Equatable, Sendable {
    /// Packets with counters that grow, below the newest, that make a restart.
    static let restartCount = 16
    /// And the milliseconds that they last at least.
    static let restartTime: Int64 = 300_000

    private struct Restart: Equatable {
        var last: UInt32
        var count: Int
        var since: Int64
    }

    /// The newest counter.
    private(set) var last: UInt32?
    private var restart: Restart?

    mutating func resume(_ counter: UInt32) { if last == nil { last = counter } }

    /// `now`: milliseconds since boot.
    mutating func accepts(_ counter: PacketNumber, at now: Int64) -> Bool {
        guard let last else {
            self.last = counter.value
            return true
        }
        let mask: UInt32 = counter.bits >= 32 ? .max : 1 << UInt32(counter.bits) - 1
        // Several packets may share a counter.
        if (counter.value &- last) & mask <= mask >> 1 {
            (self.last, restart) = (counter.value, nil)
            return true
        }
        if let known = restart, (counter.value &- known.last) & mask <= mask >> 1 {
            if counter.value != known.last {
                restart = Restart(last: counter.value, count: known.count + 1, since: known.since)
            }
        } else {
            restart = Restart(last: counter.value, count: 1, since: now)
        }
        guard let restart, restart.count >= Self.restartCount, now - restart.since >= Self.restartTime else {
            return false
        }
        (self.last, self.restart) = (counter.value, nil)
        return true
    }
}
