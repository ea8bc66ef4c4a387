// SPDX-License-Identifier: Apache-2.0

import SMP
import BluetoothCore
import BluetoothHost
import Foundation
import Logging
import Synchronization
import Testing

/// Bonds on a real disk.
final class SecurityStoreTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
        "martlet-bonds-\(UUID().uuidString)"
    ).path
    private let keeper = LineKeeper()

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    private func makeStore() -> BondStore {
        let handler = LineKeeper.Handler(keeper: keeper)
        return BondStore(directory: directory, logger: Logger(label: "test") { _ in handler })
    }

    private func permissions(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue
    }

    private var files: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted() }

    @Test func `bonds come back, in files that only the owner reads`() throws {
        let store = makeStore()
        #expect(store.load() == [])
        #expect(!FileManager.default.fileExists(atPath: directory), "nothing secret, no directory")
        let bonds = try [
            #require(Sample.bond(1, identityKey: Sample.key(2))), #require(Sample.bond(2, isAuthenticated: true)),
        ]
        store.apply(bonds.map { .stored($0) })
        store.finishSaving()
        #expect(files == ["c00000000001-random.bond", "c00000000002-random.bond"])
        #expect(try permissions(directory) == 0o700)
        for file in files { #expect(try permissions(directory + "/" + file) == 0o600) }
        #expect(makeStore().load() == bonds)
        store.apply([.removed(bonds[0].identity), .removed(Sample.identity(77))])
        store.finishSaving()
        #expect(makeStore().load() == [bonds[1]])
        #expect(keeper.lines == [])
    }

    @Test func `a damaged file is kept aside and named, and the others are read`() throws {
        let bonds = try (1...3 as ClosedRange<UInt64>).map { try #require(Sample.bond($0)) }
        let store = makeStore()
        store.apply(bonds.map { .stored($0) })
        store.finishSaving()
        let (cut, foreign) = (directory + "/c00000000001-random.bond", directory + "/c00000000003-random.bond")
        let whole = try #require(FileManager.default.contents(atPath: cut))
        try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: cut))
        // A bond under another peer's name.
        try whole.write(to: URL(fileURLWithPath: foreign))
        #expect(makeStore().load() == [bonds[1]])
        #expect(
            files == [
                "c00000000001-random.bond.damaged", "c00000000002-random.bond", "c00000000003-random.bond.damaged",
            ])
        #expect(keeper.lines.count == 2 && keeper.lines[0].contains("c00000000001-random.bond.damaged"))
        #expect(!keeper.lines.joined().contains("abab"), "no octet of a key")
    }

    @Test func `a write that a power cut ended leaves the bond as it was`() throws {
        let store = makeStore()
        var bond = try #require(Sample.bond(1))
        store.apply([.stored(bond)])
        store.finishSaving()
        let leftover = directory + "/c00000000001-random.bond.new"
        try Data("{".utf8).write(to: URL(fileURLWithPath: leftover))
        #expect(makeStore().load() == [bond])
        bond.clientState = [1, 2, 3]
        store.apply([.stored(bond)])
        store.finishSaving()
        #expect(makeStore().load() == [bond])
        #expect(files == ["c00000000001-random.bond"])
    }

    @Test func `our own key is made once`() throws {
        let octets = (1...16).map { UInt8($0) }
        let key = try makeStore().identityKey { octets }
        #expect(key.octets == octets)
        #expect(try permissions(directory + "/identity.key") == 0o600)
        #expect(try makeStore().identityKey { [UInt8](repeating: 9, count: 16) } == key)
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: directory + "/identity.key"))
        #expect(try makeStore().identityKey { [UInt8](repeating: 5, count: 16) } == Sample.key(5))
        #expect(files == ["identity.key", "identity.key.damaged"])
        #expect(throws: (any Error).self) {
            try FileManager.default.removeItem(atPath: directory + "/identity.key")
            _ = try makeStore().identityKey { [UInt8](repeating: 0, count: 16) }
        }
    }

    @Test func `a bond that cannot be saved is told of`() throws {
        try Data().write(to: URL(fileURLWithPath: directory))
        let store = makeStore()
        store.apply([.stored(try #require(Sample.bond(1)))])
        store.finishSaving()
        #expect(keeper.lines.count == 1)
    }
}

/// Keeps what is logged.
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
