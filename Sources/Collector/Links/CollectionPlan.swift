// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// How the values of a sensor are collected on its links: polls, stored records, the sensor's own numbers, and the
/// values that the sensor lacks. The sensor's rule makes the plan. All times in milliseconds since boot.
struct CollectionPlan: Equatable, Sendable {
    /// Nil if nothing is read again and again.
    private var polls: PollSchedule?
    /// Nil before the first link, and for a sensor that stores no records.
    private var records: RecordAccess?
    /// Nil if the rule names no numbers.
    private var sequences: SensorSequences?
    /// Requested characteristics that the sensor lacks.
    private(set) var missing: [String] = []

    /// The names of the values whose characteristic has the UUID of an earlier one: `2a6e_2`.
    private(set) var numbered: [String] = []

    init(_ rule: SensorRule) {
        polls = PollSchedule(rule)
        sequences = Self.sequences(rule)
    }

    private static func sequences(_ rule: SensorRule) -> SensorSequences? {
        rule.sequence.map { SensorSequences(octets: $0.length) }
    }

    /// The rule has changed. The numbers count on if they are in the same place.
    mutating func change(from former: SensorRule, to rule: SensorRule) {
        if rule.sequence != former.sequence { sequences = Self.sequences(rule) }
        polls = PollSchedule(rule)
    }

    /// A set-up has ended without these characteristics. True if the sensor lacks something, and the set-up before
    /// ended with another result.
    mutating func recordMissing(_ missing: [String]) -> Bool {
        defer { self.missing = missing }
        return !missing.isEmpty && missing != self.missing
    }

    /// The characteristics of a link have got these names, which differ from their UUIDs. True if the last such names
    /// were others. The beginning of a set-up names nothing.
    mutating func named(_ names: [String]) -> Bool {
        guard !names.isEmpty, names != numbered else { return false }
        numbered = names
        return true
    }

    // MARK: Polls

    var hasPolls: Bool { polls != nil }
    /// Each poll makes a link of its own.
    var closesLink: Bool { polls?.closesLink == true }
    var pollInterval: Int64? { polls?.interval }
    /// The start of the next poll.
    var nextPoll: Int64? { polls?.next }
    /// The interval of polls that make a link each; nil if the link stays.
    var linkInterval: Int64? { closesLink ? pollInterval : nil }

    /// The wanted interval of values; nil: all values are wanted.
    func wantedInterval(_ rule: SensorRule) -> Int64? {
        rule.valueInterval?.wholeMilliseconds ?? (rule.subscribe.isEmpty ? pollInterval : nil)
    }

    /// A set-up begins, which reads all values once. The sensor may take its subscriptions this time.
    mutating func setUpBegan(at now: Int64) {
        if polls?.isSubstitute == true { polls = nil }
        polls?.began(at: now)
    }

    mutating func pollBegan(at now: Int64) { polls?.began(at: now) }

    /// The sensor refuses a subscription: its values are read from now on, as often as the rule says.
    mutating func readInstead(_ rule: SensorRule, at now: Int64) {
        guard polls == nil else { return }
        polls = PollSchedule(insteadOfSubscriptions: rule)
        polls?.began(at: now)
    }

    // MARK: The sensor's own numbers

    var isNumbered: Bool { sequences != nil }
    /// Missing numbers; nil without numbers.
    var gap: Int? { sequences?.missing }
    /// The last numbers, for the next run; nil without numbers so far.
    var numbers: String? { sequences.flatMap { $0.text.isEmpty ? nil : $0.text } }

    /// Continues from the numbers of an earlier run.
    mutating func resume(after numbers: String) { sequences?.resume(after: numbers) }

    /// A link to the sensor begins.
    mutating func connected() { sequences?.connected() }

    /// A number of the sensor has come. Returns how many numbers are missing just before.
    mutating func gap(before number: UInt32, of instance: Int) -> Int? {
        guard case .gap(let missing) = sequences?.judge(number, of: instance) else { return nil }
        return missing
    }

    // MARK: Stored records

    var newestRecord: UInt16? { records?.newest }

    /// Records can come on the present link; `newest`: the greatest number of an earlier run, asked for once.
    mutating func recordsBegin(after newest: () -> UInt16?) {
        if records == nil { records = RecordAccess(newest: newest()) }
        records?.linkBegan()
    }

    mutating func recordRequest() -> [UInt8]? { records?.request() }

    /// False for a record that was requested only for its number.
    mutating func isNewRecord(_ value: [UInt8]) -> Bool { records?.count(value) ?? true }

    mutating func recordAnswer(_ value: [UInt8]) -> RecordAccess.Answer? { records?.answer(value) }
}
