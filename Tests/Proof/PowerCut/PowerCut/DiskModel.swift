// SPDX-License-Identifier: Apache-2.0

/// A folder from the disk's view: the durable state, and later changes, which may or may not have happened.
///
/// Only synced changes are durable. The model assumes no order between writes, between files, or between a file and its name.
/// The one promise of the disk is SQLite's "powersafe overwrite": an interrupted write changes no octet outside its own range.
package struct DiskModel: Sendable {
    fileprivate enum Change: Sendable {
        case write(offset: Int, octets: [UInt8])
        case truncate(size: Int)
    }

    private struct File: Sendable {
        var durable: [UInt8] = []
        var pending: [Change] = []
    }

    /// The unit that a disk writes as a whole, or not at all.
    static let sector = 512

    private var files: [File] = []
    private var names: [String: Int] = [:]
    /// Changes of names from one call happen as a whole.
    private var pendingNames: [NameChange] = []
    /// A folder is a file without content.
    private var folders: Set<Int> = []

    private struct NameChange: Sendable {
        /// nil when the name is removed.
        var files: [String: Int?]
    }

    /// - Parameter files: The durable files at the beginning, folders included.
    package init(files: [String: [UInt8]] = [:]) {
        for folder in Set(files.keys.map(Self.folder)).sorted() where !folder.isEmpty {
            names[folder] = self.files.count
            folders.insert(self.files.count)
            self.files.append(File())
        }
        for (name, octets) in files {
            names[name] = self.files.count
            self.files.append(File(durable: octets))
        }
    }

    private func file(_ name: String) -> Int? {
        for change in pendingNames.reversed() {
            if let file = change.files[name] { return file }
        }
        return names[name]
    }

    package mutating func apply(_ operation: DiskOperation) {
        switch operation {
        case .open(let name):
            guard file(name) == nil else { return }
            pendingNames.append(NameChange(files: [name: files.count]))
            files.append(File())
        case .write(let name, let offset, let octets):
            guard let file = file(name) else { return }
            files[file].pending.append(.write(offset: offset, octets: octets))
        case .truncate(let name, let size):
            guard let file = file(name) else { return }
            files[file].pending.append(.truncate(size: size))
        case .sync(let name):
            guard let file = file(name) else { return }
            for change in files[file].pending { change.happen(to: &files[file].durable) }
            files[file].pending = []
        case .syncFolder(let folder):
            var rest: [NameChange] = []
            // If a name also changes in another folder, the earlier changes of that folder come first.
            var wanted = Set(pendingNames.flatMap(\.files.keys).filter { Self.folder(of: $0) == folder })
            for change in pendingNames.reversed() where !wanted.isDisjoint(with: change.files.keys) {
                wanted.formUnion(change.files.keys)
            }
            for change in pendingNames {
                if wanted.isDisjoint(with: change.files.keys) {
                    rest.append(change)
                } else {
                    for (name, file) in change.files { names[name] = file }
                }
            }
            pendingNames = rest
        case .delete(let name):
            pendingNames.append(NameChange(files: [name: nil]))
        case .rename(let old, let new):
            guard let file = file(old) else { return }
            pendingNames.append(NameChange(files: [old: nil, new: file]))
        case .makeFolder(let name):
            guard file(name) == nil else { return }
            pendingNames.append(NameChange(files: [name: files.count]))
            folders.insert(files.count)
            files.append(File())
        }
    }

    static func folder(of name: String) -> String {
        name.lastIndex(of: "/").map { String(name[..<$0]) } ?? ""
    }

    /// Whether a folder is to be made, and has not been.
    private func isMissing(_ folder: String, _ ends: [String: Int]) -> Bool {
        pendingNames.indices.contains { place in
            if case .some(.some(let file)) = pendingNames[place].files[folder] {
                folders.contains(file) && ends[folder, default: 0] <= place
            } else {
                false
            }
        }
    }

    /// The pending changes of names that have happened: a prefix for each name, and both or neither for a change of two names.
    private func happened(_ survival: Survival, _ dice: inout Dice) -> [NameChange] {
        var ends: [String: Int] = [:]
        for name in Set(pendingNames.flatMap(\.files.keys)).sorted() {
            let places = pendingNames.indices.filter { pendingNames[$0].files[name] != nil }
            let count = survival.names(of: places.count, &dice)
            ends[name] = count < places.count ? places[count] : pendingNames.count
        }
        // A change that is undone for one name is undone for the other name, with all later changes.
        var isSettled = false
        while !isSettled {
            isSettled = true
            for (place, change) in pendingNames.enumerated() {
                let isUndone = change.files.keys.contains { name in
                    ends[name, default: 0] <= place || isMissing(Self.folder(of: name), ends)
                }
                guard isUndone else { continue }
                for name in change.files.keys where ends[name, default: 0] > place {
                    ends[name] = place
                    isSettled = false
                }
            }
        }
        return pendingNames.enumerated().filter { place, change in
            change.files.keys.allSatisfy { ends[$0, default: 0] > place }
        }.map(\.element)
    }

    /// The image after a cut: all durable changes, and those later changes that `survival` and the dice select.
    package func image(_ survival: Survival, _ dice: inout Dice) -> [String: [UInt8]] {
        var found = names
        // A file system keeps the order of one name's changes.
        for change in happened(survival, &dice) {
            for (name, file) in change.files { found[name] = file }
        }
        // A file is lost with its folder.
        found = found.filter { name, file in
            let folder = Self.folder(of: name)
            return !folders.contains(file) && (folder.isEmpty || found[folder].map(folders.contains) ?? false)
        }
        var image: [String: [UInt8]] = [:]
        for (name, file) in found.sorted(by: { $0.key < $1.key }) {
            image[name] = content(of: files[file], survival, &dice)
        }
        return image
    }

    private func content(of file: File, _ survival: Survival, _ dice: inout Dice) -> [UInt8] {
        var octets = file.durable
        let fate = survival.fate(of: file.pending.count, &dice)
        for (index, change) in file.pending.enumerated() {
            switch change {
            case .truncate:
                if fate.persists(index, &dice) { change.happen(to: &octets) }
            case .write(let offset, let written):
                var start = 0
                while start < written.count {
                    let end = min(written.count, start + Self.sector - (offset + start) % Self.sector)
                    let piece = Change.write(offset: offset + start, octets: Array(written[start..<end]))
                    if fate.persists(index, &dice) {
                        piece.happen(to: &octets)
                    } else {
                        fate.leave(count: end - start, at: offset + start, in: &octets, &dice)
                    }
                    start = end
                }
            }
        }
        return octets
    }
}

extension DiskModel.Change {
    fileprivate func happen(to octets: inout [UInt8]) {
        switch self {
        case .truncate(let size):
            if size < octets.count {
                octets.removeLast(octets.count - size)
            } else {
                octets += [UInt8](repeating: 0, count: size - octets.count)
            }
        case .write(let offset, let written):
            if offset + written.count > octets.count {
                octets += [UInt8](repeating: 0, count: offset + written.count - octets.count)
            }
            octets.replaceSubrange(offset..<offset + written.count, with: written)
        }
    }
}
