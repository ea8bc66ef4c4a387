// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Glibc
import Logging
import SMP
import StateFiles
import Synchronization
import Testing

@testable import BluetoothHost

/// Bonds on a real disk.
final class SecurityStoreTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
        "martlet-bonds-\(UUID().uuidString)"
    ).path
    private let keeper = LineKeeper()

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    private let controller = DeviceAddress(kind: .public, value: 0xA0_0000_0001)
    private var folder: String { directory + "/bonds/00a000000001-public" }
    private var shelf: String { directory + "/corrupt" }

    private func makeStore(of controller: DeviceAddress? = nil, at time: Int64 = 1_000) -> BondStore {
        let handler = LineKeeper.Handler(keeper: keeper)
        let store = BondStore(
            directory: directory + "/bonds", logger: Logger(label: "test") { _ in handler }, now: { time })
        store.load()
        _ = store.use(controller ?? self.controller)
        return store
    }

    private func bonds(of controller: DeviceAddress? = nil) -> [Bond] {
        makeStore(of: controller).records.map(\.bond)
    }

    private func save(_ changes: [BondChange], of controller: DeviceAddress? = nil) {
        let store = makeStore(of: controller)
        store.apply(changes)
        store.finishSaving()
    }

    private func permissions(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue
    }

    private func files(_ folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    @Test func `bonds come back, in files that only the owner reads`() throws {
        #expect(bonds() == [])
        #expect(!FileManager.default.fileExists(atPath: directory), "nothing secret, no directory")
        let bonds = try [
            #require(Sample.bond(1, identityKey: Sample.key(2))), #require(Sample.bond(2, isAuthenticated: true)),
        ]
        save(bonds.map { .stored($0) })
        #expect(files(folder) == ["c00000000001-random.bond", "c00000000002-random.bond"])
        #expect(try permissions(directory + "/bonds") == 0o700)
        #expect(try permissions(folder) == 0o700)
        for file in files(folder) { #expect(try permissions(folder + "/" + file) == 0o600) }
        #expect(self.bonds() == bonds)
        save([.removed(bonds[0].identity), .removed(Sample.identity(77))])
        #expect(self.bonds() == [bonds[1]])
        #expect(keeper.lines == [])
    }

    @Test func `a bond is as old as its key, not as what its client has subscribed to`() throws {
        var bond = try #require(Sample.bond(1))
        func save(at time: Int64) {
            let store = makeStore(at: time)
            store.apply([.stored(bond)])
            store.finishSaving()
        }
        save(at: 100)
        bond.clientState = [1, 2, 3]
        save(at: 200)
        #expect(makeStore().records == [BondRecord(bond: bond, madeAt: 100)])
        bond.keys = .secureConnections(Sample.key(9))
        save(at: 300)
        #expect(makeStore().records == [BondRecord(bond: bond, madeAt: 300)])
    }

    @Test func `a controller with another address gets none of the keys`() throws {
        let bond = try #require(Sample.bond(1))
        save([.stored(bond)])
        let other = DeviceAddress(kind: .public, value: 0xA0_0000_0002)
        #expect(bonds(of: other) == [])
        let another = try #require(Sample.bond(1, keys: .secureConnections(Sample.key(7))))
        save([.stored(another)], of: other)
        #expect(bonds() == [bond] && bonds(of: other) == [another])
        // A copy of the file in the other controller's folder does not count either.
        let (from, to) = (folder, directory + "/bonds/00a000000002-public")
        try FileManager.default.removeItem(atPath: to)
        try FileManager.default.copyItem(atPath: from, toPath: to)
        #expect(bonds(of: other) == [])
        #expect(files(shelf) == ["bonds-00a000000002-public-c00000000001-random.bond"])
        // Forgotten is forgotten, whichever controller is there.
        let store = makeStore(of: other)
        store.forget(bond.identity)
        store.finishSaving()
        #expect(bonds() == [])
    }

    @Test func `a bond that cannot be removed from disk is told of until it is`() async throws {
        let bond = try #require(Sample.bond(1))
        save([.stored(bond)])
        let store = makeStore()
        let path = folder + "/c00000000001-random.bond"
        // A folder, which `unlink` cannot remove, whatever the user.
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        store.forget(bond.identity)
        let trouble = await withCheckedContinuation { done in
            store.confirmRemoval(of: bond.identity) { done.resume(returning: $0) }
        }
        #expect(trouble?.contains("would be back after a restart") == true)
        #expect(store.troubles == [trouble].compactMap { $0 })
        try FileManager.default.removeItem(atPath: path)
        store.apply([.removed(bond.identity)])
        store.finishSaving()
        #expect(store.troubles == [])
    }

    @Test func `a damaged file is kept aside and named, and the others are read`() throws {
        let bonds = try (1...3 as ClosedRange<UInt64>).map { try #require(Sample.bond($0)) }
        save(bonds.map { .stored($0) })
        let (cut, foreign) = (folder + "/c00000000001-random.bond", folder + "/c00000000003-random.bond")
        let whole = try #require(FileManager.default.contents(atPath: cut))
        try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: cut))
        // A bond under another peer's name.
        try whole.write(to: URL(fileURLWithPath: foreign))
        let store = makeStore()
        #expect(store.records.map(\.bond) == [bonds[1]])
        #expect(files(folder) == ["c00000000002-random.bond"])
        #expect(
            files(shelf) == [
                "bonds-00a000000001-public-c00000000001-random.bond",
                "bonds-00a000000001-public-c00000000003-random.bond",
            ])
        #expect(try permissions(shelf) == 0o700)
        #expect(store.troubles.count == 2 && store.troubles[0].contains("it is damaged"))
        let errors = keeper.lines.filter { $0.contains("kept aside") }
        #expect(errors.count == 2 && errors[0].contains("c00000000001-random.bond"))
        #expect(!keeper.lines.joined().contains("abab"), "no octet of a key")
    }

    @Test func `a bond of a newer version is kept, not destroyed`() throws {
        save([.stored(try #require(Sample.bond(1)))])
        let path = folder + "/c00000000001-random.bond"
        let text = String(decoding: try #require(FileManager.default.contents(atPath: path)), as: UTF8.self)
        let newer = text.replacingOccurrences(of: "\"version\" : 2", with: "\"version\" : 3")
        try Data(newer.utf8).write(to: URL(fileURLWithPath: path))
        let store = makeStore()
        #expect(store.records == [])
        #expect(store.troubles.count == 1 && store.troubles[0].contains("a newer program (version 3)"))
        let kept = FileManager.default.contents(atPath: shelf + "/bonds-00a000000001-public-c00000000001-random.bond")
        #expect(kept == Data(newer.utf8))
    }

    @Test func `folders and files that others could read are theirs no more`() throws {
        let bond = try #require(Sample.bond(1))
        save([.stored(bond)])
        let file = folder + "/c00000000001-random.bond"
        chmod(file, 0o644)
        chmod(folder, 0o755)
        chmod(directory + "/bonds", 0o777)
        #expect(bonds() == [bond])
        #expect(try permissions(file) == 0o600)
        #expect(try permissions(folder) == 0o700 && permissions(directory + "/bonds") == 0o700)
        #expect(keeper.lines.count == 3 && keeper.lines.allSatisfy { $0.contains("not any more") })
    }

    @Test func `links and what belongs to others are refused`() throws {
        let bond = try #require(Sample.bond(1))
        save([.stored(bond)])
        let file = folder + "/c00000000001-random.bond"
        let elsewhere = directory + "/elsewhere"
        try FileManager.default.moveItem(atPath: file, toPath: elsewhere)
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: elsewhere)
        #expect(bonds() == [], "a link in a file's place")
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.moveItem(atPath: elsewhere, toPath: file)
        mkfifo(folder + "/c00000000002-random.bond", 0o600)
        #expect(bonds() == [bond], "nobody waits for what a pipe gives")
        unlink(folder + "/c00000000002-random.bond")

        let moved = directory + "/moved"
        try FileManager.default.moveItem(atPath: folder, toPath: moved)
        try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: moved)
        let store = makeStore()
        #expect(store.records == [], "a link in a folder's place")
        store.apply([.stored(try #require(Sample.bond(5)))])
        store.finishSaving()
        #expect(files(moved) == ["c00000000001-random.bond"], "nothing is written through it")
        #expect(store.troubles.count == 2)
        unlink(folder)
        try FileManager.default.moveItem(atPath: moved, toPath: folder)
        // Only root can give a file away.
        guard geteuid() == 0 else { return }
        chown(file, 12_345, 12_345)
        #expect(bonds() == [])
    }

    @Test func `our own key is made once`() throws {
        let octets = (1...16).map { UInt8($0) }
        let key = try makeStore().identityKey { octets }
        #expect(key.octets == octets)
        let path = directory + "/bonds/identity.key"
        #expect(try permissions(path) == 0o600)
        #expect(try makeStore().identityKey { [UInt8](repeating: 9, count: 16) } == key)
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try makeStore().identityKey { [UInt8](repeating: 5, count: 16) } == Sample.key(5))
        #expect(files(directory + "/bonds") == ["identity.key"] && files(shelf) == ["bonds-identity.key"])
        #expect(throws: (any Error).self) {
            try FileManager.default.removeItem(atPath: path)
            _ = try makeStore().identityKey { [UInt8](repeating: 0, count: 16) }
        }
    }

    @Test func `our own key is not replaced because it cannot be read`() throws {
        let key = try makeStore().identityKey { [UInt8](repeating: 7, count: 16) }
        let (path, elsewhere) = (directory + "/bonds/identity.key", directory + "/elsewhere")
        try FileManager.default.moveItem(atPath: path, toPath: elsewhere)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: elsewhere)
        let store = makeStore()
        #expect(throws: StateFileError.self) { _ = try store.identityKey { [UInt8](repeating: 9, count: 16) } }
        #expect(store.troubles.count == 1 && keeper.lines.contains { $0.contains("cannot be read") })
        #expect(BluetoothHost.identityKey(of: store, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) == nil)
        unlink(path)
        try FileManager.default.moveItem(atPath: elsewhere, toPath: path)
        #expect(try makeStore().identityKey { [UInt8](repeating: 9, count: 16) } == key)
        // Only root can give a file away.
        guard geteuid() == 0 else { return }
        chown(path, 12_345, 12_345)
        #expect(throws: StateFileError.self) { _ = try makeStore().identityKey() }
    }

    @Test func `our own key is good for this run where it cannot be written`() throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: directory + "/bonds", withDestinationPath: "/nowhere")
        let store = makeStore()
        #expect(try store.identityKey { [UInt8](repeating: 7, count: 16) } == Sample.key(7))
        #expect(store.troubles.contains { $0.contains("cannot be written") })
    }

    @Test func `what is kept aside takes no earlier file's place`() throws {
        let path = folder + "/c00000000001-random.bond"
        for text in ["one", "two", "three"] {
            save([.stored(try #require(Sample.bond(1)))])
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            _ = makeStore()
        }
        let name = "bonds-00a000000001-public-c00000000001-random.bond"
        #expect(files(shelf) == [name, name + ".2", name + ".3"])
        let kept = files(shelf).map { FileManager.default.contents(atPath: shelf + "/" + $0) }
        #expect(kept == ["one", "two", "three"].map { Data($0.utf8) })
    }

    @Test func `more bonds than are used are told of`() throws {
        let store = BondStore(directory: nil, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        _ = store.use(controller)
        let numbers = 1...UInt64(BondTable.capacity)
        store.apply(try numbers.map { .stored(try #require(Sample.bond($0))) })
        #expect(store.use(controller).count == BondTable.capacity && store.troubles == [])
        store.apply([.stored(try #require(Sample.bond(numbers.upperBound + 1)))])
        _ = store.use(controller)
        #expect(store.troubles.count == 1 && store.troubles[0].contains("there are 257 bonds, and 256 are used"))
    }

    @Test func `a bond that cannot be saved is told of, and works until the end`() throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: directory + "/bonds"))
        let bond = try #require(Sample.bond(1))
        let store = makeStore()
        store.apply([.stored(bond)])
        store.finishSaving()
        #expect(store.records.map(\.bond) == [bond])
        #expect(store.troubles.contains { $0.contains("lasts until the end of the process") })
        #expect(keeper.lines.contains { $0.contains("a bond cannot be saved") })
    }

    /// Many peers, so that removals and new bonds come faster than the disk takes them.
    @Test func `the old keys of peers that pair again go, although the new keys cannot be saved`() throws {
        let numbers = 1...16 as ClosedRange<UInt64>
        let old = try numbers.map { try #require(Sample.bond($0)) }
        let new = try numbers.map { try #require(Sample.bond($0, keys: .secureConnections(Sample.key(9)))) }
        save(old.map { .stored($0) })
        let paths = old.map { folder + "/" + BondFile.fileName(of: $0.identity) + BondStore.suffix }
        #expect(files(folder).count == paths.count)
        let store = makeStore()
        for path in paths {
            try FileManager.default.createDirectory(
                atPath: path + StateFile.unfinished, withIntermediateDirectories: false)
        }
        store.apply(zip(old, new).flatMap { [BondChange.removed($0.identity), .stored($1)] })
        store.finishSaving()
        #expect(store.troubles.contains { $0.contains("lasts until the end of the process") })
        #expect(paths.filter { FileManager.default.fileExists(atPath: $0) } == [])
    }

    @Test func `without a directory bonds last as long as the process`() throws {
        let store = BondStore(directory: nil, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        store.load()
        let bond = try #require(Sample.bond(1))
        #expect(store.use(controller) == [])
        store.apply([.stored(bond)])
        #expect(store.use(controller) == [bond])
    }
}

/// Keeps log lines.
private final class LineKeeper: Sendable {
    private let kept = Mutex<[String]>([])
    var lines: [String] { kept.withLock { $0 } }

    struct Handler: LogHandler {
        let keeper: LineKeeper
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let values = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            keeper.kept.withLock { $0.append("\(event.message) \(values.joined(separator: " "))") }
        }
    }
}
