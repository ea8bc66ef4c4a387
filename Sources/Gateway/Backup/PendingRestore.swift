// SPDX-License-Identifier: Apache-2.0

import Configuration
import Foundation
import Glibc
import Journal
import StateFiles

/// A restore that is complete on disk, and whose files are not all in their places: a power cut came in between.
///
/// The files wait in `restore` of the state directory, and the journal waits beside the present journal. The name
/// `restore` is the decision. Without the decision the present state is unchanged. With the decision, every start
/// finishes the restore before the first look at the state.
package struct PendingRestore {
    static let folderName = "restore"
    /// The folder before the decision.
    static let draftName = "restore.new"
    /// The end of the names of files beside their places.
    static let ending = ".restore"
    private static let planName = "plan.json"

    /// The content of a restore.
    struct Plan: Codable, Equatable {
        /// Paths below the state directory. Other files of a gateway are removed there.
        var files: [String]
        /// The journal's next number is above this number.
        var number: Int64
        /// Readings that ever had a number, by the journal's ledger.
        var rows: Int
    }

    private let stateDirectory: String
    private let journal: String
    private let files: any StateFileSystem
    private let disk = SystemConfigurationDisk()

    package init(stateDirectory: String, journal: String, on files: any StateFileSystem = DiskFileSystem()) {
        (self.stateDirectory, self.journal, self.files) = (stateDirectory, journal, files)
    }

    private var folder: String { stateDirectory + "/" + Self.folderName }
    private var draft: String { stateDirectory + "/" + Self.draftName }
    var journalDraft: String { journal + Self.ending }
    private var journalFolder: String { (journal as NSString).deletingLastPathComponent }

    /// Whether a restore was decided and is not done.
    package var isThere: Bool { access(folder + "/" + Self.planName, F_OK) == 0 }

    // MARK: - Before the decision

    /// Removes the rest of an earlier attempt. After a decision there is nothing to remove.
    func clear() throws(BackupError) {
        guard !isThere else { return }
        try atFile(draft) { () throws(StateFileError) in try disk.removeAll(draft) }
        try removeDatabase(journalDraft)
    }

    /// Writes a file of the state directory for later.
    func stage(_ path: String, _ file: BackedFile) throws(BackupError) {
        let place = draft + "/files/" + path
        try atFile(place) { () throws(StateFileError) in
            let parent = (place as NSString).deletingLastPathComponent
            try StateFile.makeDirectory(parent, on: files)
            let descriptor = try files.create(place)
            defer { files.close(descriptor) }
            if file.mode & 0o777 != 0o600 { try files.setMode(file.mode & 0o644 | 0o600, of: descriptor) }
            try files.write(file.octets, to: descriptor)
            try files.synchronize(descriptor)
        }
    }

    /// Decides for the restore. From here on it only goes forward.
    func decide(_ plan: Plan) throws(BackupError) {
        guard let octets = try? JSONEncoder().encode(plan) else { throw .unfit("the plan cannot be written") }
        for path in plan.files { try checkFolders(of: path) }
        try atFile(draft) { () throws(StateFileError) in
            try StateFile.makeDirectory(draft, on: files)
            try StateFile.replace(draft + "/" + Self.planName, with: octets, in: draft, on: files)
            for place in Set(plan.files.map { (("files/" + $0) as NSString).deletingLastPathComponent }) {
                try files.synchronize(directory: draft + "/" + place)
            }
            try files.synchronize(directory: journalFolder)
            try StateFile.move(draft, to: folder, on: files)
        }
    }

    // MARK: - After the decision

    /// Puts everything in its place. A call after a power cut goes on where the last one ended.
    ///
    /// - Parameter hold: The lock of the journal; nil takes it for the time of the call.
    package func finish(_ hold: JournalHold? = nil) throws(BackupError) {
        let file = try BackedFile.read(folder + "/" + Self.planName, follows: false)
        guard let file, let plan = try? JSONDecoder().decode(Plan.self, from: Data(file.octets)),
            plan.files.allSatisfy(BackupEntry.isPlain)
        else { throw .damaged("\(folder)/\(Self.planName) is no plan of a restore") }
        let held: JournalHold
        if let hold {
            held = hold
        } else {
            held = try withJournal { () throws(JournalError) in try JournalHold(path: journal) }
        }
        defer { if hold == nil { held.release() } }
        if access(journalDraft, F_OK) == 0 {
            // The log of the former database belongs to no other database.
            try removeDatabase(journal, except: [""])
            try atFile(journal) { () throws(StateFileError) in
                try StateFile.move(journalDraft, to: journal, on: files)
            }
        }
        try withJournal { () throws(JournalError) in try held.startOver(at: plan.number, rows: plan.rows) }
        let kept = Set(plan.files)
        for path in try StateInventory(of: stateDirectory, journal: journal).files where !kept.contains(path) {
            try atFile(path) { () throws(StateFileError) in try files.remove(stateDirectory + "/" + path) }
        }
        for path in plan.files { try place(path) }
        // The decision goes with one rename: the folder's files go one by one.
        try atFile(folder) { () throws(StateFileError) in
            try disk.removeAll(draft)
            try StateFile.move(folder, to: draft, on: files)
            try disk.removeAll(draft)
        }
    }

    private func place(_ path: String) throws(BackupError) {
        let (from, to) = (folder + "/files/" + path, stateDirectory + "/" + path)
        guard access(from, F_OK) == 0 else { return }
        let parent = (to as NSString).deletingLastPathComponent
        try checkFolders(of: path)
        try atFile(to) { () throws(StateFileError) in
            // The state directory itself may be a link, the folders in it may not.
            if parent != stateDirectory { try StateFile.makeDirectory(parent, on: files) }
            try StateFile.move(from, to: to, on: files)
        }
    }

    /// A file below a link would come to another place.
    private func checkFolders(of path: String) throws(BackupError) {
        var folder = stateDirectory
        for part in path.split(separator: "/").dropLast() {
            folder += "/\(part)"
            var status = stat()
            if lstat(folder, &status) == 0, status.st_mode & S_IFMT != S_IFDIR {
                throw .unfit("\(folder) is no folder: remove it")
            }
        }
    }

    private func removeDatabase(_ path: String, except kept: Set<String> = []) throws(BackupError) {
        for suffix in ["", "-journal", "-wal", "-shm"] where !kept.contains(suffix) {
            try atFile(path + suffix) { () throws(StateFileError) in try files.remove(path + suffix) }
        }
    }
}
