// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Foundation
import GATT
import Logging
import Synchronization

/// Keeps what is known of servers on disk, one file a peer. Nothing but time is lost with a file.
package final class GATTCacheStore: Sendable {
    /// Peers that are kept; those that were not written for the longest time go first.
    package static let capacity = 512
    /// A larger file is not ours: a full cache has about 80 KiB.
    private static let fileLimit = 1 << 20
    /// Discoveries come in rows; the disk is written once for each row.
    private static let delay = DispatchTimeInterval.milliseconds(500)

    private struct State {
        var pending: [DeviceAddress: GATTCacheChange] = [:]
        var isScheduled = false
        /// Peers with a file, the one that was written last at the end.
        var order: [DeviceAddress] = []
    }

    private let state = Mutex(State())
    private let directory: String?
    /// The radio thread must not wait for the disk.
    private let disk = DispatchQueue(label: "martlet.caches")
    private let logger: Logger

    /// `directory`: where the files are; nil keeps nothing.
    package init(directory: String?, logger: Logger) {
        self.directory = directory
        self.logger = logger
    }

    /// Reads all files in the background and hands out what is sound, the newest first.
    package func load(_ body: @escaping @Sendable (DeviceAddress, GATTClientCache) -> Void) {
        guard let directory else { return }
        disk.async { [self] in
            let found = files(in: directory)
            state.withLock { $0.order = found }
            for address in found.dropLast(Self.capacity) { remove(address, from: directory) }
            for address in found.suffix(Self.capacity).reversed() {
                if let cache = read(address, in: directory) { body(address, cache) }
            }
        }
    }

    /// Keeps soon, forgets at once. Any thread.
    package func note(_ changes: [DeviceAddress: GATTCacheChange]) {
        guard directory != nil, !changes.isEmpty else { return }
        let isNew = state.withLock { state in
            state.pending.merge(changes) { _, new in new }
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        // What is wrong must not survive a crash; what is right can be found again.
        if changes.values.contains(.forget) { disk.async { [self] in save() } }
        if isNew { disk.asyncAfter(deadline: .now() + Self.delay) { [self] in save() } }
    }

    /// Waits until everything that was noted is on disk.
    package func finishSaving() { disk.sync { save() } }

    // MARK: On the disk's queue

    private func save() {
        guard let directory else { return }
        let changes = state.withLock { state in
            defer { (state.pending, state.isScheduled) = ([:], false) }
            return state.pending
        }
        for (address, change) in changes {
            switch change {
            case .keep(let cache): write(cache, of: address, to: directory)
            case .forget: remove(address, from: directory)
            }
        }
        let excess = state.withLock { Array($0.order.dropLast(Self.capacity)) }
        for address in excess { remove(address, from: directory) }
    }

    private func write(_ cache: GATTClientCache, of address: DeviceAddress, to directory: String) {
        let path = path(of: address, in: directory)
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            try encoder.encode(cache).write(to: URL(fileURLWithPath: path), options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            state.withLock { state in
                state.order.removeAll { $0 == address }
                state.order.append(address)
            }
        } catch {
            logger.warning(
                "what is known of a peer's services cannot be saved",
                metadata: ["file": "\(path)", "error": "\(error.localizedDescription)"])
        }
    }

    private func read(_ address: DeviceAddress, in directory: String) -> GATTClientCache? {
        let path = path(of: address, in: directory)
        do {
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
            guard size <= Self.fileLimit else { throw CocoaError(.fileReadTooLarge) }
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            return try JSONDecoder().decode(GATTClientCache.self, from: data)
        } catch {
            logger.warning(
                "what was known of a peer's services cannot be read; it will be discovered again",
                metadata: ["file": "\(path)", "error": "\(error)"])
            remove(address, from: directory)
            return nil
        }
    }

    private func remove(_ address: DeviceAddress, from directory: String) {
        // A file that is not there is as good as removed.
        try? FileManager.default.removeItem(atPath: path(of: address, in: directory))
        state.withLock { state in state.order.removeAll { $0 == address } }
    }

    /// Peers with a file, the oldest first.
    private func files(in directory: String) -> [DeviceAddress] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        let dated = names.compactMap { name -> (address: DeviceAddress, date: Date)? in
            guard let address = Self.address(ofFile: name) else { return nil }
            let attributes = try? FileManager.default.attributesOfItem(atPath: directory + "/" + name)
            return (address, attributes?[.modificationDate] as? Date ?? .distantPast)
        }
        return dated.sorted { $0.date < $1.date }.map(\.address)
    }

    // MARK: Names

    /// `c47c8d001101-random.json`: the same digits may be a public address and a random one.
    private func path(of address: DeviceAddress, in directory: String) -> String {
        directory + "/" + address.compact + (address.kind == .public ? "-public.json" : "-random.json")
    }

    private static func address(ofFile name: String) -> DeviceAddress? {
        for (ending, kind) in [("-public.json", DeviceAddress.Kind.public), ("-random.json", .random)]
        where name.hasSuffix(ending) {
            return DeviceAddress(String(name.dropLast(ending.count)), kind: kind)
        }
        return nil
    }
}
