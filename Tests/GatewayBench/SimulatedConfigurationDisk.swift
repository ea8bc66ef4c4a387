// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

@testable import Gateway

/// A disk whose power can be cut between any two steps. What was not waited for may then be there, or not: of a file's
/// octets nothing, half, all, or zeros in their place; of a folder's names any of the changes.
final class SimulatedConfigurationDisk: ConfigurationDisk {
    private struct Content {
        var octets: [UInt8] = []
        var isSynchronized = false
    }

    /// One change of names, which happens as a whole or not at all.
    private struct Change {
        /// Whose names they are.
        var folder: Substring
        var removed: [String] = []
        var added: (path: String, number: Int)?
    }

    private struct State {
        var contents: [Int: Content] = [:]
        var names: [String: Int] = [:]
        var durable: [String: Int] = [:]
        var pending: [Change] = []
        var steps = 0
        var powerEndsAfter = Int.max
    }

    private let state: Mutex<State>

    init() { state = Mutex(State()) }

    private init(names: [String: Int], contents: [Int: Content]) {
        state = Mutex(State(contents: contents, names: names, durable: names))
    }

    var steps: Int { state.withLock { $0.steps } }
    var files: [String] { state.withLock { $0.names.keys.sorted() } }

    func endPower(after steps: Int) { state.withLock { $0.powerEndsAfter = $0.steps + steps } }

    func put(_ octets: [UInt8], at path: String) {
        state.withLock { state in
            let number = state.contents.count + 1
            state.contents[number] = Content(octets: octets, isSynchronized: true)
            (state.names[path], state.durable[path]) = (number, number)
        }
    }

    /// Every disk that may be found when the power is back.
    func disksAfterPowerCut() -> [SimulatedConfigurationDisk] {
        state.withLock { state in
            var spaces: [[String: Int]] = []
            for choice in 0..<(1 << state.pending.count) {
                var space = state.durable
                for (index, change) in state.pending.enumerated() where choice & (1 << index) != 0 {
                    for removed in change.removed { space[removed] = nil }
                    if let added = change.added { space[added.path] = added.number }
                }
                spaces.append(space)
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
            return spaces.flatMap { space in
                shelves.map { SimulatedConfigurationDisk(names: space, contents: $0) }
            }
        }
    }

    // MARK: The steps

    private func step<Result>(
        _ body: (inout State) throws(ConfigurationDiskError) -> Result
    ) throws(ConfigurationDiskError) -> Result {
        try state.withLock { state throws(ConfigurationDiskError) in
            guard state.steps < state.powerEndsAfter else { throw ConfigurationDiskError(step: "power", code: EIO) }
            state.steps += 1
            return try body(&state)
        }
    }

    private static func change(_ change: Change, _ state: inout State) {
        for removed in change.removed { state.names[removed] = nil }
        if let added = change.added { state.names[added.path] = added.number }
        state.pending.append(change)
    }

    private static func folder(of path: String) -> Substring { path[..<(path.lastIndex(of: "/") ?? path.startIndex)] }

    func makeFolder(_ path: String) throws(ConfigurationDiskError) {}

    func names(in folder: String) throws(ConfigurationDiskError) -> [String] {
        state.withLock { state in
            let below = state.names.keys.filter { $0.hasPrefix(folder + "/") }
            return Set(below.compactMap { $0.dropFirst(folder.count + 1).split(separator: "/").first.map(String.init) })
                .sorted()
        }
    }

    func read(_ path: String, limit: Int) throws(ConfigurationDiskError) -> [UInt8]? {
        state.withLock { state in state.names[path].flatMap { state.contents[$0]?.octets } }
    }

    func write(_ octets: [UInt8], to path: String) throws(ConfigurationDiskError) {
        try step { state throws(ConfigurationDiskError) in
            let number = state.contents.count + 1
            state.contents[number] = Content(octets: octets)
            Self.change(Change(folder: Self.folder(of: path), added: (path, number)), &state)
        }
    }

    func synchronize(_ path: String) throws(ConfigurationDiskError) {
        try step { state throws(ConfigurationDiskError) in
            guard let number = state.names[path] else { throw ConfigurationDiskError(step: "open", code: ENOENT) }
            state.contents[number]?.isSynchronized = true
        }
    }

    func synchronize(folder: String) throws(ConfigurationDiskError) {
        try step { state throws(ConfigurationDiskError) in
            var left: [Change] = []
            for change in state.pending {
                guard change.folder == folder else {
                    left.append(change)
                    continue
                }
                for removed in change.removed { state.durable[removed] = nil }
                if let added = change.added { state.durable[added.path] = added.number }
            }
            state.pending = left
        }
    }

    func rename(_ path: String, to other: String) throws(ConfigurationDiskError) {
        try step { state throws(ConfigurationDiskError) in
            guard let number = state.names[path] else { throw ConfigurationDiskError(step: "rename", code: ENOENT) }
            Self.change(Change(folder: Self.folder(of: other), removed: [path], added: (other, number)), &state)
        }
    }

    func remove(_ path: String) throws(ConfigurationDiskError) {
        try step { state throws(ConfigurationDiskError) in
            if state.names[path] != nil { Self.change(Change(folder: Self.folder(of: path), removed: [path]), &state) }
        }
    }

    func removeAll(_ path: String) throws(ConfigurationDiskError) {
        try step { state throws(ConfigurationDiskError) in
            // What is below a folder cannot be reached without its name.
            let gone = state.names.keys.filter { $0 == path || $0.hasPrefix(path + "/") }
            Self.change(Change(folder: Self.folder(of: path), removed: Array(gone)), &state)
        }
    }
}
