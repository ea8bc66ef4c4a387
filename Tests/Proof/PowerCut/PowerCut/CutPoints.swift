// SPDX-License-Identifier: Apache-2.0

import TestMaterials

/// The moments of possible power cuts: just before each operation on the disk, and after the last operation.
package struct CutPoints: Sendable {
    /// The disk's next task at the moment of the cut.
    package enum Phase: String, CaseIterable, Codable, Sendable {
        /// The file is made and gets its tables.
        case creation
        /// Pages of the log are copied to the database; the log is cut off or begun again.
        case checkpoint
        /// A transaction is written to the log.
        case transaction
    }

    package let count: Int
    private let phases: [(entry: Int, phase: Phase)]

    package init(_ entries: [Recording.Entry], database: String) {
        var phases: [(entry: Int, phase: Phase)] = []
        var disk = 0
        var hasLog = false
        var wasCheckpoint = false
        for (index, entry) in entries.enumerated() {
            guard case .disk(let operation) = entry else { continue }
            disk += 1
            if operation.file == database + "-wal" { hasLog = true }
            let isCheckpoint = hasLog && (operation.file == database || operation.isCutOff)
            // The checkpoint includes its first step, the sync of the log, and the write that starts the log anew.
            if isCheckpoint, !wasCheckpoint, let last = phases.indices.last, phases[last].phase == .transaction {
                phases[last].phase = .checkpoint
            }
            let phase: Phase =
                disk <= Self.creation ? .creation : isCheckpoint || wasCheckpoint ? .checkpoint : .transaction
            phases.append((index, phase))
            wasCheckpoint = isCheckpoint
        }
        phases.append((entries.count, .transaction))
        self.phases = phases
        count = phases.count
    }

    /// The number of operations that make an empty journal.
    private static let creation = 80

    /// At most `limit` points in order: at least an eighth in the creation, three eighths in checkpoints, when there are
    /// as many.
    package func chosen(_ limit: Int, seed: UInt64) -> [(entry: Int, phase: Phase)] {
        guard limit < count else { return phases }
        var dice = Dice(seed: seed)
        let mixed = phases.shuffled(using: &dice)
        let preferred =
            mixed.filter { $0.phase == .creation }.prefix(limit / 8)
            + mixed.filter { $0.phase == .checkpoint }.prefix(limit * 3 / 8)
        let taken = Set(preferred.map(\.entry))
        let rest = mixed.filter { !taken.contains($0.entry) }.prefix(limit - preferred.count)
        return (preferred + rest).sorted { $0.entry < $1.entry }
    }
}

extension DiskOperation {
    /// The operation truncates or deletes a log.
    fileprivate var isCutOff: Bool {
        switch self {
        case .truncate, .delete: true
        case .open, .write, .sync, .syncFolder, .rename, .makeFolder: false
        }
    }
}
