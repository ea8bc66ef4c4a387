// SPDX-License-Identifier: Apache-2.0

/// A folder as a disk knows it: what is durable, and what was asked for since and may or may not have happened.
///
/// Durable is what was synced, and nothing else: no order between writes, between files, or between a file and its name
/// is taken for granted. The one promise of the disk is SQLite's "powersafe overwrite": a write that the cut hits changes
/// no octet beside those that it was to write.
package struct DiskModel: Sendable {
    fileprivate enum Change: Sendable {
        case write(offset: Int, octets: [UInt8])
        case truncate(size: Int)
    }

    private struct File: Sendable {
        var durable: [UInt8] = []
        var pending: [Change] = []
    }

    /// What a disk writes at once, or not at all.
    static let sector = 512

    private var files: [File] = []
    private var names: [String: Int] = [:]
    /// nil when the name was removed.
    private var pendingNames: [(name: String, file: Int?)] = []

    /// - Parameter files: what is durable in the beginning.
    package init(files: [String: [UInt8]] = [:]) {
        for (name, octets) in files {
            names[name] = self.files.count
            self.files.append(File(durable: octets))
        }
    }

    private func file(_ name: String) -> Int? {
        if let change = pendingNames.last(where: { $0.name == name }) { return change.file }
        return names[name]
    }

    package mutating func apply(_ operation: DiskOperation) {
        switch operation {
        case .open(let name):
            guard file(name) == nil else { return }
            pendingNames.append((name, files.count))
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
        case .syncFolder:
            for change in pendingNames { names[change.name] = change.file }
            pendingNames = []
        case .delete(let name):
            pendingNames.append((name, nil))
        }
    }

    /// What is found after a cut: everything durable, and of the rest what `survival` and the dice say.
    package func image(_ survival: Survival, _ dice: inout Dice) -> [String: [UInt8]] {
        var found = names
        // A file system keeps the order of what happens to one name.
        for name in Set(pendingNames.map(\.name)).sorted() {
            let changes = pendingNames.filter { $0.name == name }
            guard let last = changes.prefix(survival.names(of: changes.count, &dice)).last else { continue }
            found[name] = last.file
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
                octets.append(contentsOf: repeatElement(0, count: size - octets.count))
            }
        case .write(let offset, let written):
            if offset + written.count > octets.count {
                octets.append(contentsOf: repeatElement(0, count: offset + written.count - octets.count))
            }
            octets.replaceSubrange(offset..<offset + written.count, with: written)
        }
    }
}
