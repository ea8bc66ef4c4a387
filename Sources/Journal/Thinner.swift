// SPDX-License-Identifier: Apache-2.0

import Readings

/// Chooses the rows that stand for a window: of each device, characteristic and window the least value, the greatest
/// and the one nearest to the mean. Only rows that were received stay: none is made up, so that each has its true time
/// and number and the books need no row that no sensor sent. Where a value has no decoder or no number, the first and
/// the last row of the window stay.
///
/// Rows are shown to it twice, in their order: first to ``measure(_:names:)`` them, then, when the mean is known, to
/// ``choose(_:names:)`` the one nearest to it. It takes memory by windows, not by rows.
struct Thinner {
    private struct Window: Hashable {
        var device: Int64
        var characteristic: Int64
        var boot: Int64
        var index: Int64
    }

    private struct Group {
        var count = 0
        var first: Int64 = 0
        var last: Int64 = 0
        /// Rows with a number.
        var numbers = 0
        var sum = 0.0
        var least: (n: Int64, number: Double)?
        var greatest: (n: Int64, number: Double)?
        var typical: (n: Int64, distance: Double)?

        var kept: [Int64] {
            guard count > 2, numbers == count else { return first == last ? [first] : [first, last] }
            return Array(Set([least?.n, greatest?.n, typical?.n].compactMap(\.self)))
        }
    }

    /// Milliseconds of uptime.
    private let window: Int64
    private var groups: [Window: Group] = [:]
    private var decoders: [Int64: Decoders.Decode?] = [:]

    init(window milliseconds: Int64) { window = max(milliseconds, 1) }

    /// Windows of single devices and characteristics.
    var count: Int { groups.count }

    func index(of row: JournalRow) -> Int64 { row.uptimeMilliseconds / window }

    mutating func measure(_ row: JournalRow, names: JournalNames) {
        let number = number(of: row, names: names)
        var group = groups[key(row)] ?? Group(first: row.n)
        group.count += 1
        group.last = row.n
        if let number {
            group.numbers += 1
            group.sum += number
            if group.least.map({ number < $0.number }) ?? true { group.least = (row.n, number) }
            if group.greatest.map({ number > $0.number }) ?? true { group.greatest = (row.n, number) }
        }
        groups[key(row)] = group
    }

    mutating func choose(_ row: JournalRow, names: JournalNames) {
        guard let group = groups[key(row)], group.count > 2, group.numbers == group.count,
            let number = number(of: row, names: names), row.n != group.least?.n, row.n != group.greatest?.n
        else { return }
        // A third row, if there is one that is neither: the least may well be the nearest to the mean.
        let distance = abs(number - group.sum / Double(group.numbers))
        if group.typical.map({ distance < $0.distance }) ?? true { groups[key(row)]?.typical = (row.n, distance) }
    }

    /// The rows that stay, in order.
    var kept: [Int64] { groups.values.flatMap(\.kept).sorted() }

    private func key(_ row: JournalRow) -> Window {
        Window(device: row.device, characteristic: row.characteristic, boot: row.boot, index: index(of: row))
    }

    private mutating func number(of row: JournalRow, names: JournalNames) -> Double? {
        if decoders[row.characteristic] == nil {
            let name = names.characteristicNames[row.characteristic]
            decoders[row.characteristic] = .some(name.flatMap(Decoders.decoder(for:)))
        }
        let decode = decoders[row.characteristic] ?? nil
        return decode.flatMap { try? $0(row.value) }?.lazy.compactMap(\.value.number).first
    }
}
