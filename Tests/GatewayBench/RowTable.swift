// SPDX-License-Identifier: Apache-2.0

@testable import Readings

/// Rows for a lane, without a journal.
final class RowTable: RowSource {
    var rows: [JournalRow] = []
    /// Names of boots by their number; rows are of boot 1 unless they say otherwise.
    var boots: [Int64: String] = [1: "boot"]
    private(set) var reads = 0
    private(set) var greatestNumber: Int64 = 0

    func rows(after n: Int64, limit: Int) -> [JournalRow] {
        reads += 1
        return Array(rows.lazy.filter { $0.n > n }.prefix(limit))
    }

    func firstRow(ofBoot boot: String, sinceUptime milliseconds: Int64) -> Int64? {
        var first: Int64?
        for row in rows.reversed() {
            guard boots[row.boot] == boot, row.uptimeMilliseconds >= milliseconds else { break }
            first = row.n
        }
        return first
    }

    @discardableResult
    func append(
        _ n: Int64, device: Int64 = 1, characteristic: Int64 = 1, up: Int64, hundredths: Int16 = 0, boot: Int64 = 1
    ) -> JournalRow {
        let row = JournalRow(
            n: n, device: device, characteristic: characteristic, source: .notify, rssi: nil, boot: boot,
            uptimeMilliseconds: up, unixMilliseconds: 1_700_000_000_000 + up, quality: .synced,
            value: [UInt8(truncatingIfNeeded: hundredths), UInt8(truncatingIfNeeded: hundredths >> 8)])
        rows.append(row)
        greatestNumber = max(greatestNumber, n)
        return row
    }

    func remove(_ numbers: some Sequence<Int64>) {
        let gone = Set(numbers)
        rows.removeAll { gone.contains($0.n) }
    }
}
