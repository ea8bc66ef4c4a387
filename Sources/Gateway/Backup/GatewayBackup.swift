// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Configuration
import Foundation
import Glibc
import Journal
import Platform
import StateFiles

/// Writes a gateway into one encrypted file: settings, secrets, identity, bonds, journal.
///
/// The gateway may run meanwhile. Root reads each file with the rights of the file's owner.
package struct GatewayBackup {
    package struct Report: Equatable, Sendable {
        package var manifest: BackupManifest
        /// Files in the backup, without the journal.
        package var files = 0
        /// Octets of the backup.
        package var octets = 0
        /// Files that the configuration names and the backup does not hold, strange files of the state directory, and a damaged
        /// journal with the damage.
        package var leftOut: [String] = []
    }

    private let places: BackupPlaces
    private let configuration: GatewayConfiguration
    private let files: any StateFileSystem

    package init(
        _ configuration: GatewayConfiguration, at places: BackupPlaces,
        on files: any StateFileSystem = DiskFileSystem()
    ) {
        (self.configuration, self.places, self.files) = (configuration, places, files)
    }

    /// Writes the backup beside `path`, and then renames the complete file. Only its owner can read the file.
    ///
    /// - Parameter now: Milliseconds since 1970.
    package func write(to path: String, passphrase: Secret, now: Int64) throws -> Report {
        let (journal, content, damage) = try journalCopy()
        defer { if journal >= 0 { close(journal) } }
        var report = Report(
            manifest: BackupManifest(
                madeMs: now, martlet: GatewayVersion.current, gateway: configuration.gateway,
                isNamed: configuration.isNamed, stateDirectory: places.stateDirectory, journal: places.journal,
                rows: content.rows, greatest: content.greatest))
        let gathered = try gather(&report)
        if let damage { report.leftOut.append("\(places.journal): \(damage)") }
        let header = BackupHeader()
        let key = try header.key(of: passphrase)
        let parent = (path as NSString).deletingLastPathComponent
        let folder = parent.isEmpty ? "." : parent
        let draft = try PathOwner.run(at: folder) {
            try atFile(path) { () throws(StateFileError) in
                try StateFileDraft(amongOthers: path, in: folder, on: files)
            }
        }
        do {
            report.octets = try write(gathered, journal, report.manifest, header, key, to: draft)
        } catch {
            try? PathOwner.run(at: folder) { draft.discard() }
            throw error
        }
        try PathOwner.run(at: folder) {
            try atFile(draft.path) { () throws(StateFileError) in try draft.seal() }
            try atFile(path) { () throws(StateFileError) in try draft.keep() }
        }
        return report
    }

    private func write(
        _ gathered: [(BackupEntry.Kind, BackedFile)], _ journal: Int32, _ manifest: BackupManifest,
        _ header: BackupHeader, _ key: [UInt8], to draft: StateFileDraft
    ) throws(BackupError) -> Int {
        var count = 0
        var sealer = try BackupSealer(header, key: key) { octets throws(BackupError) in
            count += octets.count
            try atFile(draft.path) { () throws(StateFileError) in try draft.write(octets) }
        }
        guard let first = try? JSONEncoder().encode(manifest) else { throw .unfit("the manifest cannot be written") }
        for (kind, file) in [(BackupEntry.Kind.manifest, BackedFile(octets: [UInt8](first), mode: 0o600))] + gathered {
            try sealer.add(BackupEntry(kind, size: file.octets.count, mode: file.mode).octets)
            try sealer.add(file.octets)
        }
        if journal >= 0 {
            var information = stat()
            guard fstat(journal, &information) == 0 else {
                throw .disk(path: places.journal, StateFileError(step: "stat", code: errno))
            }
            var rest = Int(information.st_size)
            try sealer.add(BackupEntry(.journal, size: rest).octets)
            while rest > 0 {
                let more = try BackedFile.next(journal, places.journal, limit: min(rest, BackupChunk.length))
                guard !more.isEmpty else { throw .disk(path: places.journal, StateFileError(step: "read", code: EIO)) }
                try sealer.add(more)
                rest -= more.count
            }
        }
        try sealer.end()
        return count
    }

    // MARK: - What there is

    /// A copy of the journal, open and without a name; -1 without a journal, and for a damaged journal: no restore would take it.
    private func journalCopy() throws -> (Int32, JournalCopy.Content, damage: String?) {
        let (path, copy) = (places.journal, places.journal + ".backup")
        return try PathOwner.run(at: (path as NSString).deletingLastPathComponent) {
            let none = JournalCopy.Content(rows: 0, greatest: 0)
            guard access(path, F_OK) == 0 else { return (-1, none, nil) }
            func removeCopy() throws(BackupError) {
                for suffix in ["", "-journal", "-wal", "-shm"] {
                    try atFile(copy) { () throws(StateFileError) in try DiskFileSystem().remove(copy + suffix) }
                }
            }
            // What a crash has left.
            try removeCopy()
            do {
                // Made here for its owner alone; SQLite would make it for everybody.
                try atFile(copy) { () throws(StateFileError) in
                    let disk = DiskFileSystem()
                    disk.close(try disk.create(copy))
                }
                let content = try withJournal { () throws(JournalError) in try JournalCopy.make(of: path, at: copy) }
                let descriptor = open(copy, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
                guard descriptor >= 0 else {
                    throw BackupError.disk(path: copy, StateFileError(step: "open", code: errno))
                }
                // The open file goes with the process, whatever happens to the process.
                try removeCopy()
                return (descriptor, content, nil)
            } catch BackupError.journal(.corrupt(_, let reason)) {
                try removeCopy()
                let marked = JournalCopy.Content(rows: 0, greatest: JournalHold.greatest(of: path))
                return (-1, marked, "damaged (\(reason))")
            } catch {
                try? removeCopy()
                throw error
            }
        }
    }

    private func gather(_ report: inout Report) throws -> [(BackupEntry.Kind, BackedFile)] {
        var found: [(BackupEntry.Kind, BackedFile)] = []
        let state = try PathOwner.run(at: places.stateDirectory) { try gatherState(&found) }
        try PathOwner.run(at: places.folder) { report.leftOut = try gatherSettings(&found) }
        report.leftOut += state.map { places.stateDirectory + "/" + $0 }
        report.leftOut += gatherCredentials(&found)
        guard found.reduce(0, { $0 + $1.1.octets.count }) <= BackupEntry.totalLimit else {
            throw BackupError.unfit("the files of the gateway have more than \(BackupEntry.totalLimit >> 20) MiB")
        }
        report.files = found.count
        return found
    }

    /// - Returns: Strange files.
    private func gatherState(_ found: inout [(BackupEntry.Kind, BackedFile)]) throws -> [String] {
        let inventory = try StateInventory(of: places.stateDirectory, journal: places.journal)
        for path in inventory.files {
            guard let file = try BackedFile.read(places.stateDirectory + "/" + path, follows: false) else { continue }
            found.append((.state(path), file))
        }
        return inventory.strange
    }

    /// - Returns: Credentials that cannot be read. Without root's rights this is their folder: its files are not known.
    private func gatherCredentials(_ found: inout [(BackupEntry.Kind, BackedFile)]) -> [String] {
        var unreadable: [String] = []
        for name in BackupPlaces.credentialNames.sorted() {
            let place = places.credentials + "/" + name
            do {
                guard let file = try BackedFile.read(place, follows: true) else { continue }
                found.append((.credential(name), file))
            } catch {
                if case .disk(_, let failure) = error, failure.code == EACCES { return [places.credentials] }
                unreadable.append(place)
            }
        }
        return unreadable
    }

    /// - Returns: Files of the configuration in other folders.
    private func gatherSettings(_ found: inout [(BackupEntry.Kind, BackedFile)]) throws -> [String] {
        var texts: [String] = []
        if let file = try BackedFile.read(places.configuration, follows: true) {
            found.append((.configuration, file))
            texts.append(String(decoding: file.octets, as: UTF8.self))
        }
        let beside = places.settings.beside
        for path in beside {
            guard let file = try BackedFile.read(places.folder + "/" + path, follows: true) else { continue }
            found.append((.beside(path), file))
            texts.append(String(decoding: file.octets, as: UTF8.self))
        }
        let (inside, outside) = places.settings.named(in: texts)
        for path in inside.subtracting(beside).sorted() {
            guard let file = try BackedFile.read(places.folder + "/" + path, follows: true) else { continue }
            found.append((.beside(path), file))
        }
        // Files of the state directory are in the backup anyway.
        return outside.filter { !$0.hasPrefix(places.stateDirectory + "/") }.sorted()
    }
}
