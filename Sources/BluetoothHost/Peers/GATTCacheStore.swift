// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import GATT
import Logging
import StateFiles
import Synchronization

/// Keeps the GATT caches of peers on disk, one file a peer. A lost file costs nothing but time.
package final class GATTCacheStore: Sendable {
    /// The number of kept peers. The file written longest ago goes first.
    package static let capacity = 512
    /// A larger file is not ours: a full cache has about 80 KiB.
    private static let fileLimit = 1 << 20
    /// Discoveries come in rows; the disk is written once for each row. A peer may change its services without end.
    private static let pace = WritePace(delay: .milliseconds(500), burst: 10, interval: .seconds(60))

    private struct State {
        /// At most ``capacity``.
        var pending: [DeviceAddress: GATTCacheChange] = [:]
        /// Peers with a file. The file written last is at the end.
        var order: [DeviceAddress] = []
    }

    private let state = Mutex(State())
    private let directory: String?
    /// The radio thread must not wait for the disk.
    private let writer = DiskWriter<DeviceAddress>(label: "martlet.caches", pace: GATTCacheStore.pace)
    private let logger: Logger

    /// `directory`: where the files are; nil keeps nothing.
    package init(directory: String?, logger: Logger) {
        self.directory = directory
        self.logger = logger
    }

    /// Reads all files in the background, and hands out each sound cache, newest first.
    package func load(_ body: @escaping @Sendable (DeviceAddress, GATTClientCache) -> Void) {
        guard let directory else { return }
        writer.runLater { [self] in
            let found = files(in: directory)
            state.withLock { $0.order = found }
            for address in found.dropLast(Self.capacity) { remove(address, from: directory) }
            for address in found.suffix(Self.capacity).reversed() {
                if let cache = read(address, in: directory) { body(address, cache) }
            }
        }
    }

    /// The cached services of one peer, for callers that cannot wait for ``load(_:)``; nil without a sound cache. Any
    /// thread.
    package func cache(of address: DeviceAddress) -> GATTClientCache? {
        guard let directory else { return nil }
        switch state.withLock({ $0.pending[address] }) {
        case .keep(let cache): return cache
        case .forget: return nil
        case nil: return try? decode(address, in: directory)
        }
    }

    /// Keeps soon, forgets at once. Any thread.
    package func record(_ changes: [DeviceAddress: GATTCacheChange]) {
        guard directory != nil else { return }
        for (address, change) in changes {
            let isTaken = state.withLock { state in
                // A full list refuses new caches, since a discovery can find them again. A removal is always noted.
                let isFull = state.pending[address] == nil && state.pending.count >= Self.capacity
                guard change == .forget || !isFull else { return false }
                state.pending[address] = change
                return true
            }
            // A wrong cache must not survive a crash. A right cache can be found again.
            if isTaken { writer.record(address, change == .forget ? .first : .later, save) }
        }
    }

    /// Waits until every noted change is on disk.
    package func finishSaving() { writer.finish(save) }

    // MARK: On the disk's thread

    private func save(_ address: DeviceAddress) {
        guard let directory, let change = state.withLock({ $0.pending.removeValue(forKey: address) }) else { return }
        switch change {
        case .keep(let cache): write(cache, of: address, to: directory)
        case .forget: remove(address, from: directory)
        }
        let excess = state.withLock { Array($0.order.dropLast(Self.capacity)) }
        for address in excess { remove(address, from: directory) }
    }

    private func write(_ cache: GATTClientCache, of address: DeviceAddress, to directory: String) {
        let path = path(of: address, in: directory)
        do {
            try StateFile.makeDirectory(directory)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            try StateFile.replace(path, with: try encoder.encode(cache), in: directory)
            state.withLock { state in
                state.order.removeAll { $0 == address }
                state.order.append(address)
            }
        } catch {
            logger.warning(
                "cannot save a peer's services",
                metadata: ["file": "\(path)", "error": "\(error.localizedDescription)"])
        }
    }

    private func read(_ address: DeviceAddress, in directory: String) -> GATTClientCache? {
        do {
            return try decode(address, in: directory)
        } catch {
            logger.warning(
                "cannot read a peer's saved services; the host discovers them again",
                metadata: ["file": "\(path(of: address, in: directory))", "error": "\(error)"])
            remove(address, from: directory)
            return nil
        }
    }

    private func decode(_ address: DeviceAddress, in directory: String) throws -> GATTClientCache {
        let path = path(of: address, in: directory)
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        guard size <= Self.fileLimit else { throw CocoaError(.fileReadTooLarge) }
        return try JSONDecoder().decode(GATTClientCache.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    private func remove(_ address: DeviceAddress, from directory: String) {
        // A missing file is as good as removed.
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

    /// `c47c8d001101-random.json`: a public address and a random address may share their digits.
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
