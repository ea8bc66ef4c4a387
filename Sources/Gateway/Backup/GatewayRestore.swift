// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Configuration
import Foundation
import Glibc
import Journal
import Platform
import Readings
import StateFiles

/// Makes this machine the gateway of a backup.
///
/// Everything is read, checked and written beside the present files first. A damaged backup, a wrong passphrase and a full
/// disk so leave the present gateway as it is. No gateway may run meanwhile: the restore takes the journal's lock.
package final class GatewayRestore {
    /// The present gateway of this machine.
    package struct Present: Equatable, Sendable {
        package var gateway: String?
        /// Files of its state.
        package var files: Int
        /// Waiting readings.
        package var rows: Int

        package var isInUse: Bool { files > 0 || rows > 0 }
    }

    package struct Report: Equatable, Sendable {
        package var gateway: String
        /// Files put in their places, without the journal.
        package var files = 0
        /// Waiting readings.
        package var rows = 0
        /// The next reading's number is above this number.
        package var number: Int64 = 0
        /// Files of bonds.
        package var bonds = 0
        /// Former configuration files without a successor in the backup, by their new names.
        package var aside: [String] = []
    }

    package let manifest: BackupManifest
    private let places: BackupPlaces
    private let files: any StateFileSystem
    private var stream: BackupOpener
    private let descriptor: Int32
    private var pending: PendingRestore {
        PendingRestore(stateDirectory: places.stateDirectory, journal: places.journal, on: files)
    }

    /// Opens a backup, and reads the manifest.
    package init(
        _ path: String, passphrase: Secret, at places: BackupPlaces, on files: any StateFileSystem = DiskFileSystem()
    ) throws(BackupError) {
        (self.places, self.files) = (places, files)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw .disk(path: path, StateFileError(step: "open", code: errno)) }
        do throws(BackupError) {
            var first: [UInt8] = []
            while first.count < BackupHeader.length {
                let more = try BackedFile.next(descriptor, path, limit: BackupHeader.length - first.count)
                guard !more.isEmpty else { break }
                first += more
            }
            let header = try BackupHeader(first)
            let key = try header.key(of: passphrase)
            var stream = BackupOpener(header, key: key) { limit throws(BackupError) in
                try BackedFile.next(descriptor, path, limit: limit)
            }
            let entry = try BackupEntry.read(&stream)
            guard let entry, entry.kind == .manifest, entry.size <= BackupEntry.limit,
                case let json = Data(try stream.take(entry.size)),
                let manifest = try? JSONDecoder().decode(BackupManifest.self, from: json),
                identifierComplaint(manifest.gateway) == nil
            else { throw .damaged("it does not begin with its manifest") }
            (self.manifest, self.stream, self.descriptor) = (manifest, stream, descriptor)
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { close(descriptor) }

    /// The present gateway of this machine.
    package func present() throws -> Present {
        let (identity, count) = try PathOwner.run(at: places.stateDirectory) {
            let kept = GatewayName(stateDirectory: places.stateDirectory).read()
            let name: String? = if case .identity(let identity) = kept { identity.name } else { nil }
            return (name, try StateInventory(of: places.stateDirectory, journal: places.journal).files.count)
        }
        let rows = try PathOwner.run(at: journalFolder) { JournalCopy.content(of: places.journal)?.rows }
        return Present(gateway: identity, files: count, rows: rows ?? 0)
    }

    /// Replaces the present gateway. Can be called once.
    ///
    /// - Parameter now: Milliseconds since 1970.
    package func run(now: Int64) throws -> Report {
        try check()
        let hold = try PathOwner.run(at: journalFolder) {
            try withJournal { () throws(JournalError) in try JournalHold(path: places.journal) }
        }
        defer { hold.release() }
        // A restore that a power cut has interrupted comes first: its numbers count.
        if pending.isThere { try PathOwner.run(at: places.stateDirectory) { try pending.finish(hold) } }
        let number = try number(hold, now)
        var settings = SettingsRestore(places, on: files)
        let plan: PendingRestore.Plan
        var report: Report
        do {
            (report, plan) = try stage(&settings, above: number)
            try settings.stage()
            try PathOwner.run(at: places.stateDirectory) { try pending.decide(plan) }
        } catch {
            settings.clear()
            try? PathOwner.run(at: places.stateDirectory) { try pending.clear() }
            throw error
        }
        report.aside = try settings.apply()
        try PathOwner.run(at: places.stateDirectory) { try pending.finish(hold) }
        return report
    }

    private var journalFolder: String { (places.journal as NSString).deletingLastPathComponent }

    private func check() throws(BackupError) {
        guard manifest.stateDirectory == places.stateDirectory, manifest.journal == places.journal else {
            throw .unfit(
                "its gateway has other places than this one. Write them into \(places.configuration) first: "
                    + "state_directory = \(quoted(manifest.stateDirectory)) below [bluetooth], and "
                    + "path = \(quoted(manifest.journal)) below [journal]")
        }
    }

    /// A number above all numbers of the backup's gateway, also of the time after the backup: see docs/backup.md.
    private func number(_ hold: JournalHold, _ now: Int64) throws -> Int64 {
        let here = try PathOwner.run(at: journalFolder) { JournalCopy.content(of: places.journal)?.greatest ?? 0 }
        let used = max(manifest.greatest, hold.greatest, here)
        guard manifest.greatest >= 0 else { throw BackupError.damaged("it has the number \(manifest.greatest)") }
        return try NumberLeap.number(above: used, at: now, manifest.madeMs)
    }

    // MARK: - Reading

    private func stage(
        _ settings: inout SettingsRestore, above number: Int64
    ) throws -> (Report, PendingRestore.Plan) {
        let state = places.stateDirectory
        try PathOwner.run(at: state) {
            if access(state, F_OK) != 0 {
                try atFile(state) { () throws(StateFileError) in try StateFile.makeDirectory(state, on: files) }
            }
            try pending.clear()
        }
        var report = Report(gateway: manifest.gateway, number: number)
        var plan = PendingRestore.Plan(files: [], number: number, rows: 0)
        var identity = manifest.isNamed ? nil : GatewayIdentity(manifest.gateway, on: MachineMarks())
        var rest = BackupEntry.totalLimit
        var hasJournal = false
        var names: Set<String> = []
        while let entry = try BackupEntry.read(&stream) {
            guard let kind = entry.kind, isExpected(kind) else {
                throw BackupError.damaged("an entry is in a strange place")
            }
            guard names.insert(entry.name).inserted else { throw BackupError.damaged("an entry is in it twice") }
            guard names.count <= StateInventory.maximumEntries else {
                throw BackupError.damaged("it has more than \(StateInventory.maximumEntries) files")
            }
            guard kind != .journal else {
                hasJournal = true
                try PathOwner.run(at: journalFolder) { try stageJournal(entry.size) }
                continue
            }
            rest -= min(entry.size, rest + 1)
            guard entry.size <= BackupEntry.fileLimit, rest >= 0 else {
                throw BackupError.damaged("an entry is too long")
            }
            let file = BackedFile(octets: try stream.take(entry.size), mode: entry.mode)
            report.files += 1
            guard case .state(let path) = kind else {
                settings.add(kind, file)
                continue
            }
            if path == GatewayName.fileName {
                identity = GatewayIdentity(String(decoding: file.octets, as: UTF8.self)) ?? identity
                continue
            }
            if path.hasPrefix("bonds/") { report.bonds += 1 }
            plan.files.append(path)
            try PathOwner.run(at: state) { try pending.stage(path, file) }
        }
        // The same gateway on this machine: its next start must not take it for a copy.
        identity?.moves(to: MachineMarks(places.machine))
        if let identity {
            plan.files.append(GatewayName.fileName)
            let file = BackedFile(octets: Array(identity.text.utf8), mode: 0o644)
            try PathOwner.run(at: state) { try pending.stage(GatewayName.fileName, file) }
        }
        try PathOwner.run(at: journalFolder) {
            if !hasJournal { try stageJournal(0) }
            (report.rows, plan.rows) = try withJournal { () throws(JournalError) in
                try JournalCopy.prepare(pending.journalDraft, above: number)
            }
        }
        return (report, plan)
    }

    /// Whether a backup has an entry of this kind behind its manifest.
    private func isExpected(_ kind: BackupEntry.Kind) -> Bool {
        switch kind {
        case .manifest: false
        // This file has an entry of its own.
        case .beside(let path): path != (places.configuration as NSString).lastPathComponent
        case .state(let path): StateInventory.lists(path, in: places.stateDirectory, journal: places.journal)
        case .journal, .configuration, .credential: true
        }
    }

    private func stageJournal(_ size: Int) throws {
        let path = pending.journalDraft
        let draft = try atFile(path) { () throws(StateFileError) in
            try StateFileDraft(of: places.journal, in: journalFolder, ending: PendingRestore.ending, on: files)
        }
        do {
            var rest = size
            while rest > 0 {
                guard let more = try stream.next(min(rest, BackupChunk.length)) else {
                    throw BackupError.damaged("it ends within the journal")
                }
                try atFile(path) { () throws(StateFileError) in try draft.write(more) }
                rest -= more.count
            }
        } catch {
            draft.discard()
            throw error
        }
        try atFile(path) { () throws(StateFileError) in try draft.seal() }
    }
}
