// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Journal
import Readings

/// The numbers of readings that wait in the journal, some rows at a time, oldest first: for charts after a restart.
///
/// Without readings of unknown wall time, and without readings of this run, which the charts have got live. Does not
/// run on the caller's thread or the journal's queue.
package struct BufferedNumbers: Sendable {
    package struct Number: Equatable, Sendable {
        /// As in topics.
        package var sensor: String
        package var quantity: String
        package var unit: String?
        package var number: Double
        /// Time of reception, in milliseconds since 1970.
        package var unixMs: Int64
    }

    /// Rows per read.
    static let step = 1_000
    /// At most this many row numbers are searched backwards: a day of 20 sensors that send every second.
    static let reach: Int64 = 2_000_000

    private let journal: Journal
    private let inquiries: GatewayInquiries
    /// Milliseconds since 1970.
    private let times: Range<Int64>
    /// The start of this run.
    private let began: TimeStamp
    /// The last row read; nil before the first.
    private var cursor: Int64?
    private var devices: [Int64: String] = [:]
    private var characteristics: [Int64: String] = [:]
    private var boots: [Int64: JournalBoot] = [:]

    init(_ journal: Journal, _ inquiries: GatewayInquiries, times: Range<Int64>, before began: TimeStamp) {
        (self.journal, self.inquiries, self.times, self.began) = (journal, inquiries, times, began)
    }

    /// The numbers of the next rows, perhaps none; nil at the end, and if the journal is unreadable.
    package mutating func next() async -> [Number]? {
        let reader = self
        let answer = await inquiries.onJournal {
            var reader = reader
            let numbers = try? reader.read()
            return (reader, numbers)
        }
        self = answer.0
        return answer.1
    }

    private mutating func read() throws -> [Number]? {
        if cursor == nil {
            boots = Dictionary(try journal.boots().map { ($0.id, $0) }) { _, newer in newer }
            cursor = try beginning()
        }
        let rows = try journal.rows(after: cursor ?? 0, limit: Self.step)
        guard let last = rows.last else { return nil }
        cursor = last.n
        var numbers: [Number] = []
        for row in rows where !isOfThisRun(row) {
            guard let time = time(of: row), times.contains(time), let device = try name(ofDevice: row.device),
                let characteristic = try name(ofCharacteristic: row.characteristic)
            else { continue }
            for field in Decoders.decoded(characteristic: characteristic, value: row.value) ?? [] {
                guard case .number(let number) = field.value else { continue }
                numbers.append(
                    Number(sensor: device, quantity: field.quantity, unit: field.unit, number: number, unixMs: time))
            }
        }
        return numbers
    }

    /// The row before the first row that is young enough. Rows are in the order of reception, so bisection finds the
    /// place. A row without a time counts as young.
    private func beginning() throws -> Int64 {
        var high = journal.greatestNumber
        var low = max(0, high.subtractingSaturated(Self.reach))
        while low < high {
            let middle = low + (high - low) / 2
            if let row = try journal.rows(after: middle, limit: 1).first, row.n <= high,
                let time = time(of: row), time < times.lowerBound
            {
                low = row.n
            } else {
                high = middle
            }
        }
        return low
    }

    private func time(of row: JournalRow) -> Int64? {
        row.unixMilliseconds ?? boots[row.boot]?.offset.map { row.uptimeMilliseconds.addingSaturated($0) }
    }

    private func isOfThisRun(_ row: JournalRow) -> Bool {
        row.uptimeMilliseconds >= began.uptimeMilliseconds && boots[row.boot].map { $0.name == began.boot } ?? true
    }

    private mutating func name(ofDevice id: Int64) throws -> String? {
        if let known = devices[id] { return known }
        devices[id] = try journal.deviceName(id)
        return devices[id]
    }

    private mutating func name(ofCharacteristic id: Int64) throws -> String? {
        if let known = characteristics[id] { return known }
        characteristics[id] = try journal.characteristicName(id)
        return characteristics[id]
    }
}

extension GatewayService {
    /// The numbers that wait in the journal, received within `times` (milliseconds since 1970) and before this run; nil
    /// while the journal is not open, or is empty.
    package func bufferedNumbers(in times: Range<Int64>) -> BufferedNumbers? {
        guard journal.greatestNumber > 0 else { return nil }
        return BufferedNumbers(journal, inquiries, times: times, before: firstStamp)
    }
}
