// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Glibc
import Synchronization

/// A disk whose power can be cut between any two steps. What was not waited for may then be there, or not, or in part: of
/// a file's octets nothing, some, all, or zeros in their place; of a folder's names any of the changes.
final class SimulatedDisk: SecretFileSystem {
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
        var removed: String?
        var added: (path: String, entry: Entry)?
    }

    private struct State {
        var contents: [Int: Content] = [:]
        var names: [String: Entry] = [:]
        var durableNames: [String: Entry] = [:]
        var pending: [String: [Change]] = [:]
        var steps = 0
        var powerEndsAfter = Int.max
    }

    private let state: Mutex<State>

    init() { state = Mutex(State()) }

    private init(_ state: sending State) { self.state = Mutex(state) }

    /// Steps that have been done.
    var steps: Int { state.withLock { $0.steps } }

    /// Files that are there now.
    var files: [String] {
        state.withLock { state in state.names.filter { $0.value != .folder }.map(\.key).sorted() }
    }

    func endPower(after steps: Int) { state.withLock { $0.powerEndsAfter = $0.steps + steps } }

    // MARK: After the power cut

    /// Every disk that may be found when the power is back.
    func disksAfterPowerCut() -> [SimulatedDisk] {
        state.withLock { state in
            var spaces = [state.durableNames]
            for folder in state.pending.keys.sorted() {
                let changes = state.pending[folder] ?? []
                spaces = spaces.flatMap { space in
                    (0..<(1 << changes.count)).map { choice in
                        var space = space
                        for (index, change) in changes.enumerated() where choice & (1 << index) != 0 {
                            if let removed = change.removed { space[removed] = nil }
                            if let added = change.added { space[added.path] = added.entry }
                        }
                        return space
                    }
                }
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
            return spaces.flatMap { space in shelves.map { SimulatedDisk(Self.found(space, $0)) } }
        }
    }

    private static func found(_ names: [String: Entry], _ contents: [Int: Content]) -> State {
        // What is in a folder whose own name is lost cannot be reached.
        let reachable = names.filter { path, _ in
            var path = path
            while let parent = parent(of: path) {
                guard names[parent] == .folder else { return false }
                path = parent
            }
            return true
        }
        return State(contents: contents, names: reachable, durableNames: reachable)
    }

    private static func parent(of path: String) -> String? {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return nil }
        return String(path[..<slash])
    }

    // MARK: The steps

    private func step<Result>(
        _ body: (inout State) throws(SecretFileError) -> Result
    ) throws(SecretFileError) -> Result {
        try state.withLock { state throws(SecretFileError) in
            guard state.steps < state.powerEndsAfter else { throw SecretFileError(step: "power", code: EIO) }
            state.steps += 1
            return try body(&state)
        }
    }

    private static func change(_ change: Change, in folder: String, _ state: inout State) {
        if let removed = change.removed { state.names[removed] = nil }
        if let added = change.added { state.names[added.path] = added.entry }
        state.pending[folder, default: []].append(change)
    }

    func makeDirectory(_ path: String) throws(SecretFileError) -> (isNew: Bool, wasWidened: Bool) {
        try step { state throws(SecretFileError) in
            if state.names[path] == .folder { return (false, false) }
            let parent = Self.parent(of: path) ?? "/"
            guard parent == "/" || state.names[parent] == .folder else {
                throw SecretFileError(step: "mkdir", code: ENOENT)
            }
            Self.change(Change(added: (path, .folder)), in: parent, &state)
            return (true, false)
        }
    }

    func synchronize(directory: String) throws(SecretFileError) {
        try step { state throws(SecretFileError) in
            for change in state.pending.removeValue(forKey: directory) ?? [] {
                if let removed = change.removed { state.durableNames[removed] = nil }
                if let added = change.added { state.durableNames[added.path] = added.entry }
            }
        }
    }

    func names(in directory: String) throws(SecretFileError) -> [String] {
        state.withLock { state in
            state.names.keys.filter { Self.parent(of: $0) == directory }.map {
                String($0.dropFirst(directory.count + 1))
            }
        }
    }

    func create(_ path: String) throws(SecretFileError) -> Int32 {
        try step { state throws(SecretFileError) in
            guard state.names[path] == nil else { throw SecretFileError(step: "open", code: EEXIST) }
            let number = state.contents.count + 1
            state.contents[number] = Content()
            Self.change(Change(added: (path, .file(number))), in: Self.parent(of: path) ?? "/", &state)
            return Int32(number)
        }
    }

    func write(_ octets: [UInt8], to descriptor: Int32) throws(SecretFileError) {
        try step { state throws(SecretFileError) in
            state.contents[Int(descriptor)]?.octets += octets
            state.contents[Int(descriptor)]?.isSynchronized = false
        }
    }

    func synchronize(_ descriptor: Int32) throws(SecretFileError) {
        try step { state throws(SecretFileError) in state.contents[Int(descriptor)]?.isSynchronized = true }
    }

    func close(_ descriptor: Int32) {}

    func rename(_ path: String, to other: String) throws(SecretFileError) {
        try step { state throws(SecretFileError) in
            guard let entry = state.names[path] else { throw SecretFileError(step: "rename", code: ENOENT) }
            Self.change(Change(removed: path, added: (other, entry)), in: Self.parent(of: other) ?? "/", &state)
        }
    }

    func remove(_ path: String) throws(SecretFileError) {
        try step { state throws(SecretFileError) in
            guard state.names[path] != nil else { return }
            Self.change(Change(removed: path), in: Self.parent(of: path) ?? "/", &state)
        }
    }

    func read(_ path: String, limit: Int) throws(SecretFileError) -> (octets: [UInt8], wasWidened: Bool)? {
        state.withLock { state in
            guard case .file(let number)? = state.names[path], let content = state.contents[number] else { return nil }
            return (content.octets, false)
        }
    }
}
