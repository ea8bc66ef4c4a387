// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Logging
import SMP
import StateFiles
import Testing

@testable import BluetoothHost

/// The power is cut at every step of every change of a bond. Then every possible content of the disk is read.
struct BondPowerCutTests {
    struct Story: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The bonds on disk before.
        let before: [Bond]
        let changes: [BondChange]
        let after: [Bond]
    }

    private static let controller = DeviceAddress(kind: .public, value: 0xA0_0000_0001)

    private static func bond(_ number: UInt64, _ octet: UInt8) -> Bond? {
        Sample.bond(number, keys: .secureConnections(Sample.key(octet)), identityKey: Sample.key(octet &+ 1))
    }

    static let stories: [Story] = {
        guard let old = bond(1, 0x11), let new = bond(1, 0x22), let other = bond(2, 0x33) else { return [] }
        return [
            Story(testDescription: "the first bond", before: [], changes: [.stored(new)], after: [new]),
            Story(testDescription: "another bond", before: [other], changes: [.stored(new)], after: [new, other]),
            Story(testDescription: "a new key", before: [old, other], changes: [.stored(new)], after: [new, other]),
            Story(
                testDescription: "a bond removed", before: [old, other], changes: [.removed(old.identity)],
                after: [other]),
        ]
    }()

    private func makeStore(on disk: SimulatedDisk) -> BondStore {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let store = BondStore(directory: "/state/bonds", files: disk, logger: logger, now: { 1_000 })
        store.load()
        return store
    }

    private func change(_ changes: [BondChange], on disk: SimulatedDisk) {
        let store = makeStore(on: disk)
        _ = store.use(Self.controller)
        store.apply(changes)
        store.finishSaving()
    }

    private func bonds(on disk: SimulatedDisk) -> (bonds: [Bond], troubles: [String]) {
        let store = makeStore(on: disk)
        return (store.use(Self.controller), store.troubles)
    }

    @Test(arguments: stories)
    func `after a power cut at any step there is the old bond or the new one`(_ story: Story) throws {
        var (states, cuts, hasOld, hasNew, hasUnfinished) = (0, 0, false, false, false)
        while true {
            let disk = SimulatedDisk()
            change(story.before.map { .stored($0) }, on: disk)
            let start = disk.steps
            disk.endPower(after: cuts)
            change(story.changes, on: disk)
            let isWhole = disk.steps - start < cuts
            for found in disk.disksAfterPowerCut() {
                states += 1
                hasUnfinished = hasUnfinished || found.files.contains { $0.hasSuffix(StateFile.unfinished) }
                let (bonds, troubles) = bonds(on: found)
                try #require(bonds == story.after || !isWhole && bonds == story.before, "step \(cuts)")
                // A half-written file was never taken for a bond.
                try #require(troubles == [])
                // No key without a bond lies on the disk, now or after the next cut.
                let names = bonds.map { "/state/bonds/00a000000001-public/\(BondFile.fileName(of: $0.identity)).bond" }
                for disk in [found] + found.disksAfterPowerCut() { try #require(disk.files == names.sorted()) }
                hasOld = hasOld || bonds == story.before
                hasNew = hasNew || bonds == story.after
                // The next run goes on with the content of this disk.
                change(story.changes, on: found)
                try #require(self.bonds(on: found).bonds == story.after)
            }
            guard !isWhole else { break }
            cuts += 1
        }
        #expect(hasOld && hasNew)
        #expect(hasUnfinished == story.changes.contains { if case .stored = $0 { true } else { false } })
        #expect(cuts >= 3 && states > cuts)
    }

    @Test func `what was left unfinished goes with the bond`() throws {
        let disk = SimulatedDisk()
        let bond = try #require(Self.bond(1, 0x11))
        change([.stored(bond)], on: disk)
        let path = try #require(disk.files.first)
        let store = makeStore(on: disk)
        _ = store.use(Self.controller)
        // A write of ours after the read, which has failed half way.
        disk.close(try disk.create(path + StateFile.unfinished))
        store.apply([.removed(bond.identity)])
        store.finishSaving()
        for found in [disk] + disk.disksAfterPowerCut() { #expect(found.files == []) }
    }

    @Test func `a file that is cut anywhere is no bond, and neither is one with any bit changed`() throws {
        let bond = try #require(Self.bond(1, 0x44))
        let record = BondRecord(bond: bond, madeAt: 5)
        let octets = Array(try BondFile.encode(record, of: Self.controller))
        let name = "c00000000001-random.bond"
        #expect(try BondFile.decode(octets, named: name, of: Self.controller) == record)
        for length in octets.indices {
            #expect(throws: BondFile.Fault.self) {
                try BondFile.decode(Array(octets[..<length]), named: name, of: Self.controller)
            }
        }
        for index in octets.indices {
            for bit in 0..<8 {
                var changed = octets
                changed[index] ^= 1 << bit
                // Blanks and line ends are JSON's own, and change no bond.
                let found = try? BondFile.decode(changed, named: name, of: Self.controller)
                #expect(found == nil || found == record, "bit \(bit) of octet \(index)")
            }
        }
    }
}
