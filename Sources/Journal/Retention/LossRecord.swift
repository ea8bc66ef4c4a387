// SPDX-License-Identifier: Apache-2.0

import Readings

/// Readings that were lost when the gateway stopped while its journal could not be written. No file has these readings.
/// The lock file notes their number, for it has room even on a full disk, and the next run adds the number to the
/// ledger.
struct LossRecord: Equatable, Sendable {
    /// The database's key for the record that its ledger includes.
    static let key = "journal.losses"
    /// Behind the marks, in the block that the file already has.
    static let offset = 128
    private static let capacity = 4096 - offset
    /// Stops in a row without a writable journal; older records are merged.
    private static let mostRecords = 8
    /// Marks the end of a complete record.
    private static let end = "end"

    /// Unique among the records.
    var id: String
    /// By device.
    var losses: [DropReason: [String: Int]]

    init(id: String, losses: [DropReason: [String: Int]]) {
        self.id = id
        self.losses = losses
    }

    mutating func add(_ other: LossRecord) {
        for (reason, devices) in other.losses { losses[reason, default: [:]].merge(devices) { $0 &+ $1 } }
    }

    /// The complete records, the oldest first.
    static func records(in octets: [UInt8]) -> [LossRecord] {
        var records: [LossRecord] = []
        var current: LossRecord?
        // The last part has no line feed: it is incomplete.
        for line in String(decoding: octets, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast()
        {
            if let record = current, line == Self.end {
                records.append(record)
                current = nil
            } else if current != nil {
                guard current?.add(line) == true else { break }
            } else {
                let head = line.split(separator: " ")
                guard head.count == 2, head[0] == "losses" else { break }
                current = LossRecord(id: String(head[1]), losses: [:])
            }
        }
        return records
    }

    private mutating func add(_ line: Substring) -> Bool {
        let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let count = Int(parts[0]), (1...Int(JournalStatistics.largestCount)).contains(count)
        else { return false }
        let reason = DropReason(rawValue: String(parts[1]))
        losses[reason, default: [:]][String(parts[2]), default: 0] &+= count
        return true
    }

    /// The octets of the records. The records stay separate: the ledger may include one record and not the later ones.
    static func octets(of records: [LossRecord]) -> [UInt8] {
        var records = records
        while records.count > mostRecords {
            let oldest = records.removeFirst()
            records[0].add(oldest)
        }
        return records.flatMap { $0.octets(within: capacity / records.count) }
    }

    /// Sensors without room are counted together, under no name.
    private func octets(within capacity: Int) -> [UInt8] {
        var text = "losses \(id)\n"
        let room = capacity - Self.end.utf8.count - 1 - 64 * losses.count
        for (reason, devices) in losses.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            var rest = 0
            for (device, count) in devices.sorted(by: { $0.value > $1.value }) {
                let line = "\(count) \(reason.rawValue) \(device)\n"
                if device.contains("\n") || text.utf8.count + line.utf8.count > room {
                    rest += count
                } else {
                    text += line
                }
            }
            if rest > 0 { text += "\(rest) \(reason.rawValue) \n" }
        }
        return Array((text + Self.end + "\n").utf8)
    }
}
