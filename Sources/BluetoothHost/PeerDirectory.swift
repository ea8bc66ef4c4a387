// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Logging
import Synchronization

/// Which identifier stands for which address: random, made once, and kept on disk for peers that were connected.
///
/// Apple's identifiers say nothing of the address; neither do ours. A resolvable private address is not kept on disk: the peer
/// has another one tomorrow. Once the peer is paired with, its identifier goes on to its identity address.
package final class PeerDirectory: Sendable {
    /// Peers that are remembered; of those that were only seen, the ones that were not used for
    /// the longest time are forgotten first.
    package static let capacity = 4096
    /// Of these, private addresses: strangers that pass by must not take the place of devices.
    package static let privateCapacity = 1024

    private struct Entry {
        let identifier: UUID
        /// It was connected. What is kept is on disk, resolvable private addresses excepted.
        var isKept: Bool
        var order: UInt64
        /// What it was called before it was known who it is.
        var former: UUID?
    }

    private struct State {
        var entries: [DeviceAddress: Entry] = [:]
        var addresses: [UUID: DeviceAddress] = [:]
        var privateCount = 0
        var nextOrder: UInt64 = 0
        var randomAddress: DeviceAddress
        /// The random address is our identity, whatever address the controller has.
        var hasOwnIdentity = false

        mutating func add(_ address: DeviceAddress, _ identifier: UUID, isKept: Bool) {
            entries[address] = Entry(identifier: identifier, isKept: isKept, order: nextOrder)
            addresses[identifier] = address
            nextOrder += 1
            if !address.isIdentity { privateCount += 1 }
        }

        mutating func remove(_ address: DeviceAddress) {
            guard let entry = entries.removeValue(forKey: address) else { return }
            addresses.removeValue(forKey: entry.identifier)
            if let former = entry.former { addresses.removeValue(forKey: former) }
            if !address.isIdentity { privateCount -= 1 }
        }
    }

    /// What the file holds.
    private struct File: Codable {
        struct Peer: Codable {
            let identifier: UUID
            let address: String
            let random: Bool
        }

        var version = 1
        var randomAddress: String
        /// Missing in files of earlier versions, and where it is false.
        var hasOwnIdentity: Bool?
        var peers: [Peer]
    }

    private let state: Mutex<State>
    private let path: String?
    /// The radio thread must not wait for the disk. The one file holds all peers, and strangers with ever new addresses
    /// change it as often as they connect: it is written within a budget. A crash loses who came last, no more.
    private let writer: DiskWriter<String>
    package static let pace = WritePace(delay: .seconds(2), burst: 10, interval: .seconds(300))
    private let files: any SecretFileSystem
    private let logger: Logger

    /// `directory`: where `peers.json` is kept; nil keeps nothing.
    package init(
        directory: String?, files: any SecretFileSystem = DiskFileSystem(), pace: WritePace = PeerDirectory.pace,
        logger: Logger
    ) {
        self.logger = logger
        self.files = files
        writer = DiskWriter(label: "martlet.peers", pace: pace)
        path = directory.map { $0 + "/peers.json" }
        var initial = State(randomAddress: Self.makeStaticRandomAddress())
        if let path, let data = FileManager.default.contents(atPath: path) {
            do {
                try Self.read(data, into: &initial)
            } catch {
                // The file is only a convenience: without it, sensors are found by scanning again.
                logger.warning(
                    "known peers cannot be read; they will be found again",
                    metadata: [
                        "file": "\(path)", "error": "\(error)",
                    ])
            }
        }
        state = Mutex(initial)
        // Our own address is in it.
        if let path { writer.note(path, .now, write) }
    }

    /// The static random address of this installation.
    package var randomAddress: DeviceAddress { state.withLock { $0.randomAddress } }

    /// That address is our identity, also where the controller has one of its own.
    package var hasOwnIdentity: Bool { state.withLock { $0.hasOwnIdentity } }

    /// Makes a new address, which is our identity from now on.
    package func changeIdentity() {
        state.withLock { state in
            let old = state.randomAddress
            repeat { state.randomAddress = Self.makeStaticRandomAddress() } while state.randomAddress == old
            state.hasOwnIdentity = true
        }
        if let path { writer.note(path, .now, write) }
    }

    /// Calls `done` on a thread of the directory when everything that was noted before is on disk, or has failed.
    package func afterSaving(_ done: @escaping @Sendable () -> Void) { writer.runLater(done) }

    package func identifier(for address: DeviceAddress) -> UUID {
        state.withLock { state in
            if let entry = state.entries[address] {
                Self.renew(address, &state)
                return entry.identifier
            }
            if !address.isIdentity, state.privateCount >= Self.privateCapacity {
                Self.evict(Self.privateCapacity / 8, &state) { !$0.isIdentity }
            }
            if state.entries.count >= Self.capacity { Self.evict(Self.capacity / 8, &state) { _ in true } }
            let identifier = UUID()
            state.add(address, identifier, isKept: false)
            return identifier
        }
    }

    package func address(for identifier: UUID) -> DeviceAddress? {
        state.withLock { state in
            guard let address = state.addresses[identifier] else { return nil }
            Self.renew(address, &state)
            return address
        }
    }

    /// Keeps the peer on disk: it was connected. One with a resolvable private address is kept for this run only.
    package func keep(_ address: DeviceAddress) {
        _ = identifier(for: address)
        let isNew = state.withLock { state in
            defer { state.entries[address]?.isKept = true }
            return state.entries[address]?.isKept == false
        }
        if isNew, !address.isResolvablePrivate { save() }
    }

    /// A peer that was known by `address` was paired with, and has told who it is: its identifier stays with it, and is
    /// kept. Where the identity was known already, that one's identifier counts, and both lead to it.
    package func learn(_ identity: DeviceAddress, behind address: DeviceAddress) {
        let isNews = state.withLock { state in
            guard address != identity, let entry = state.entries[address] else { return false }
            state.remove(address)
            if let known = state.entries[identity] {
                if let former = known.former { state.addresses.removeValue(forKey: former) }
                state.entries[identity]?.former = entry.identifier
                state.addresses[entry.identifier] = identity
            } else {
                state.add(identity, entry.identifier, isKept: true)
            }
            return true
        }
        keep(identity)
        if isNews { save() }
    }

    private static func renew(_ address: DeviceAddress, _ state: inout State) {
        state.entries[address]?.order = state.nextOrder
        state.nextOrder += 1
    }

    private static func evict(_ count: Int, _ state: inout State, where mayGo: (DeviceAddress) -> Bool) {
        let candidates = state.entries.filter { mayGo($0.key) }.sorted { left, right in
            left.value.isKept == right.value.isKept ? left.value.order < right.value.order : !left.value.isKept
        }
        for (address, _) in candidates.prefix(count) { state.remove(address) }
    }

    private static func read(_ data: Data, into state: inout State) throws {
        let file = try JSONDecoder().decode(File.self, from: data)
        if let address = DeviceAddress(file.randomAddress, kind: .random), address.isStaticRandom {
            state.randomAddress = address
            state.hasOwnIdentity = file.hasOwnIdentity ?? false
        }
        for peer in file.peers.prefix(capacity) {
            guard let address = DeviceAddress(peer.address, kind: peer.random ? .random : .public),
                !address.isResolvablePrivate
            else { continue }
            state.add(address, peer.identifier, isKept: true)
        }
    }

    /// Forgets every peer, and returns when that is on disk. Our own address stays.
    package func forgetPeers() {
        state.withLock { ($0.entries, $0.addresses, $0.privateCount) = ([:], [:], 0) }
        save()
        finishSaving()
    }

    /// Waits until everything that was kept is on disk.
    package func finishSaving() { writer.finish(write) }

    private func save() {
        if let path { writer.note(path, .later, write) }
    }

    private func write(to path: String) {
        let file = state.withLock { state in
            File(
                randomAddress: state.randomAddress.description,
                hasOwnIdentity: state.hasOwnIdentity ? true : nil,
                peers: state.entries.filter { $0.value.isKept && !$0.key.isResolvablePrivate }.sorted {
                    $0.value.order < $1.value.order
                }.map {
                    File.Peer(
                        identifier: $0.value.identifier, address: $0.key.description, random: $0.key.kind == .random)
                })
        }
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            let directory = (path as NSString).deletingLastPathComponent
            let data = try encoder.encode(file)
            // No secrets are in it, and it may be anybody's, or lie behind a link: one that is there stays as it is.
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try SecretFile.replace(path, with: data, in: directory, on: files)
        } catch {
            logger.warning(
                "known peers cannot be saved: after a restart they have other identifiers; let this user write there",
                metadata: ["file": "\(path)", "error": "\(error)"])
        }
    }

    private static func makeStaticRandomAddress() -> DeviceAddress {
        DeviceAddress(kind: .random, value: UInt64.random(in: 1...0x3FFF_FFFF_FFFE) | 0xC000_0000_0000)
    }
}
