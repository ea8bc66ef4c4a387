// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// The events of limits that wait for their readers, in order; a value. The journal keeps the events, each as a fact of its own.
///
/// A reader gets an event when the event is on disk, and settles it afterwards. So a restart tells no event twice, and loses
/// none. The queue is bounded: beyond ``capacity`` an event of the limit with the most waiting events is given up, and counted.
package struct LimitQueue: Sendable {
    package enum Reader: String, Codable, CaseIterable, Sendable {
        case mqtt, webhook
    }

    /// The reasons to give an event up.
    package enum DropReason: String, Codable, CaseIterable, Sendable {
        /// Too many events wait.
        case full
        /// The server says that it will never take the event.
        case refused
        /// The reader is configured no more.
        case off
    }

    private struct Entry: Sendable {
        var event: LimitEvent
        /// The readers that have not settled the event.
        var owed: Set<Reader>
        /// The number of the event's fact.
        var slot: Int
        /// The disk has the event.
        var isDurable: Bool
    }

    private struct Kept: Codable {
        var event: LimitEvent
        var owed: [Reader]

        enum CodingKeys: String, CodingKey {
            case event = "e"
            case owed = "r"
        }
    }

    /// Most waiting events.
    package static let capacity = 512
    /// A disk that takes nothing holds an event back for so many milliseconds at most.
    static let patience: Int64 = 30_000
    private static let factPrefix = "limit-event:"
    private static let numberKey = "limit-number"

    /// By number.
    private var entries: [Entry] = []
    private var freeSlots = Set(0..<Self.capacity)
    private var lastNumber: Int64 = 0
    private var facts: [String: String] = [:]
    /// Events given up since the start, by reader and reason.
    package private(set) var dropped: [Reader: [DropReason: Int]] = [:]
    /// Events made since the start.
    package private(set) var count = 0

    package init() {}

    // MARK: - Events

    /// Takes an event for all readers.
    ///
    /// - Returns: The event's number.
    package mutating func add(_ change: LimitMachine.Change, for readers: Set<Reader>) -> Int64 {
        lastNumber = lastNumber.addingSaturated(1)
        count &+= 1
        let event = LimitEvent(
            number: lastNumber, outcome: change.outcome, crossing: change.crossing, value: change.value, at: change.at)
        facts[Self.numberKey] = "\(lastNumber)"
        guard !readers.isEmpty else { return lastNumber }
        if freeSlots.isEmpty { makeRoom() }
        guard let slot = freeSlots.min() else { return lastNumber }
        freeSlots.remove(slot)
        let entry = Entry(event: event, owed: readers, slot: slot, isDurable: false)
        entries.append(entry)
        keep(entry)
        return lastNumber
    }

    /// Gives up the oldest event of the limit with the most waiting events.
    private mutating func makeRoom() {
        var counts: [String: Int] = [:]
        for entry in entries { counts[Self.limit(of: entry), default: 0] += 1 }
        let most = counts.values.max() ?? 0
        guard let place = entries.firstIndex(where: { counts[Self.limit(of: $0)] == most }) else { return }
        for reader in entries[place].owed { dropped[reader, default: [:]][.full, default: 0] &+= 1 }
        remove(at: place)
    }

    private static func limit(of entry: Entry) -> String {
        let crossing = entry.event.crossing
        return "\(crossing.sensor)/\(crossing.quantity ?? "")-\(crossing.side.rawValue)"
    }

    /// All events up to a number are on disk.
    package mutating func wrote(upTo number: Int64) {
        for place in entries.indices where entries[place].event.number <= number { entries[place].isDurable = true }
    }

    // MARK: - Readers

    /// The oldest events that a reader has to be told of.
    ///
    /// - Parameter number: Events up to this number are left out.
    package func events(
        for reader: Reader, after number: Int64 = 0, limit: Int, at now: LimitTime
    ) -> [LimitEvent] {
        var events: [LimitEvent] = []
        for entry in entries where entry.event.number > number && entry.owed.contains(reader) {
            let at = entry.event.at
            let isOld = at.boot != now.boot || now.upMs.subtractingSaturated(at.upMs) > Self.patience
            // Later events wait, too: the order stays.
            guard entry.isDurable || isOld, events.count < limit else { break }
            events.append(entry.event)
        }
        return events
    }

    package func waiting(for reader: Reader) -> Int { entries.count { $0.owed.contains(reader) } }

    /// The time of the oldest event that waits for a reader.
    package func oldest(for reader: Reader) -> LimitTime? {
        entries.first { $0.owed.contains(reader) }?.event.at
    }

    /// A reader has the event, or does not want it.
    ///
    /// - Parameter reason: Why the event is given up; nil for an event that was told.
    package mutating func settle(_ number: Int64, by reader: Reader, givenUp reason: DropReason? = nil) {
        guard let place = entries.firstIndex(where: { $0.event.number == number }),
            entries[place].owed.remove(reader) != nil
        else { return }
        if let reason { dropped[reader, default: [:]][reason, default: 0] &+= 1 }
        if entries[place].owed.isEmpty { remove(at: place) } else { keep(entries[place]) }
    }

    /// A reader is configured no more.
    package mutating func retire(_ reader: Reader) {
        for number in entries.map(\.event.number) { settle(number, by: reader, givenUp: .off) }
    }

    private mutating func remove(at place: Int) {
        let slot = entries.remove(at: place).slot
        freeSlots.insert(slot)
        facts[Self.factPrefix + "\(slot)"] = ""
    }

    // MARK: - Over a restart

    private mutating func keep(_ entry: Entry) {
        let kept = Kept(event: entry.event, owed: entry.owed.sorted { $0.rawValue < $1.rawValue })
        facts[Self.factPrefix + "\(entry.slot)"] = FactText.of(kept)
    }

    /// The new facts for the journal, with the number of the newest event in them.
    package mutating func takeFacts() -> (facts: [String: String], number: Int64) {
        defer { facts = [:] }
        return (facts, lastNumber)
    }

    /// Takes the events of former runs, before any event of this run.
    package mutating func load(from source: any FactSource) {
        lastNumber = source.identifier(for: Self.numberKey).flatMap { Int64($0) } ?? 0
        for (key, text) in source.identifiers(withPrefix: Self.factPrefix) {
            guard let slot = Int(key), freeSlots.contains(slot), let kept = FactText.read(Kept.self, text),
                !kept.owed.isEmpty
            else { continue }
            freeSlots.remove(slot)
            entries.append(Entry(event: kept.event, owed: Set(kept.owed), slot: slot, isDurable: true))
            lastNumber = max(lastNumber, kept.event.number)
        }
        entries.sort { $0.event.number < $1.event.number }
    }
}
