// SPDX-License-Identifier: Apache-2.0

import Configuration
import Foundation
import Glibc
import Platform
import StateFiles

/// The configuration of people in a restore, and the credentials: each file is written beside its place first, so that
/// only renames are left after the decision.
struct SettingsRestore {
    /// Configuration files that the backup does not have are kept under this ending.
    static let asideEnding = ".before-restore"

    private let places: BackupPlaces
    private let files: any StateFileSystem
    /// The files of the backup, by their places.
    private var found: [(place: String, file: BackedFile)] = []
    private var texts: [String] = []
    private var beside: Set<String> = []

    init(_ places: BackupPlaces, on files: any StateFileSystem) { (self.places, self.files) = (places, files) }

    mutating func add(_ kind: BackupEntry.Kind, _ file: BackedFile) {
        switch kind {
        case .configuration:
            found.append((places.configuration, file))
            texts.append(String(decoding: file.octets, as: UTF8.self))
        case .beside(let path):
            found.append((places.folder + "/" + path, file))
            beside.insert(path)
            if ConfigurationFiles.belongs(path) { texts.append(String(decoding: file.octets, as: UTF8.self)) }
        case .credential(let name): found.append((places.credentials + "/" + name, file))
        case .manifest, .journal, .state: break
        }
    }

    /// Refuses a backup with files that are no part of its configuration: beside a configuration may lie anything.
    private func check() throws(BackupError) {
        let named = places.settings.named(in: texts).inside
        if let strange = beside.first(where: { !ConfigurationFiles.belongs($0) && !named.contains($0) }) {
            throw .damaged("its configuration does not name its file \(strange)")
        }
    }

    /// Writes all files beside their places.
    func stage() throws {
        try check()
        for (place, file) in found {
            try PathOwner.run(at: existingFolder(of: place)) { try stage(file, for: place) }
        }
    }

    /// Removes the files of ``stage()``.
    func clear() {
        for (place, _) in found {
            try? PathOwner.run(at: existingFolder(of: place)) { try files.remove(place + PendingRestore.ending) }
        }
    }

    /// Puts the files in their places.
    ///
    /// - Returns: Former configuration files that were put aside, by their new names.
    func apply() throws -> [String] {
        var aside: [String] = []
        try PathOwner.run(at: places.folder) {
            for path in places.settings.beside where !beside.contains(path) {
                let place = places.folder + "/" + path
                try atFile(place) { () throws(StateFileError) in
                    try StateFile.move(place, to: place + Self.asideEnding, on: files)
                }
                aside.append(place + Self.asideEnding)
            }
        }
        for (place, _) in found {
            let folder = (place as NSString).deletingLastPathComponent
            try PathOwner.run(at: folder) {
                try atFile(place) { () throws(StateFileError) in
                    try StateFile.move(place + PendingRestore.ending, to: place, on: files)
                }
            }
        }
        return aside
    }

    /// The nearest folder above a place that exists.
    private func existingFolder(of place: String) -> String {
        var folder = (place as NSString).deletingLastPathComponent
        while !folder.isEmpty, folder != "/", access(folder, F_OK) != 0 {
            folder = (folder as NSString).deletingLastPathComponent
        }
        return folder.isEmpty ? "." : folder
    }

    private func stage(_ file: BackedFile, for place: String) throws(BackupError) {
        let folder = (place as NSString).deletingLastPathComponent
        try atFile(place + PendingRestore.ending) { () throws(StateFileError) in
            try makeFolder(folder)
            let draft = try StateFileDraft(
                of: place, in: folder.isEmpty ? "." : folder, ending: PendingRestore.ending, on: files)
            do throws(StateFileError) {
                // The gateway's user has to read the file, as it reads the present one, or others of the folder.
                try draft.setOwner(like: access(place, F_OK) == 0 ? place : folder.isEmpty ? "." : folder)
                try draft.setMode(mode_t(file.mode) & 0o644 | 0o600)
                try draft.write(file.octets)
            } catch {
                draft.discard()
                throw error
            }
            try draft.seal()
        }
    }

    /// Makes a missing folder with the owner and the rights of the folder above.
    private func makeFolder(_ folder: String) throws(StateFileError) {
        guard !folder.isEmpty, access(folder, F_OK) != 0 else { return }
        let parent = (folder as NSString).deletingLastPathComponent
        try makeFolder(parent)
        try SystemConfigurationDisk().makeFolder(folder)
        var information = stat()
        guard stat(parent.isEmpty ? "." : parent, &information) == 0 else { return }
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw StateFileError(step: "open folder", code: errno) }
        defer { close(descriptor) }
        if geteuid() == 0 { fchown(descriptor, information.st_uid, information.st_gid) }
        try files.setMode(information.st_mode & 0o750 | 0o700, of: descriptor)
    }
}
