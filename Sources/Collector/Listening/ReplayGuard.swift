// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// The tag of an authentic packet: four octets that differ for each packet of the sensor, except for a chance of 1 in
/// 2^32.
struct PacketTag: Hashable, Sendable {
    /// 0 means no tag in memory, so no packet has it.
    let value: UInt32

    init(_ octets: some Sequence<UInt8>) {
        let value = octets.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        self.value = value == 0 ? 1 : value
    }

    init(_ value: UInt32) { self.value = value == 0 ? 1 : value }
}

/// Refuses authentic packets that another device has recorded and sends again.
///
/// Counters of more than 8 bits: only a greater counter is new. A smaller counter alone never proves a restart of the
/// sensor. See ``CounterLife`` for the proof, and ``settle(at:)`` for the operator's word.
///
/// Counters of 8 bits soon come round again. The tags of the last cycle are remembered, so a packet that was seen is
/// never new. An unseen packet is new near a place: see ``ShortPlaces``.
struct ReplayGuard: Equatable, Sendable {
    enum Verdict: Equatable, Sendable {
        /// The packet was not heard before.
        case new
        /// The newest packet, sent again.
        case current
        /// The packet was heard before, or is older than a heard packet.
        case played
    }

    /// After this many milliseconds without a new packet, any unseen packet of an 8-bit counter may be the next.
    static let shortPause: Int64 = 600_000
    /// Largest step of a counter to its next packet, if an earlier life of the sensor reached further.
    static let lifeWindow: UInt32 = 1_024
    /// The operator's word waits for its packet for this many milliseconds.
    static let wordTime: Int64 = 600_000
    /// An operator gets a report after this many packets below the newest counter.
    static let notableCount = 3

    /// The newest counter.
    private(set) var last: UInt32?
    private var lastTag: PacketTag?
    /// ``last`` is from an earlier run, and the earlier run has had the packet.
    private var isResumed = false
    /// The time of the last accepted packet.
    private var acceptedAt: Int64?
    private var places = ShortPlaces()
    private var accepted = AcceptedPackets()
    /// Tags by counter, of the last cycle of an 8-bit counter; empty for longer counters.
    private(set) var cycle: [UInt32] = []
    private(set) var life = CounterLife()
    /// The end of the time in which the next packet that goes back is accepted.
    private var wordUntil: Int64?

    /// Packets go back, and no later packet has gone forward.
    var hasGoneBack: Bool { (life.restart?.count ?? 0) >= Self.notableCount }

    /// `now`: milliseconds since boot.
    mutating func judge(_ counter: PacketNumber, _ tag: PacketTag, at now: Int64) -> Verdict {
        if let wordUntil, now > wordUntil { self.wordUntil = nil }
        return counter.bits <= 8
            ? judgeShort(counter.value & 0xFF, tag, at: now) : judgeLong(counter.value, tag, at: now)
    }

    /// The operator says that the sensor counts from another number now. The last refused packet shows the number.
    /// Without a refused packet, the next packet that goes back shows the number.
    mutating func settle(at now: Int64) {
        if let last, let restart = life.restart, now.subtractingSaturated(restart.at) <= Self.wordTime {
            if restart.last < last { life.begin(after: last) }
            accept(restart.last, nil, at: now)
            isResumed = true
        } else {
            wordUntil = now.addingSaturated(Self.wordTime)
        }
    }

    // MARK: Long counters

    private mutating func judgeLong(_ value: UInt32, _ tag: PacketTag, at now: Int64) -> Verdict {
        guard let last else {
            accept(value, tag, at: now)
            life.record(value, tag)
            return .new
        }
        if value == last {
            // Several packets may share a counter, but not over a restart: the earlier run may have had all of them.
            if isResumed || lastTag == tag { return .current }
            life.record(value, tag)
            return .new
        }
        if value > last {
            // Recordings of an earlier life are ahead of the newest packet, too.
            if let top = life.top, value <= top {
                guard value - last <= Self.lifeWindow else { return goBack(to: value, tag, at: now) }
            }
            accept(value, tag, at: now)
            life.record(value, tag)
            return .new
        }
        return goBack(to: value, tag, at: now)
    }

