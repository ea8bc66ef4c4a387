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
    /// Short packets are taken again when no long one came for so many milliseconds.
    static let longMemory: Int64 = 60_000

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

    private struct Short: Equatable {
        var number: PacketNumber
        var at: Int64
    }

    private var recent: [Packet] = []
    private var numbers: [Int: SequenceMachine] = [:]
    private(set) var replay = ReplayGuard()
    /// When a long packet came last, of a sensor that tells each sample twice.
    private var longAt: Int64?
    /// The last short packet that was taken.
    private var short: Short?

    /// Numbers that never came.
    private(set) var missing = 0
    private(set) var isNumbered = false

    /// Goes on where an earlier run has stopped.
    mutating func resume(counter: UInt32) { replay.resume(counter) }

    /// The key is another one: its packets are counted anew.
    mutating func forgetCounter() { replay = ReplayGuard() }

    /// `stream`: the family. `counter`: of an authentic packet. `now`: milliseconds since boot.
    mutating func take(
        _ packet: AdvertisedPacket, stream: String, counter: PacketNumber? = nil, at now: Int64
    ) -> Verdict {
        if let counter, !replay.accepts(counter, at: now) { return .replayed }
        if isOtherEdition(packet, at: now) { return .repeated }
        let new = Packet(
            stream: stream, value: packet.value, number: packet.number?.value, counter: counter?.value, at: now)
        let last = recent.last?.at
        if let place = recent.firstIndex(where: { $0.isSame(as: new) }) {
            let hasNumber = new.number != nil && !packet.numbersChanges
            let isKnown = hasNumber || new.counter != nil || packet.isUnique
            let time = packet.isEvent ? Self.eventTime : Self.unchangedTime
            if isKnown || now - recent[place].at < time { return .repeated }
            recent.remove(at: place)
        }
        if recent.count >= Self.turns { recent.removeFirst() }
        recent.append(new)
        guard let number = packet.number else { return .new(missing: 0) }
        isNumbered = true
        // The other edition's numbers went on meanwhile.
        if packet.edition != .only { numbers = numbers.filter { $0.key == number.bits } }
        var sequence = numbers[number.bits] ?? SequenceMachine(bits: number.bits)
        if let last, now - last > Self.pause { sequence.connected() }
        defer { numbers[number.bits] = sequence }
        guard case .gap(let missing) = sequence.take(number.value) else { return .new(missing: 0) }
        self.missing += missing
        return .new(missing: missing)
    }

    /// The sample was told by a packet of the other edition.
    private mutating func isOtherEdition(_ packet: AdvertisedPacket, at now: Int64) -> Bool {
        switch packet.edition {
        case .only: return false
        case .short:
            if let longAt, now - longAt < Self.longMemory { return true }
            short = packet.number.map { Short(number: $0, at: now) }
            return false
        case .long:
            longAt = now
            guard let short, let number = packet.number, now - short.at < Self.longMemory else { return false }
            self.short = nil
            let mask: UInt32 = short.number.bits >= 32 ? .max : 1 << UInt32(short.number.bits) - 1
            return number.value & mask == short.number.value
        }
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

    /// Counters of 8 bits come round again soon: of these only so many steps ahead are the next.
    private static let shortWindow: UInt32 = 32
    /// After so long without a packet any counter of 8 bits that is ahead may be the next.
    private static let shortPause: Int64 = 600_000

    /// The newest counter.
    private(set) var last: UInt32?
    /// ``last`` is an earlier run's, which has had the packet.
    private var isResumed = false
    /// When a packet was accepted last.
    private var acceptedAt: Int64?
    private var restart: Restart?

    mutating func resume(_ counter: UInt32) {
        guard last == nil else { return }
        (last, isResumed) = (counter, true)
    }

    /// `now`: milliseconds since boot.
    mutating func accepts(_ counter: PacketNumber, at now: Int64) -> Bool {
        guard let last else {
            accept(counter.value, at: now)
            return true
        }
        let mask: UInt32 = counter.bits >= 32 ? .max : 1 << UInt32(counter.bits) - 1
        // Several packets may share a counter, but not over a restart: the earlier run may have had all of them.
        let ahead = (counter.value &- last) & mask
        let isQuiet = acceptedAt.map { now - $0 >= Self.shortPause } ?? true
        let window = counter.bits <= 8 && !isQuiet ? Self.shortWindow : mask >> 1
        if ahead <= window, ahead > 0 || !isResumed {
            accept(counter.value, at: now)
            return true
        }
        if ahead == 0 { return false }
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
        accept(counter.value, at: now)
        return true
    }

    private mutating func accept(_ counter: UInt32, at now: Int64) {
        (last, acceptedAt, isResumed, restart) = (counter, now, false, nil)
    }
}
