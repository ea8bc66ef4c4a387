// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Glibc
import Logging
import SMP
import StateFiles
import Synchronization

/// The bonds of this machine, in memory and on disk, by their controller: a controller with another address gets none
/// of the keys. Each peer has a file, each controller a folder, and our own Identity Resolving Key lies beside the
/// folders. Any thread; only ``load()``, ``identityKey(make:)`` and ``finishSaving(within:)`` wait for the disk.
///
/// A bonded peer can change its bond as often as it likes. At most one write a bond waits, and writes the bond as it is
/// when the disk has time. Removals come first, then keys. Subscriptions of clients are written seconds later, and not
/// more often than ``clientStatePace`` says.
package final class BondStore: Sendable {
    static let suffix = ".bond"
    private static let keyFile = "identity.key"
    /// Limit of files that are read. A table holds fewer bonds, so further files are not ours.
    private static let fileLimit = 1024
    private static let troubleLimit = 32
    /// How often a client's subscriptions are written, for each bond.
    package static let clientStatePace = WritePace(delay: .seconds(3), burst: 5, interval: .seconds(60))

    private struct Key: Hashable {
        let controller: DeviceAddress
        let peer: DeviceAddress
    }

    private struct State {
        var records: [DeviceAddress: [DeviceAddress: BondRecord]] = [:]
        var controller: DeviceAddress?
        var troubles: [String] = []
        /// Files of forgotten bonds that still exist.
        var unremoved: [String: Unremoved] = [:]
        /// Removed bonds whose files may still exist. A new bond with the peer does not save the old keys.
        var removed: Set<Key> = []
    }

    private struct Unremoved {
        let peer: DeviceAddress
        let trouble: String
    }

    private let state = Mutex(State())
    /// Nil keeps nothing beyond the process.
    private let directory: String?
    private let files: any StateFileSystem
    private let writer: DiskWriter<Key>
    private let now: @Sendable () -> Int64
    private let logger: Logger

    /// `directory`: made when the first secret is written. `now`: seconds since 1970.
    package init(
        directory: String?, files: any StateFileSystem = DiskFileSystem(),
        pace: WritePace = BondStore.clientStatePace, logger: Logger,
        now: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
    ) {
        self.directory = directory
        self.files = files
        self.logger = logger
        self.now = now
        writer = DiskWriter(label: "martlet.bonds", pace: pace)
    }

    // MARK: Bonds

    /// Makes this controller the present one. Returns the bonds made with it.
    package func use(_ controller: DeviceAddress) -> [Bond] {
        let bonds = state.withLock { state in
            state.controller = controller
            return Self.sorted(state.records[controller]).map(\.bond)
        }
        if bonds.count > BondTable.capacity {
            report("there are \(bonds.count) bonds, and \(BondTable.capacity) are used: unpair devices that are gone")
        }
        return bonds
    }

    /// The controller of new bonds; nil before it is known.
    package var controller: DeviceAddress? { state.withLock { $0.controller } }

    /// The bonds of the present controller.
    package var records: [BondRecord] {
        state.withLock { state in Self.sorted(state.controller.flatMap { state.records[$0] }) }
    }

    /// Problems, in sentences: files that were kept aside, or cannot be read or written.
    package var troubles: [String] {
        state.withLock { $0.troubles + $0.unremoved.values.map(\.trouble).sorted().prefix(Self.troubleLimit) }
    }

    private static func sorted(_ records: [DeviceAddress: BondRecord]?) -> [BondRecord] {
        (records ?? [:]).values.sorted { $0.bond.identity.compact < $1.bond.identity.compact }
    }

    /// Takes changes to the bonds of the present controller, to be written to disk on a thread of its own.
    package func apply(_ changes: [BondChange]) {
        guard !changes.isEmpty, let controller = state.withLock({ $0.controller }) else { return }
        for change in changes { record(change, of: controller) }
    }

    /// Forgets a peer, whichever controller made the bond.
    package func forget(_ peer: DeviceAddress) {
        let holders = state.withLock { state in state.records.filter { $0.value[peer] != nil }.map(\.key) }
        for controller in holders { record(.removed(peer), of: controller) }
    }

    /// The bonded peers of all controllers.
    package var allPeers: [DeviceAddress] {
        state.withLock { state in Set(state.records.values.flatMap(\.keys)).sorted { $0.compact < $1.compact } }
    }

    /// Forgets all peers. The next controller, by its address, has no bonds.
    package func forgetAll() {
        for peer in allPeers { forget(peer) }
        state.withLock { $0.controller = nil }
    }

    private func record(_ change: BondChange, of controller: DeviceAddress) {
        let (time, key) = (now(), Key(controller: controller, peer: change.identity))
        let urgency = state.withLock { state -> WriteQueue<Key>.Urgency in
            guard case .stored(let bond) = change else {
                state.records[controller]?.removeValue(forKey: key.peer)
                if directory != nil { state.removed.insert(key) }
                return .first
            }
            let old = state.records[controller]?[key.peer]
            // A change of a client's subscriptions makes no new bond.
            let isSame = old?.bond.keys == bond.keys
            let record = BondRecord(bond: bond, madeAt: isSame ? old?.madeAt ?? time : time)
            state.records[controller, default: [:]][key.peer] = record
            var before = old?.bond
            before?.clientState = bond.clientState
            return before == bond ? .later : .now
        }
        guard directory != nil else { return }
        writer.record(key, urgency, write)
    }

    /// The number of bonds that wait for a write.
    package var pendingWrites: Int { writer.count }

    /// Waits until every change is on disk, each bond written once at most. After `limit`, no more subscriptions of
    /// clients are written; these clients subscribe anew.
    package func finishSaving(within limit: Duration? = nil) {
        let left = writer.finish(within: limit, write)
        guard left > 0 else { return }
        logger.error("the disk is too slow: some clients have to subscribe anew", metadata: ["bonds": "\(left)"])
    }

    /// Calls `done`, on a thread of the store, when every removal until now is on disk or has failed. `trouble`: a
    /// sentence if removed keys of the peer still exist. Waits for one write of another bond at most.
    package func confirmRemoval(of peer: DeviceAddress, _ done: @escaping @Sendable (_ trouble: String?) -> Void) {
        writer.afterFirst(write) { [self] in
            done(state.withLock { $0.unremoved.values.first { $0.peer == peer }?.trouble })
        }
    }

    /// Like ``confirmRemoval(of:_:)`` for all removals until now, with a sentence for each peer whose keys still exist.
    package func confirmRemovals(_ done: @escaping @Sendable (_ troubles: [String]) -> Void) {
        writer.afterFirst(write) { [self] in
            done(state.withLock { $0.unremoved.values.map(\.trouble).sorted() })
        }
    }

    private func write(_ key: Key) {
        guard let directory else { return }
        let folder = directory + "/" + BondFile.fileName(of: key.controller)
        let path = folder + "/" + BondFile.fileName(of: key.peer) + Self.suffix
        let (record, wasRemoved) = state.withLock { state in
            (state.records[key.controller]?[key.peer], state.removed.remove(key) != nil)
        }
        if wasRemoved || record == nil { remove(path, of: key.peer, in: folder) }
        guard let record else { return }
        do {
            try makeFolder(directory)
            try makeFolder(folder)
            try StateFile.replace(path, with: try BondFile.encode(record, of: key.controller), in: folder, on: files)
            state.withLock { $0.unremoved[path] = nil }
        } catch {
            // The bond works until the end of the process. Afterwards, the peer has to be paired again.
            logger.error("a bond cannot be saved", metadata: ["file": "\(path)", "error": "\(error)"])
            report("\(path) cannot be written (\(error)): the bond lasts until the end of the process")
        }
    }

    private func remove(_ path: String, of peer: DeviceAddress, in folder: String) {
        do throws(StateFileError) {
            try StateFile.remove(path, in: folder, on: files)
            state.withLock { $0.unremoved[path] = nil }
        } catch {
            // A missing folder has no keys: the keys could not be saved either.
            guard error.code != ENOENT else { return }
            logger.error("a bond cannot be removed", metadata: ["file": "\(path)", "error": "\(error)"])
            let trouble =
                "the bond with \(peer) could not be removed from disk (\(error)): it would be back after a restart. "
                + "Remove \(path)"
            state.withLock { state in
                guard state.unremoved.count < Self.fileLimit else { return }
                state.unremoved[path] = Unremoved(peer: peer, trouble: trouble)
            }
        }
    }

    private func makeFolder(_ path: String) throws(StateFileError) {
        guard try StateFile.makeDirectory(path, on: files) else { return }
        logger.warning("others could look into a folder of secrets; not any more", metadata: ["folder": "\(path)"])
    }

    // MARK: Reading

    /// Reads every bond. Unreadable or changed files are kept aside, named, and left out.
    package func load() {
        guard let directory else { return }
        writer.run {
            for folder in removingUnfinished(list(directory), in: directory).prefix(Self.fileLimit) {
                let path = directory + "/" + folder
                if let controller = BondFile.address(named: folder) {
                    load(controller, in: path)
                } else if folder.hasSuffix(Self.suffix) {
                    keepAside(path, as: "bonds-" + folder, "it belongs to no controller")
                }
            }
        }
    }

    private func list(_ folder: String) -> [String] {
        do throws(StateFileError) {
            let names = try files.names(in: folder).sorted()
            // Without files, no folder is made.
            if !names.isEmpty { try makeFolder(folder) }
            return names
        } catch {
            logger.error("bonds cannot be read", metadata: ["folder": "\(folder)", "error": "\(error)"])
            report("\(folder) cannot be read (\(error)): it has to be a folder of the gateway's own user, and no link")
            return []
        }
    }

    /// A power cut may have left half-written files. Such files contain keys, perhaps of bonds that are removed later,
    /// and no removal would look for the keys there.
    private func removingUnfinished(_ names: [String], in folder: String) -> [String] {
        let unfinished = names.filter { $0.hasSuffix(StateFile.unfinished) }
        guard !unfinished.isEmpty else { return names }
        do throws(StateFileError) {
            for name in unfinished { try files.remove(folder + "/" + name) }
            try files.synchronize(directory: folder)
        } catch {
            logger.error(
                "an unfinished file of secrets cannot be removed",
                metadata: ["folder": "\(folder)", "error": "\(error)"])
            report("\(StateFile.unfinished) files in \(folder) cannot be removed (\(error)); keys may be in them")
        }
        return names.filter { !$0.hasSuffix(StateFile.unfinished) }
    }

    private func load(_ controller: DeviceAddress, in folder: String) {
        var found: [DeviceAddress: BondRecord] = [:]
        let names = removingUnfinished(list(folder), in: folder)
        for name in names.prefix(Self.fileLimit) where name.hasSuffix(Self.suffix) {
            guard let octets = try? read(folder + "/" + name, limit: BondFile.sizeLimit) else { continue }
            do throws(BondFile.Fault) {
                let record = try BondFile.decode(octets, named: name, of: controller)
                found[record.bond.identity] = record
            } catch {
                let shelf = "bonds-" + BondFile.fileName(of: controller) + "-" + name
                keepAside(folder + "/" + name, as: shelf, error.reason)
            }
        }
        state.withLock { $0.records[controller] = found }
    }

    /// Nil without a file. Unreadable files are reported here.
    private func read(_ path: String, limit: Int) throws(StateFileError) -> [UInt8]? {
        do throws(StateFileError) {
            guard let (octets, wasWidened) = try files.read(path, limit: limit) else { return nil }
            if wasWidened {
                logger.warning("others could read a file of secrets; not any more", metadata: ["file": "\(path)"])
            }
            return octets
        } catch {
            logger.error("a file of secrets cannot be read", metadata: ["file": "\(path)", "error": "\(error)"])
            report("\(path) cannot be read (\(error)): it has to be a file of the gateway's own user, and no link")
            throw error
        }
    }

    /// Moves a file to a place where it neither counts as a bond nor is lost: `corrupt/` beside our own folder. If a
    /// file of this name lies there, the new name ends in a number. False if the file could not be moved.
    @discardableResult
    private func keepAside(_ path: String, as name: String, _ reason: String) -> Bool {
        guard let directory else { return false }
        let folder = ((directory as NSString).deletingLastPathComponent as NSString).appendingPathComponent("corrupt")
        var shelf = folder + "/" + name
        do throws(StateFileError) {
            try makeFolder(folder)
            let taken = Set(try files.names(in: folder))
            var number = 1
            while taken.contains(number == 1 ? name : "\(name).\(number)") { number += 1 }
            if number > 1 { shelf += ".\(number)" }
            try StateFile.move(path, to: shelf, on: files)
            logger.error(
                "a file of secrets is kept aside; the peer has to be paired again",
                metadata: ["file": "\(path)", "kept.as": "\(shelf)", "reason": "\(reason)"])
            report("\(path) was not taken, \(reason); it is kept as \(shelf). Pair the device again")
            return true
        } catch {
            logger.error(
                "a file of secrets is not taken, and cannot be kept aside",
                metadata: ["file": "\(path)", "reason": "\(reason)", "error": "\(error)"])
            report("\(path) was not taken, \(reason), and cannot be moved to \(shelf) (\(error))")
            return false
        }
    }

    /// Bounded: a full disk would repeat the trouble at every write.
    private func report(_ trouble: String) {
        state.withLock { state in
            guard state.troubles.count < Self.troubleLimit, !state.troubles.contains(trouble) else { return }
            state.troubles.append(trouble)
        }
    }

    // MARK: Our own key

    /// Our own Identity Resolving Key, made at the first call of an installation. An unreadable key file is an error,
    /// and stays, because bonded peers know us by its key. `make` returns 16 octets fit for a key. `isNew`: a new key
    /// replaces the old key. Waits for the disk.
    package func identityKey(
        isNew: Bool = false, make: () -> [UInt8] = BondStore.randomOctets
    ) throws -> SecretKey {
        try writer.run {
            let path = directory.map { $0 + "/" + Self.keyFile }
            if !isNew, let path, let octets = try read(path, limit: 256) {
                let text = String(decoding: octets, as: UTF8.self).trimmingCharacters(in: .newlines)
                if let key = SecretKey(hexadecimal: text), key != .zero { return key }
                guard keepAside(path, as: "bonds-" + Self.keyFile, "it is damaged") else {
                    throw CocoaError(.fileReadCorruptFile)
                }
            }
            guard let key = SecretKey(make()), key != .zero else { throw CocoaError(.coderInvalidValue) }
            if let directory, let path { save(key, as: path, in: directory) }
            return key
        }
    }

    /// A key that cannot be saved is good for this run, like bonds that cannot be saved.
    private func save(_ key: SecretKey, as path: String, in directory: String) {
        do throws(StateFileError) {
            try makeFolder(directory)
            try StateFile.replace(
                path, with: Data((key.octets.hexadecimal + "\n").utf8), in: directory, on: files)
        } catch {
            logger.error(
                "the key of our private addresses cannot be kept; after a restart bonded peers do not recognise us",
                metadata: ["file": "\(path)", "error": "\(error)"])
            report("\(path) cannot be written (\(error)): after a restart bonded peers do not recognise us")
        }
    }

    /// 16 octets of the system's generator.
    package static func randomOctets() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

extension BondFile.Fault {
    fileprivate var reason: String {
        switch self {
        case .damaged: "it is damaged"
        case .version(let version):
            version > BondFile.currentVersion
                ? "it was written by a newer program (version \(version))" : "its version is \(version)"
        case .misplaced: "it is about another controller or another device"
        }
    }
}
