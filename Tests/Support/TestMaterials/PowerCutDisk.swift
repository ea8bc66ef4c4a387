// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A disk whose power can go between any two steps. Changes that no step has waited for may then be there, or not, or in part. The disk has
/// nothing, half, or all of a file's octets, or zeros in their place. It has any of the changes of a folder's names.
package final class PowerCutDisk: Sendable {
    package struct Failure: Error {
        package let step: String
        package let code: Int32
    }

    private enum Entry: Equatable {
        case folder
        case file(Int)
    }

    private struct Content {
        var octets: [UInt8] = []
        var isSynchronized = false
    }

    /// One change of names, which happens as a whole or not at all.
    private struct Change {
        /// Whose names they are.
        var folder: String
        var removed: [String] = []
        var added: (path: String, entry: Entry)?
    }

    private struct State {
        var contents: [Int: Content] = [:]
        var names: [String: Entry] = [:]
        var durable: [String: Entry] = [:]
        var pending: [Change] = []
        var steps = 0
        var powerEndsAfter = Int.max
    }

    /// True: folders are names, too, and a power cut may lose a folder with its content. False: every folder exists.
    private let hasFolders: Bool
    private let state: Mutex<State>

    package init(hasFolders: Bool) {
        self.hasFolders = hasFolders
        state = Mutex(State())
    }

    private init(_ names: [String: Entry], _ contents: [Int: Content], hasFolders: Bool) {
        self.hasFolders = hasFolders
        state = Mutex(State(contents: contents, names: names, durable: names))
    }

    /// The number of steps so far.
    package var steps: Int { state.withLock { $0.steps } }

    /// The present files.
    package var files: [String] {
        state.withLock { state in state.names.filter { $0.value != .folder }.map(\.key).sorted() }
    }

    package func endPower(after steps: Int) { state.withLock { $0.powerEndsAfter = $0.steps + steps } }

    /// Puts a durable file on the disk.
    package func put(_ octets: [UInt8], at path: String) {
        state.withLock { state in
            let number = state.contents.count + 1
            state.contents[number] = Content(octets: octets, isSynchronized: true)
            (state.names[path], state.durable[path]) = (.file(number), .file(number))
        }
    }

    // MARK: After the power cut

    /// Every possible disk after a power cut.
    package func disksAfterPowerCut() -> [PowerCutDisk] {
        state.withLock { state in
            let spaces = (0..<(1 << state.pending.count)).map { choice in
                var space = state.durable
                for (index, change) in state.pending.enumerated() where choice & (1 << index) != 0 {
                    for removed in change.removed { space[removed] = nil }
                    if let added = change.added { space[added.path] = added.entry }
                }
                return hasFolders ? Self.reachable(space) : space
            }
            var shelves = [state.contents]
            for (number, content) in state.contents.sorted(by: { $0.key < $1.key }) where !content.isSynchronized {
                let octets = content.octets
                let outcomes = [
                    [], Array(octets.prefix(octets.count / 2)), octets, [UInt8](repeating: 0, count: octets.count),
                ]
                shelves = shelves.flatMap { shelf in
                    outcomes.map { outcome in
                        var shelf = shelf
                        shelf[number] = Content(octets: outcome, isSynchronized: true)
                        return shelf
                    }
                }
            }
            return spaces.flatMap { space in shelves.map { PowerCutDisk(space, $0, hasFolders: hasFolders) } }
        }
    }

    /// Files in a folder without a name are unreachable.
    private static func reachable(_ names: [String: Entry]) -> [String: Entry] {
        names.filter { path, _ in
            var path = path
            while let parent = parent(of: path) {
                guard names[parent] == .folder else { return false }
                path = parent
            }
            return true
        }
    }

    private static func parent(of path: String) -> String? {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return nil }
        return String(path[..<slash])
    }

    // MARK: The steps

    private func step<Result>(_ body: (inout State) throws(Failure) -> Result) throws(Failure) -> Result {
        try state.withLock { state throws(Failure) in
            guard state.steps < state.powerEndsAfter else { throw Failure(step: "power", code: EIO) }
            state.steps += 1
            return try body(&state)
        }
    }

    private static func change(_ path: String, removed: [String] = [], added: Entry? = nil, _ state: inout State) {
        for name in removed { state.names[name] = nil }
        if let added { state.names[path] = added }
        state.pending.append(
            Change(folder: parent(of: path) ?? "/", removed: removed, added: added.map { (path, $0) }))
    }

    /// - Returns: Whether the folder is new.
    package func makeFolder(_ path: String) throws(Failure) -> Bool {
        try step { state throws(Failure) in
            if state.names[path] == .folder { return false }
            let parent = Self.parent(of: path) ?? "/"
            guard parent == "/" || state.names[parent] == .folder else { throw Failure(step: "mkdir", code: ENOENT) }
            Self.change(path, added: .folder, &state)
            return true
        }
    }

    /// Makes a new file, which replaces a file with the same name.
    ///
    /// - Parameter isExclusive: The name must be free.
    /// - Returns: The file's number.
    package func create(_ path: String, _ octets: [UInt8] = [], isExclusive: Bool) throws(Failure) -> Int {
        try step { state throws(Failure) in
            guard !isExclusive || state.names[path] == nil else { throw Failure(step: "open", code: EEXIST) }
            let number = state.contents.count + 1
            state.contents[number] = Content(octets: octets)
            Self.change(path, added: .file(number), &state)
            return number
        }
    }

    package func append(_ octets: [UInt8], to file: Int) throws(Failure) {
        try step { state throws(Failure) in
            state.contents[file]?.octets += octets
            state.contents[file]?.isSynchronized = false
        }
    }

    package func synchronize(file: Int) throws(Failure) {
        try step { state throws(Failure) in state.contents[file]?.isSynchronized = true }
    }

    package func synchronize(path: String) throws(Failure) {
        try step { state throws(Failure) in
            guard case .file(let number)? = state.names[path] else { throw Failure(step: "open", code: ENOENT) }
            state.contents[number]?.isSynchronized = true
        }
    }

    package func synchronize(folder: String) throws(Failure) {
        try step { state throws(Failure) in
            for change in state.pending where change.folder == folder {
                for removed in change.removed { state.durable[removed] = nil }
                if let added = change.added { state.durable[added.path] = added.entry }
            }
            state.pending.removeAll { $0.folder == folder }
        }
    }

    package func rename(_ path: String, to other: String) throws(Failure) {
        try step { state throws(Failure) in
            guard let entry = state.names[path] else { throw Failure(step: "rename", code: ENOENT) }
            Self.change(other, removed: [path], added: entry, &state)
        }
    }

    /// Nothing happens where nothing has the name.
    package func remove(_ path: String) throws(Failure) {
        try step { state throws(Failure) in
            if state.names[path] != nil { Self.change(path, removed: [path], &state) }
        }
    }

    /// Removes the name of a folder, so that all files in it become unreachable.
    package func removeAll(_ path: String) throws(Failure) {
        try step { state throws(Failure) in
            Self.change(path, removed: state.names.keys.filter { $0 == path || $0.hasPrefix(path + "/") }, &state)
        }
    }

    // MARK: Looking

    package func names(in folder: String) -> [String] {
        state.withLock { state in
            let below = state.names.keys.filter { $0.hasPrefix(folder + "/") }
            return Set(below.compactMap { $0.dropFirst(folder.count + 1).split(separator: "/").first.map(String.init) })
                .sorted()
        }
    }

    package func read(_ path: String) -> [UInt8]? {
        state.withLock { state in
            guard case .file(let number)? = state.names[path] else { return nil }
            return state.contents[number]?.octets
        }
    }
}
