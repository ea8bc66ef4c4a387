// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Logging
import SMP
import Synchronization
import Testing

@testable import BluetoothHost

/// Disk writes that peers can cause, on a disk that does not keep up.
final class DiskWriterTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
        "martlet-writer-\(UUID().uuidString)"
    ).path
    private let disk = HeldDisk()
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private let controller = DeviceAddress(kind: .public, value: 0xA0_0000_0001)
    /// No delayed write happens within a test.
    private static let pace = WritePace(delay: .seconds(3_600), burst: 5, interval: .seconds(3_600))

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    private func makeStore(of controller: DeviceAddress? = nil) -> BondStore {
        let store = BondStore(directory: directory, files: disk, pace: Self.pace, logger: logger, now: { 1_000 })
        store.load()
        _ = store.use(controller ?? self.controller)
        return store
    }

    /// Acts like a peer that toggles a subscription.
    private func toggle(_ bond: Bond, _ count: Int, in store: BondStore) -> Bond {
        var bond = bond
        for number in 0..<count {
            bond.clientState = [UInt8(number & 0xFF), UInt8(number >> 8)]
            store.apply([.stored(bond)])
        }
        return bond
    }

    @Test func `a peer that subscribes without end costs one write, and what it did last is kept`() throws {
        let store = makeStore()
        let bond = try #require(Sample.bond(1))
        store.apply([.stored(bond)])
        store.finishSaving()
        #expect(disk.created.count == 1)
        let last = toggle(bond, 10_000, in: store)
        #expect(disk.created.count == 1 && store.pendingWrites == 1)
        store.finishSaving()
        #expect(disk.created.count == 2 && store.pendingWrites == 0)
        #expect(makeStore().records.map(\.bond) == [last])
    }

    @Test func `a removal overtakes what waits, and the bond is not back`() async throws {
        let store = makeStore()
        let bonds = try (1...50 as ClosedRange<UInt64>).map { try #require(Sample.bond($0)) }
        store.apply([.stored(bonds[0])])
        store.finishSaving()
        disk.hold()
        store.apply([.stored(try #require(Sample.bond(1, keys: .secureConnections(Sample.key(9)))))])
        disk.waitUntilHeld()
        store.apply(bonds.dropFirst().map { .stored($0) })
        _ = toggle(bonds[0], 10_000, in: store)
        #expect(store.pendingWrites == 50)
        store.forget(bonds[0].identity)
        #expect(store.pendingWrites == 50)
        let before = disk.created.count
        // The test looks the file up by name, before the disk goes on. A second store would tidy away the first store's
        // half-written file.
        let names = [controller, bonds[0].identity].map(BondFile.fileName(of:)).joined(separator: "/")
        let path = "\(directory)/\(names).bond"
        #expect(FileManager.default.fileExists(atPath: path))
        let seen = Mutex<(trouble: String?, files: Int, isThere: Bool)>((nil, -1, true))
        await withCheckedContinuation { done in
            store.confirmRemoval(of: bonds[0].identity) { [disk] trouble in
                let isThere = FileManager.default.fileExists(atPath: path)
                seen.withLock { $0 = (trouble, disk.created.count, isThere) }
                done.resume()
            }
            disk.letGo()
        }
        // One write of another bond may have been on its way.
        #expect(seen.withLock { $0.trouble } == nil && seen.withLock { $0.files } <= before + 1)
        #expect(!seen.withLock { $0.isThere })
        store.finishSaving()
        #expect(makeStore().records.map(\.bond) == Array(bonds.dropFirst()))
    }

    @Test func `a stop writes each bond once at most`() throws {
        let store = makeStore()
        let bonds = try (1...20 as ClosedRange<UInt64>).map { try #require(Sample.bond($0)) }
        store.apply(bonds.map { .stored($0) })
        store.finishSaving()
        let before = disk.created.count
        #expect(before == 20)
        let last = bonds.map { toggle($0, 500, in: store) }
        store.finishSaving()
        #expect(disk.created.count == before + 20)
        #expect(makeStore().records.map(\.bond) == last)
        // When the time is over, keys are still written, and subscriptions are not.
        let key = try #require(Sample.bond(3, keys: .secureConnections(Sample.key(9))))
        _ = toggle(last[0], 3, in: store)
        disk.hold()
        store.apply([.stored(key)])
        disk.waitUntilHeld()
        disk.letGo()
        store.finishSaving(within: .zero)
        #expect(disk.created.count == before + 21)
        #expect(makeStore().records.map(\.bond) == last.map { $0.identity == key.identity ? key : $0 })
    }

    @Test func `a bond that is made again while its removal waits does not save the old keys`() throws {
        let store = makeStore()
        let (old, new) = (
            try #require(Sample.bond(1)), try #require(Sample.bond(1, keys: .secureConnections(Sample.key(9))))
        )
        store.apply([.stored(old)])
        store.finishSaving()
        disk.hold()
        store.apply([.stored(try #require(Sample.bond(2)))])
        disk.waitUntilHeld()
        store.forget(old.identity)
        store.apply([.stored(new)])
        disk.letGo()
        store.finishSaving()
        #expect(disk.removed == ["c00000000001-random.bond"])
        #expect(makeStore().records.map(\.bond) == [new, try #require(Sample.bond(2))])
    }

    @Test func `unpaired is unpaired with every controller`() throws {
        let numbers = 0xA0_0000_0001...0xA0_0000_0003 as ClosedRange<UInt64>
        let controllers = numbers.map { DeviceAddress(kind: .public, value: $0) }
        let bond = try #require(Sample.bond(1))
        for controller in controllers {
            let store = makeStore(of: controller)
            store.apply([.stored(bond)])
            store.finishSaving()
        }
        let store = makeStore(of: controllers[1])
        store.forget(bond.identity)
        store.finishSaving()
        for controller in controllers { #expect(makeStore(of: controller).records == [], "\(controller)") }
    }

    @Test func `a thousand strangers that connect cost one write of the known peers`() throws {
        let peers = PeerDirectory(directory: directory, files: disk, pace: Self.pace, logger: logger)
        peers.finishSaving()
        #expect(disk.created == ["peers.json"])
        let numbers = 0xC000_0000_0001...0xC000_0000_03E8 as ClosedRange<UInt64>
        let addresses = numbers.map { DeviceAddress(kind: .random, value: $0) }
        for address in addresses { peers.keep(address) }
        let identifiers = addresses.map { peers.identifier(for: $0) }
        #expect(disk.created == ["peers.json"])
        peers.finishSaving()
        #expect(disk.created == ["peers.json", "peers.json"])
        let later = PeerDirectory(directory: directory, logger: logger)
        #expect(identifiers.map { later.address(for: $0) } == addresses)
    }

    @Test func `a folder that is there keeps its mode, and may lie behind a link`() throws {
        let manager = FileManager.default
        try manager.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory)
        let link = directory + "/link"
        try manager.createDirectory(atPath: directory + "/real", withIntermediateDirectories: true)
        try manager.createSymbolicLink(atPath: link, withDestinationPath: "real")
        for path in [directory, link] {
            let peers = PeerDirectory(directory: path, logger: logger)
            peers.keep(DeviceAddress(kind: .random, value: 0xC000_0000_0001))
            let identifier = peers.identifier(for: DeviceAddress(kind: .random, value: 0xC000_0000_0001))
            peers.finishSaving()
            #expect(PeerDirectory(directory: path, logger: logger).address(for: identifier) != nil, "\(path)")
        }
        #expect(try manager.attributesOfItem(atPath: directory)[.posixPermissions] as? Int == 0o755)
    }
}
