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
    static let maximumFiles = 16_384
    private static let maximumDepth = 6

    /// Paths below the state directory, sorted.
    private(set) var files: [String] = []
    /// Links, pipes and the like. Nothing follows the links.
    private(set) var strange: [String] = []

    /// - Parameter journal: The path of the journal, whose files may lie in the state directory.
    init(of folder: String, journal: String) throws(BackupError) {
        let journalName = (journal as NSString).lastPathComponent
        let isInside = (journal as NSString).deletingLastPathComponent == folder
        try look(in: folder, "", depth: 0) { name in
            Self.others.contains(name) || isInside && name.hasPrefix(journalName)
        }
        files.sort()
    }

    /// Whether a path is one of an inventory. A restore takes no other path: a backup that names the journal, the plan of a
    /// restore or a request to the gateway would change more than the files of a gateway.
    ///
    /// - Parameter path: Relative to the state directory.
    static func lists(_ path: String, in folder: String, journal: String) -> Bool {
        let parts = path.split(separator: "/").map(String.init)
        guard let first = parts.first, parts.count <= maximumDepth + 1, !others.contains(first),
            !parts.contains(where: { $0.hasSuffix(StateFile.unfinished) })
        else { return false }
        let journalName = (journal as NSString).lastPathComponent
        return (journal as NSString).deletingLastPathComponent != folder || !first.hasPrefix(journalName)
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
