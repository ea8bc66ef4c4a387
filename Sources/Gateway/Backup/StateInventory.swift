// SPDX-License-Identifier: Apache-2.0

import Configuration
import Foundation
import Glibc
import StateFiles

/// The files of a gateway in the state directory: bonds, keys, known peers, GATT caches, the gateway's own settings,
/// identity. Without the journal, and without records of the past.
struct StateInventory: Equatable, Sendable {
    /// Names in the state directory for records of the past, and for unfinished work.
    static let others: Set<String> = [
        "charts", "corrupt", "support", "flight", "recoveries.json", "led", "factory-reset", PendingRestore.folderName,
        PendingRestore.draftName, WarningFile.name,
    ]
    private static let maximumFiles = 16_384
    /// The most entries of a backup: as many files again may lie beside the configuration.
    static let maximumEntries = 2 * maximumFiles
    private static let maximumDepth = 6

    /// Paths below the state directory, sorted.
    private(set) var files: [String] = []
    /// Links, pipes and the like. Nothing follows the links.
    private(set) var strange: [String] = []

    /// - Parameter journal: The path of the journal, whose files may lie in the state directory.
    init(of folder: String, journal: String) throws(BackupError) {
        try look(in: folder, "", depth: 0) { Self.leavesOut($0, in: folder, journal: journal) }
        files.sort()
    }

    /// Whether a name at the top of the state directory belongs to a record, to unfinished work or to the journal.
    private static func leavesOut(_ name: String, in folder: String, journal: String) -> Bool {
        let isInside = (journal as NSString).deletingLastPathComponent == folder
        return others.contains(name) || isInside && name.hasPrefix((journal as NSString).lastPathComponent)
    }

    /// Whether a path is one of an inventory. A restore takes no other path: a backup that names the journal, the plan of a
    /// restore or a request to the gateway would change more than the files of a gateway.
    ///
    /// - Parameter path: Relative to the state directory.
    static func lists(_ path: String, in folder: String, journal: String) -> Bool {
        let parts = path.split(separator: "/").map(String.init)
        guard let first = parts.first, parts.count <= maximumDepth + 1 else { return false }
        return !leavesOut(first, in: folder, journal: journal)
            && !parts.contains { $0.hasSuffix(StateFile.unfinished) }
    }

    private mutating func look(
        in folder: String, _ prefix: String, depth: Int, _ leavesOut: (String) -> Bool
    ) throws(BackupError) {
        let names = try atFile(folder) { () throws(StateFileError) in try SystemConfigurationDisk().names(in: folder) }
        for name in names where !leavesOut(name) && !name.hasSuffix(StateFile.unfinished) {
            var information = stat()
            guard lstat(folder + "/" + name, &information) == 0 else { continue }
            let path = prefix + name
            switch information.st_mode & S_IFMT {
            case S_IFREG where BackupEntry.isPlain(path): files.append(path)
            case S_IFDIR where depth < Self.maximumDepth:
                try look(in: folder + "/" + name, path + "/", depth: depth + 1) { _ in false }
            case S_IFSOCK: break
            default: strange.append(path)
            }
            guard files.count <= Self.maximumFiles else {
                throw .unfit("\(folder) has more than \(Self.maximumFiles) files")
            }
        }
    }
}
