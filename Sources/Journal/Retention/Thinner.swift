// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// Chooses the rows that stand for a window: for each device, characteristic and set of quantities the least value, the
/// greatest, and the value nearest to the mean, for every number of a reading. Only received rows stay: no row is made
/// up, so that each row has its true time and number. If a value has no decoder or no number, the first and the last
/// row of the window stay; rows of events always stay.
///
/// The thinner sees all rows twice, in their order: first to ``measure(_:names:)`` them, and then, when the means are
/// known, to ``choose(_:names:)`` the rows nearest to the means. Its memory grows with windows, not with rows.
struct Thinner {
    /// The meaning of a number in a reading.
    private struct Part: Hashable {
        var quantity: Quantity
        var index: UInt8
    }

    private struct Window: Hashable {
        var device: Int64
        var characteristic: Int64
        var boot: Int64
        var index: Int64
        /// If a sensor sends its values in turns, each value is thinned by itself.
        var parts: [Part]
    }

    /// One number of the readings of a window.
    private struct Spread {
        var sum = 0.0
        var least: (n: Int64, number: Double)
        var greatest: (n: Int64, number: Double)
        var typical: (n: Int64, distance: Double)?

        init(_ n: Int64, _ number: Double) { (least, greatest) = ((n, number), (n, number)) }

        mutating func measure(_ n: Int64, _ number: Double) {
            sum += number
            if number < least.number { least = (n, number) }
            if number > greatest.number { greatest = (n, number) }
        }

        mutating func choose(_ n: Int64, _ number: Double, of count: Int) {
            // A third row, if it is neither: the least value may well be the nearest to the mean.
            guard n != least.n, n != greatest.n else { return }
            let distance = abs(number - sum / Double(count))
            if typical.map({ distance < $0.distance }) ?? true { typical = (n, distance) }
        }
    }

    private struct Group {
        var count = 0
        var first: Int64
        var last: Int64
        /// In the order of the window's parts.
        var spreads: [Spread]

        var kept: [Int64] {
            guard count > 2, !spreads.isEmpty else { return first == last ? [first] : [first, last] }
            return spreads.flatMap { [$0.least.n, $0.greatest.n, $0.typical?.n].compactMap(\.self) }
        }
    }

    /// A row's place, and its numbers in the order of its parts; nil when the row stays in any case.
    private typealias Measured = (window: Window, numbers: [Double])

    /// Milliseconds of uptime.
    private let window: Int64
    private var groups: [Window: Group] = [:]
    private var events: [Int64] = []
    private var decoders: [Int64: Decoders.Decode?] = [:]

    init(window milliseconds: Int64) { window = max(milliseconds, 1) }

    /// Numbers of single windows, devices and characteristics, which take memory.
    private(set) var count = 0

    func index(of row: JournalRow) -> Int64 { row.uptimeMilliseconds / window }

    mutating func measure(_ row: JournalRow, names: JournalNames) {
        guard let (window, numbers) = measured(row, names: names) else {
            events.append(row.n)
            count += 1
            return
        }
        var group =
            groups[window] ?? Group(first: row.n, last: row.n, spreads: numbers.map { Spread(row.n, $0) })
        if group.count == 0 { count += max(numbers.count, 1) }
        group.count += 1
        group.last = row.n
        for (place, number) in numbers.enumerated() { group.spreads[place].measure(row.n, number) }
        groups[window] = group
    }

    mutating func choose(_ row: JournalRow, names: JournalNames) {
        guard let (window, numbers) = measured(row, names: names), var group = groups[window], group.count > 2 else {
            return
        }
        // One copy of the group for all its numbers.
        groups[window] = nil
        for (place, number) in numbers.enumerated() {
            group.spreads[place].choose(row.n, number, of: group.count)
        }
        groups[window] = group
    }

    /// The rows that stay, in order.
    var kept: [Int64] { Set(groups.values.flatMap(\.kept) + events).sorted() }

    private mutating func measured(_ row: JournalRow, names: JournalNames) -> Measured? {
        let fields = fields(of: row, names: names)
        if fields.contains(where: { $0.quantity.details.kind == .event }) { return nil }
        var (parts, numbers) = ([Part](), [Double]())
        for field in fields {
            guard field.quantity.isAmount, let number = field.value.number else { continue }
            parts.append(Part(quantity: field.quantity, index: field.index))
            numbers.append(number)
        }
        let window = Window(
            device: row.device, characteristic: row.characteristic, boot: row.boot, index: index(of: row), parts: parts)
        return (window, numbers)
    }

    private mutating func fields(of row: JournalRow, names: JournalNames) -> [Field] {
        if decoders[row.characteristic] == nil {
            let name = names.characteristicNames[row.characteristic]
            decoders[row.characteristic] = .some(name.flatMap(Decoders.decoder(for:)))
        }
        let decode = decoders[row.characteristic] ?? nil
        return decode.flatMap { try? $0(row.value) } ?? []
    }
}
