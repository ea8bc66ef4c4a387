// SPDX-License-Identifier: Apache-2.0

/// Readings that were lost when the gateway stopped while its journal could not be written. They are in no file; how many
/// there were is noted in the lock file, which has room for it on a full disk, and taken into the books by the next run.
struct LossRecord: Equatable, Sendable {
    /// Under this key the database says which record it has in its books.
    static let key = "journal.losses"
    /// Behind the marks, in the block that the file has already.
    static let offset = 128
    private static let capacity = 4096 - offset
    /// Ends what was written as a whole.
    private static let end = "end"

    /// No two have the same.
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

    /// Nil for what is none, or was not written to its end.
    init?(_ octets: [UInt8]) {
        var lines = String(decoding: octets, as: UTF8.self).split(separator: "\n")
        guard let last = lines.popLast(), last == Self.end, let first = lines.first else { return nil }
        let head = first.split(separator: " ")
        guard head.count == 2, head[0] == "losses" else { return nil }
        id = String(head[1])
        losses = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, let count = Int(parts[0]), (1...Int(JournalStatistics.largestCount)).contains(count)
            else { return nil }
            let reason = DropReason(rawValue: String(parts[1]))
            losses[reason, default: [:]][String(parts[2]), default: 0] &+= count
        }
    }

    /// As it is written. Sensors that there is no room for are counted together, under no name.
    var octets: [UInt8] {
        var text = "losses \(id)\n"
        let room = Self.capacity - Self.end.utf8.count - 1 - 64 * losses.count
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
