// SPDX-License-Identifier: Apache-2.0

/// Chooses the rows that stand for a window: of each device, characteristic and window the least value, the greatest
/// and the one nearest to the mean. Only rows that were received stay: none is made up, so that each has its true time
/// and number and the books need no row that no sensor sent. Where a value has no decoder or no number, the first and
/// the last row of the window stay.
enum Thinner {
    private struct Window: Hashable {
        var device: Int64
        var characteristic: Int64
        var boot: Int64
        var index: Int64
    }

    private struct Group {
        var rows: [Int64] = []
        /// One for each row, as long as all have one.
        var numbers: [Double] = []
    }

    /// The numbers of the rows that can go, in order. Windows have `milliseconds` of uptime.
    static func superfluous(_ rows: [JournalRow], window milliseconds: Int64, names: JournalNames) -> [Int64] {
        var groups: [Window: Group] = [:]
        var decoders: [Int64: Decoders.Decode?] = [:]
        for row in rows {
            let index = row.uptimeMilliseconds / max(milliseconds, 1)
            let window = Window(
                device: row.device, characteristic: row.characteristic, boot: row.boot, index: index)
            if decoders[row.characteristic] == nil {
                let name = names.characteristicNames[row.characteristic]
                decoders[row.characteristic] = .some(name.flatMap(Decoders.decoder(for:)))
            }
            let decode = decoders[row.characteristic] ?? nil
            let number = decode.flatMap { try? $0(row.value) }?.lazy.compactMap(\.number).first
            groups[window, default: Group()].rows.append(row.n)
            if let number { groups[window, default: Group()].numbers.append(number) }
        }
        return groups.values.flatMap(superfluous).sorted()
    }

    private static func superfluous(_ group: Group) -> [Int64] {
        let rows = group.rows
        guard rows.count > 2 else { return [] }
        var kept: Set<Int> = [0, rows.count - 1]
        let numbers = group.numbers
        if numbers.count == rows.count {
            let mean = numbers.reduce(0, +) / Double(numbers.count)
            var least = 0
            var greatest = 0
            var typical = 0
            for (index, number) in numbers.enumerated() {
                if number < numbers[least] { least = index }
                if number > numbers[greatest] { greatest = index }
            }
            // A third row, if there is one that is neither: the least may well be the nearest to the mean.
            for (index, number) in numbers.enumerated() where index != least && index != greatest {
                let isBetter = abs(number - mean) < abs(numbers[typical] - mean)
                if typical == least || typical == greatest || isBetter { typical = index }
            }
            kept = [least, greatest, typical]
        }
        return rows.indices.filter { !kept.contains($0) }.map { rows[$0] }
    }
}

extension Field {
    /// The value as a number, for comparisons; nil for what is none.
    fileprivate var number: Double? {
        switch value {
        case .int(let number): return Double(number)
        case .decimal(let decimal):
            var number = Double(decimal.mantissa)
            for _ in 0..<decimal.places { number /= 10 }
            return number
        case .string, .array: return nil
        }
    }
}
