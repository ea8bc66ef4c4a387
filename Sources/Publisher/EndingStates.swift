// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// States whose end their sensors never report, like the motion of a sensor that only tells of its beginning: each is
/// over after its family's time.
struct EndingStates {
    /// The message at the end of a state.
    struct End: Equatable, Sendable {
        /// The row of the beginning, with the times of the end.
        var row: JournalRow
        /// The ended state: 0.
        var field: Field
    }

    private struct Key: Hashable {
        var device: Int64
        var state: LiveLane.Stream.Part
    }

    /// States at most that wait for their ends: more sensors than a gateway hears.
    private static let maximum = 2_048

    private var waiting: [Key: End] = [:]

    /// Milliseconds since boot; nil if no state waits.
    private(set) var next: Int64?

    /// A row goes out: its states begin anew, and a state that it denies has ended.
    ///
    /// - Parameter seconds: Until the end of each state that the sensor never ends.
    mutating func record(_ row: JournalRow, _ fields: [Field], _ seconds: [Quantity: Int]) {
        for field in fields {
            guard let duration = seconds[field.quantity] else { continue }
            let key = Key(
                device: row.device, state: LiveLane.Stream.Part(quantity: field.quantity, index: field.index))
            let isBegun = field.value == .int(1)
            guard isBegun || waiting[key] != nil, waiting[key] != nil || waiting.count < Self.maximum else { continue }
            let former = waiting[key]?.row.uptimeMilliseconds
            let end = isBegun ? Self.end(of: field, row, after: Int64(clamping: duration)) : nil
            waiting[key] = end
            if former == next { learnNext() }
            if let end { next = min(next ?? .max, end.row.uptimeMilliseconds) }
        }
    }

    private static func end(of field: Field, _ row: JournalRow, after seconds: Int64) -> End {
        var row = row
        let duration = seconds.multipliedReportingOverflow(by: 1_000).partialValue
        row.uptimeMilliseconds = row.uptimeMilliseconds.addingSaturated(duration)
        row.unixMilliseconds = row.unixMilliseconds?.addingSaturated(duration)
        return End(row: row, field: Field(field.quantity, .int(0), index: field.index))
    }

    /// The states that are over, the earliest first.
    mutating func takeDue(at uptime: Int64) -> [End] {
        guard let next, next <= uptime else { return [] }
        let due = waiting.filter { $0.value.row.uptimeMilliseconds <= uptime }
        for key in due.keys { waiting[key] = nil }
        learnNext()
        return due.values.sorted { ($0.row.uptimeMilliseconds, $0.row.n) < ($1.row.uptimeMilliseconds, $1.row.n) }
    }

    private mutating func learnNext() { next = waiting.values.map(\.row.uptimeMilliseconds).min() }
}
