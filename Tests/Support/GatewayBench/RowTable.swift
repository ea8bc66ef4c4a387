// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
@testable import Readings

/// Rows for a lane, or for the publisher's machine, without a journal. Device 1 is `sensor-1`; all values are temperatures.
final class RowTable: DeliveryRows {
    var rows: [JournalRow] = []
    /// Names of boots by their number; rows are of boot 1 unless they say otherwise.
    var bootNames: [Int64: String] = [1: "boot"]
    /// All other characteristics are temperatures.
    var characteristicNames: [Int64: String] = [:]
    private(set) var reads = 0
    /// The journal is not open yet.
    var isOpening = false
    private(set) var greatestNumber: Int64 = 0

    func rows(after n: Int64, limit: Int) -> [JournalRow] {
        reads += 1
        return Array(rows.lazy.filter { $0.n > n }.prefix(limit))
    }

    func firstRow(ofBoot boot: String, sinceUptime milliseconds: Int64) -> Int64? {
        var first: Int64?
        for row in rows.reversed() {
            guard bootNames[row.boot] == boot, row.uptimeMilliseconds >= milliseconds else { break }
            first = row.n
        }
        return first
    }

    @discardableResult
    func append(
        _ n: Int64, device: Int64 = 1, characteristic: Int64 = 1, up: Int64, hundredths: Int16 = 0, boot: Int64 = 1,
        source: Reading.Source = .notify, value: [UInt8]? = nil
    ) -> JournalRow {
        let row = JournalRow(
            n: n, device: device, characteristic: characteristic, source: source, rssi: nil, boot: boot,
            uptimeMilliseconds: up, unixMilliseconds: 1_700_000_000_000 + up, quality: .synced,
            value: value ?? [UInt8(truncatingIfNeeded: hundredths), UInt8(truncatingIfNeeded: hundredths >> 8)])
        rows.append(row)
        greatestNumber = max(greatestNumber, n)
        return row
    }

    func remove(_ numbers: some Sequence<Int64>) {
        let gone = Set(numbers)
        rows.removeAll { gone.contains($0.n) }
    }

    // MARK: - A journal's facts beside rows

    var facts: [String: String] = [:]
    /// Unix time minus uptime in milliseconds, by the number of a boot.
    var offsets: [Int64: Int64] = [:]

    func identifier(for key: String) -> String? { facts[key] }

    func identifiers(withPrefix prefix: String) -> [String: String] {
        var found: [String: String] = [:]
        for (key, value) in facts where key.hasPrefix(prefix) && !value.isEmpty {
            found[String(key.dropFirst(prefix.count))] = value
        }
        return found
    }

    func reading<Value>(_ read: (any RowSource) throws -> Value) rethrows -> Value? {
        isOpening ? nil : try read(self)
    }

    func deviceName(_ id: Int64) -> String? { "sensor-\(id)" }
    func characteristicName(_ id: Int64) -> String? { characteristicNames[id] ?? "2a6e" }

    func boots() -> [JournalBoot] {
        bootNames.map { JournalBoot(id: $0.key, name: $0.value, offset: offsets[$0.key]) }
    }

    var pendingCount: Int { 0 }
    var statistics: JournalStatistics { JournalStatistics(path: "none") }
}
