// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Logging
import StateFiles
import Synchronization

/// Maps addresses to identifiers. An identifier is random, is made once, and is kept on disk for peers that were
/// connected.
///
/// Like Apple's identifiers, ours reveal nothing about the address. A resolvable private address is not kept on disk,
/// because the peer has another address tomorrow. After a pairing, the peer's identifier passes to its identity
/// address.
///
/// Devices that a scan reported to a program are kept as well, though fewer of them, because the program may have noted
/// their identifiers. Strangers on the street that only the gateway hears are not kept.
package final class PeerDirectory: Sendable {
    /// Limit of peers that were connected, and are remembered on disk.
    package static let keptCapacity = 4096
    /// Limit of peers that a client was told of and that were never connected. They are remembered on disk.
    package static let toldCapacity = 1024
    /// Longest kept name, in octets. Core 5.4, Vol 3, Part C, 12.1.
    package static let nameLimit = 248
    /// Limit of devices that were only seen: enough for a room, so that each device keeps its identifier as long as it
    /// is heard.
    package static let capacity = 10_240
    /// Limit of private addresses that were only seen, and of private addresses that were connected. Passing strangers
    /// must not take the place of devices.
    package static let privateCapacity = 1024

    private struct Peer {
        let identifier: UUID
        /// The identifier from before the peer's identity was known.
        var former: UUID?
        /// The last advertised or read name.
        var name: String?
    }

    private enum Place {
        case kept, told, seen
    }

    /// Each table forgets its least recently used entries one by one, and leaves the other tables alone.
    private struct State {
        var kept = RecencyTable<DeviceAddress, Peer>()
        /// Kept for this run only: the peer has another address tomorrow.
        var keptPrivate = RecencyTable<DeviceAddress, Peer>()
        var told = RecencyTable<DeviceAddress, Peer>()
        var seen = RecencyTable<DeviceAddress, Peer>()
        var seenPrivate = RecencyTable<DeviceAddress, Peer>()
        var addresses: [UUID: DeviceAddress] = [:]
        var randomAddress: DeviceAddress
        /// The random address is our identity, whatever address the controller has.
        var hasOwnIdentity = false

        /// The entry of an address, marked as just used.
        mutating func use(_ address: DeviceAddress) -> (peer: Peer, place: Place)? {
            if address.isIdentity {
                if let peer = kept.use(address) { return (peer, .kept) }
                if let peer = told.use(address) { return (peer, .told) }
                return seen.use(address).map { ($0, .seen) }
            }
            if let peer = keptPrivate.use(address) { return (peer, .kept) }
            return seenPrivate.use(address).map { ($0, .seen) }
        }

        mutating func add(_ address: DeviceAddress, _ peer: Peer, in place: Place) {
            let table: WritableKeyPath<State, RecencyTable<DeviceAddress, Peer>>
            let capacity: Int
            switch (address.isIdentity, place) {
            case (true, .kept): (table, capacity) = (\.kept, PeerDirectory.keptCapacity)
            case (true, .told): (table, capacity) = (\.told, PeerDirectory.toldCapacity)
            case (true, .seen): (table, capacity) = (\.seen, PeerDirectory.capacity)
            case (false, .kept): (table, capacity) = (\.keptPrivate, PeerDirectory.privateCapacity)
            case (false, _): (table, capacity) = (\.seenPrivate, PeerDirectory.privateCapacity)
            }
            if self[keyPath: table].count >= capacity, let oldest = self[keyPath: table].oldest {
                remove(oldest.key)
                // A device keeps its identifier for as long as it is heard.
                if place == .told { add(oldest.key, oldest.value, in: .seen) }
            }
            self[keyPath: table].insert(peer, for: address)
            addresses[peer.identifier] = address
            if let former = peer.former { addresses[former] = address }
        }

        @discardableResult
        mutating func remove(_ address: DeviceAddress) -> Peer? {
            let peer =
                kept.removeValue(for: address) ?? keptPrivate.removeValue(for: address)
                ?? told.removeValue(for: address) ?? seen.removeValue(for: address)
                ?? seenPrivate.removeValue(for: address)
            guard let peer else { return nil }
            addresses.removeValue(forKey: peer.identifier)
            if let former = peer.former { addresses.removeValue(forKey: former) }
            return peer
        }
    }

    /// The content of the file.
    private struct File: Codable {
        struct Peer: Codable {
            let identifier: UUID
            let address: String
            let random: Bool
            /// Missing in files of earlier versions, as is `told`.
            var name: String?
            /// A client was told of the peer, and the peer was never connected.
            var told: Bool?
        }

        var version = 1
        var randomAddress: String
        /// Missing in files of earlier versions, and if false.
        var hasOwnIdentity: Bool?
        var peers: [Peer]
    }

    private let state: Mutex<State>
    private let path: String?
    /// The radio thread must not wait for the disk. One file holds all peers, and strangers with ever new addresses
    /// change the file as often as they connect. The file is therefore written within a budget. A crash loses only the
    /// last peers.
    private let writer: DiskWriter<String>
    package static let pace = WritePace(delay: .seconds(2), burst: 10, interval: .seconds(300))
    private let files: any StateFileSystem
    private let logger: Logger

    /// `directory`: where `peers.json` is kept; nil keeps nothing.
    package init(
        directory: String?, files: any StateFileSystem = DiskFileSystem(), pace: WritePace = PeerDirectory.pace,
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
                // The file is only a convenience. Without the file, sensors are found again by scanning.
                logger.warning(
                    "known peers cannot be read; they will be found again",
                    metadata: [
                        "file": "\(path)", "error": "\(error)",
                    ])
            }
        }
        state = Mutex(initial)
        // The file holds our own address.
        if let path { writer.record(path, .now, write) }
    }

    /// The static random address of this installation.
    package var randomAddress: DeviceAddress { state.withLock { $0.randomAddress } }

    /// ``randomAddress`` is our identity, even if the controller has an address of its own.
    package var hasOwnIdentity: Bool { state.withLock { $0.hasOwnIdentity } }

    /// Makes a new address, which is our identity from now on.
    package func changeIdentity() {
        state.withLock { state in
            let old = state.randomAddress
            repeat { state.randomAddress = Self.makeStaticRandomAddress() } while state.randomAddress == old
            state.hasOwnIdentity = true
        }
        if let path { writer.record(path, .now, write) }
    }

    /// Calls `done` on a thread of the directory when every earlier change is on disk, or has failed.
    package func afterSaving(_ done: @escaping @Sendable () -> Void) { writer.runLater(done) }

    package func identifier(for address: DeviceAddress) -> UUID {
        state.withLock { state in
            if let known = state.use(address) { return known.peer.identifier }
            let peer = Peer(identifier: UUID())
            state.add(address, peer, in: .seen)
            return peer.identifier
        }
    }

    /// Restores an identifier that a client still holds, after many other devices have pushed its entry out.
    package func recall(_ identifier: UUID, for address: DeviceAddress) {
        state.withLock { state in
            guard state.use(address) == nil, state.addresses[identifier] == nil else { return }
            state.add(address, Peer(identifier: identifier), in: .seen)
        }
    }

    package func address(for identifier: UUID) -> DeviceAddress? {
        state.withLock { state in
            guard let address = state.addresses[identifier] else { return nil }
            _ = state.use(address)
            return address
        }
    }

    /// Keeps the peer on disk, because it was connected. A peer with a resolvable private address is kept for this run
    /// only.
    package func keep(_ address: DeviceAddress) {
        let isNew = state.withLock { state in
            let known = state.use(address)
            if known?.place == .kept { return false }
            let peer = state.remove(address) ?? Peer(identifier: UUID())
            state.add(address, peer, in: .kept)
            return true
        }
        if isNew, !address.isResolvablePrivate { save() }
    }

    /// A client was told of the device, or has read its name. In a later run, the client may use the device's
    /// identifier again. A device whose address will change is not kept on disk. `name`: nil, or a name above the
    /// limit, changes nothing.
    package func recordTold(_ address: DeviceAddress, name: String?) {
        let name = name.flatMap { $0.utf8.count <= Self.nameLimit ? $0 : nil }
        let isNews = state.withLock { state in
            let known = state.use(address)
            if let known, known.place != .seen || !address.isIdentity, name == nil || known.peer.name == name {
                return false
            }
            var peer = state.remove(address) ?? Peer(identifier: UUID())
            if let name { peer.name = name }
            state.add(address, peer, in: known?.place == .kept ? .kept : .told)
            return true
        }
        if isNews, address.isIdentity { save() }
    }

    /// The last name of a device that was reported to a client.
    package func name(of address: DeviceAddress) -> String? { state.withLock { $0.use(address)?.peer.name } }

    /// A peer known by `address` was paired with, and has revealed its identity. The peer keeps its identifier, which
    /// is kept on disk. If the identity has an identifier already, this identifier counts, and both identifiers lead to
    /// the identity.
    package func learn(_ identity: DeviceAddress, behind address: DeviceAddress) {
        let isNews = state.withLock { state in
            guard address != identity, let peer = state.remove(address) else { return false }
            if let known = state.use(identity) {
                state.remove(identity)
                let joined = Peer(
                    identifier: known.peer.identifier, former: peer.identifier, name: peer.name ?? known.peer.name)
                state.add(identity, joined, in: known.place)
            } else {
                state.add(identity, Peer(identifier: peer.identifier, name: peer.name), in: .kept)
            }
            return true
        }
        keep(identity)
        if isNews { save() }
    }

    private static func read(_ data: Data, into state: inout State) throws {
        let file = try JSONDecoder().decode(File.self, from: data)
        if let address = DeviceAddress(file.randomAddress, kind: .random), address.isStaticRandom {
            state.randomAddress = address
            state.hasOwnIdentity = file.hasOwnIdentity ?? false
        }
        for peer in file.peers.prefix(keptCapacity + privateCapacity + toldCapacity) {
            guard let address = DeviceAddress(peer.address, kind: peer.random ? .random : .public),
                !address.isResolvablePrivate
            else { continue }
            let name = peer.name.flatMap { $0.utf8.count <= nameLimit ? $0 : nil }
            state.add(
                address, Peer(identifier: peer.identifier, name: name), in: peer.told == true ? .told : .kept)
        }
    }

    /// Forgets every peer, and returns when the change is on disk. Our own address stays.
    package func forgetPeers() {
        state.withLock { state in
            for table in [\State.kept, \.keptPrivate, \.told, \.seen, \.seenPrivate] {
                state[keyPath: table].removeAll()
            }
            state.addresses = [:]
        }
        save()
        finishSaving()
    }

    /// Waits until every kept peer is on disk.
    package func finishSaving() { writer.finish(write) }

    private func save() {
        if let path { writer.record(path, .later, write) }
    }

    private func write(to path: String) {
        let file = state.withLock { state in
            File(
                randomAddress: state.randomAddress.description,
                hasOwnIdentity: state.hasOwnIdentity ? true : nil,
                peers: (state.kept.elementsByAge + state.keptPrivate.elementsByAge).filter {
                    !$0.key.isResolvablePrivate
                }.map { Self.entry($0.key, $0.value, told: nil) }
                    + state.told.elementsByAge.map { Self.entry($0.key, $0.value, told: true) })
        }
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            let directory = (path as NSString).deletingLastPathComponent
            let data = try encoder.encode(file)
            // The file holds no secrets. The directory may belong to another user, or lie behind a link, so an existing
            // directory stays unchanged.
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try StateFile.replace(path, with: data, in: directory, on: files)
        } catch {
            logger.warning(
                "known peers cannot be saved: after a restart they have other identifiers; let this user write there",
                metadata: ["file": "\(path)", "error": "\(error)"])
        }
    }

    private static func entry(_ address: DeviceAddress, _ peer: Peer, told: Bool?) -> File.Peer {
        File.Peer(
            identifier: peer.identifier, address: address.description, random: address.kind == .random, name: peer.name,
            told: told)
    }

    private static func makeStaticRandomAddress() -> DeviceAddress {
        DeviceAddress(kind: .random, value: UInt64.random(in: 1...0x3FFF_FFFF_FFFE) | 0xC000_0000_0000)
    }
}
