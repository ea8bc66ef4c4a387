// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import Logging
import StateFiles
import Synchronization

/// Keeps the state of one manager for the run after a crash, a kill or a power cut: a file for each restore identifier,
/// written anew at each change, in the order of the changes, and removed when the application releases the manager.
final class RestorationStore<Snapshot: Codable & Equatable & Sendable>: Sendable {
    private struct State {
        var last: Snapshot?
        /// The newest snapshot that waits for the disk; it replaces an older snapshot that still waits.
        var pending: Snapshot?
        var isFrozen = false
    }

    private let directory: String
    private let path: String
    private let logger: Logger
    /// A snapshot names peers by their identifiers, which have to be on disk before it.
    private let peers: PeerDirectory
    private let writer = DiskWriter<String>(label: "martlet.restoration", pace: RestorationPace.pace)
    /// Locked from the making of a snapshot until it is noted, so that an older snapshot never follows a newer one.
    private let order = Mutex(())
    private let state = Mutex(State())

    /// `identifier`: the application's identifier; any text.
    init(directory: String, role: String, identifier: String, peers: PeerDirectory, logger: Logger) {
        let name = Data(identifier.utf8).map { octet in
            let scalar = Unicode.Scalar(octet)
            return CharacterSet.alphanumerics.contains(scalar) && octet < 128
                ? String(scalar) : String(format: "%%%02X", octet)
        }
        // File names end at 255 octets.
        self.directory = "\(directory)/restoration"
        path = "\(self.directory)/\(role)-\(name.joined().prefix(200)).json"
        self.peers = peers
        self.logger = logger
    }

    /// The kept snapshot; nil without a snapshot, or with an invalid one.
    func load() -> Snapshot? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        do {
            let snapshot = try JSONDecoder().decode(Snapshot.self, from: data)
            state.withLock { $0.last = snapshot }
            return snapshot
        } catch {
            logger.warning(
                "preserved state cannot be read; it begins anew",
                metadata: ["file": "\(path)", "error": "\(error.localizedDescription)"])
            return nil
        }
    }

    /// Replaces the kept snapshot by the result of `make`; nil changes nothing. Any thread.
    ///
    /// - Parameter isNarrower: the new snapshot has less in it, and a crash must not bring the rest back: the call
    ///   returns when the snapshot is on disk. Otherwise the call returns at once.
    func save(isNarrower: Bool = false, _ make: () -> Snapshot?) {
        order.withLock { _ in if let snapshot = make() { record(snapshot) } }
        if isNarrower { writer.finish(write) }
    }

    private func record(_ snapshot: Snapshot) {
        let isNew = state.withLock { state in
            guard !state.isFrozen, state.last != snapshot else { return false }
            state.last = snapshot
            defer { state.pending = snapshot }
            return state.pending == nil
        }
        if isNew { writer.record(path, .later, write) }
    }

    private func write(to path: String) {
        let snapshot = state.withLock { state in
            defer { state.pending = nil }
            return state.pending
        }
        guard let snapshot else { return }
        peers.finishSaving()
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            try StateFile.makeDirectory(directory)
            try StateFile.replace(path, with: try encoder.encode(snapshot), in: directory)
        } catch {
            logger.error("state cannot be preserved", metadata: ["file": "\(path)", "error": "\(error)"])
        }
    }

    /// From now on nothing changes any more: what happens while a program ends on purpose must not count.
    func freeze() {
        state.withLock { $0.isFrozen = true }
        writer.finish(write)
    }

    /// Removes the kept snapshot, unless the store was frozen before.
    func remove() {
        let isKept = state.withLock { state in
            defer { if !state.isFrozen { (state.isFrozen, state.pending) = (true, nil) } }
            return state.isFrozen
        }
        guard !isKept else { return }
        writer.run {
            do {
                try StateFile.remove(path, in: directory)
            } catch {
                // Nothing was ever kept, where there is no directory.
                logger.debug("no preserved state to remove", metadata: ["error": "\(error)"])
            }
        }
    }
}

private enum RestorationPace {
    /// At once, as a crash may come at once; but peers change what a snapshot holds, too, and may never stop.
    static let pace = WritePace(delay: .zero, burst: 20, interval: .seconds(1))
}