    private mutating func goBack(to value: UInt32, _ tag: PacketTag, at now: Int64) -> Verdict {
        guard let last else { return .played }
        if wordUntil != nil {
            life.begin(after: last)
            accept(value, tag, at: now)
            life.record(value, tag)
            return .new
        }
        guard life.shows(value, tag, at: now) else { return .played }
        life.begin(after: last)
        accept(value, tag, at: now)
        return .new
    }

    // MARK: Short counters

    private mutating func judgeShort(_ value: UInt32, _ tag: PacketTag, at now: Int64) -> Verdict {
        if cycle.isEmpty { cycle = Array(repeating: 0, count: 256) }
        guard let last else { return acceptShort(value, tag, at: now) }
        if cycle[Int(value & 0xFF)] == tag.value || accepted.has(value, tag) {
            return value == last || places.has(value) ? .current : .played
        }
        if wordUntil != nil { return acceptShort(value, tag, at: now) }
        let isQuiet = acceptedAt.map { now.subtractingSaturated($0) >= Self.shortPause } ?? true
        guard places.takes(value, after: last, isQuiet: isQuiet, at: now) else { return .played }
        return acceptShort(value, tag, at: now)
    }

    private mutating func acceptShort(_ value: UInt32, _ tag: PacketTag, at now: Int64) -> Verdict {
        accept(value, tag, at: now)
        cycle[Int(value & 0xFF)] = tag.value
        accepted.record(value, tag)
        return .new
    }

    // MARK: Both

    private mutating func accept(_ counter: UInt32, _ tag: PacketTag?, at now: Int64) {
        (last, lastTag, acceptedAt, isResumed, wordUntil) = (counter, tag, now, false, nil)
        life.restart = nil
    }
}

// MARK: - Memory over restarts

extension ReplayGuard {
    /// The text for the journal: the newest counter, the mark of its key, the number of lives, and the greatest counter
    /// of the earlier lives.
    func counterText(mark: String) -> String? {
        last.map { "\($0) \(mark) " + (cycle.isEmpty ? "\(life.count) \(life.top ?? 0)" : "\(Self.cycleMark) 0") }
    }

    /// The tags. They are apart from the counters because they seldom change with long counters.
    func tagText(mark: String) -> String? {
        let tags = cycle.isEmpty ? life.tags : cycle
        guard tags.contains(where: { $0 != 0 }) else { return nil }
        return "\(mark) \(PacketTags.text(of: tags))"
    }

    /// Continues from the state of an earlier run. Ignores a state under another key.
    mutating func resume(counter text: String, tags: String?, mark: String) {
        let parts = text.split(separator: " ")
        guard last == nil, parts.count == 2 || parts.count == 4, let counter = UInt32(parts[0]), parts[1] == mark else {
            return
        }
        let known = tags.flatMap { text -> [UInt32]? in
            let parts = text.split(separator: " ")
            return parts.count == 2 && parts[0] == mark ? PacketTags.tags(in: parts[1]) : nil
        }
        (last, isResumed) = (counter, true)
        // 256 tags are a cycle, and four beginnings as well: the counter's text says how many lives there are.
        guard parts.count == 4, parts[2] != Self.cycleMark else {
            if let known, parts.count == 4, known.count == 256 { cycle = known }
            return
        }
        guard let count = Int(parts[2]), let top = UInt32(parts[3]) else { return }
        life = CounterLife(count: count, top: top == 0 ? nil : top, tags: known ?? [])
    }

    /// In place of a number of lives.
    private static let cycleMark: Substring = "cycle"
}

/// Tags as text. Eight hexadecimal digits for each tag would be too long for a page of the journal.
enum PacketTags {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Six digits of 6 bits each; the first has two bits.
    static func text(of tags: [UInt32]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(tags.count * 6)
        for tag in tags {
            for shift in stride(from: UInt32(30), through: 0, by: -6) { text.append(digits[Int(tag >> shift & 63)]) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil for another kind of text.
    static func tags(in text: Substring) -> [UInt32]? {
        guard text.utf8.count.isMultiple(of: 6), text.utf8.count <= 6 * 256 else { return nil }
        var (tags, tag, place) = ([UInt32](), UInt32(0), 0)
        for octet in text.utf8 {
            guard let digit = digits.firstIndex(of: octet) else { return nil }
            tag = tag << 6 | UInt32(digit)
            place += 1
            guard place == 6 else { continue }
            tags.append(tag)
            (tag, place) = (0, 0)
        }
        return tags
    }
}
