// SPDX-License-Identifier: Apache-2.0

import PowerCut
import Testing
import TestSupport

@Suite("A disk's content after a power cut")
struct DiskModelTests {
    private func image(_ operations: [DiskOperation], _ survival: Survival, seed: UInt64 = 1) -> [String: [UInt8]] {
        var disk = DiskModel()
        for operation in operations { disk.apply(operation) }
        var dice = Dice(seed: seed)
        return disk.image(survival, &dice)
    }

    private let synced: [DiskOperation] = [
        .open("a"), .write("a", offset: 0, octets: [1, 2, 3, 4]), .sync("a"), .syncFolder(""),
    ]

    @Test(arguments: Survival.allCases)
    func `what was synced is there`(survival: Survival) {
        for seed in 0..<20 { #expect(image(synced, survival, seed: UInt64(seed)) == ["a": [1, 2, 3, 4]]) }
    }

    @Test func `a file whose name was not synced may be missing`() {
        let unnamed = Array(synced.dropLast())
        #expect(image(unnamed, .nothing) == [:])
        #expect(image(unnamed, .everything) == ["a": [1, 2, 3, 4]])
    }

    @Test func `a file that was deleted may be back, and another may have its name`() {
        let again = synced + [.delete("a"), .open("a"), .write("a", offset: 0, octets: [9]), .sync("a")]
        #expect(image(again, .nothing) == ["a": [1, 2, 3, 4]])
        #expect(image(again, .everything) == ["a": [9]])
        #expect(image(again + [.syncFolder("")], .nothing) == ["a": [9]])
    }

    @Test func `a file that was renamed has one of its names, and one that is moved away is in one place`() {
        let moved =
            synced + [
                .makeFolder("f"), .rename("a", to: "f/b"), .open("c"), .sync("c"), .rename("c", to: "a"),
            ]
        var found: Set<[String]> = []
        for seed in 0..<100 { found.insert(image(moved, .oldest, seed: UInt64(seed)).keys.sorted()) }
        #expect(found.isSuperset(of: [["a"], ["f/b"], ["a", "f/b"]]))
        #expect(found.allSatisfy { !$0.isEmpty })
        #expect(image(moved + [.syncFolder("")], .nothing) == ["a": [], "f/b": [1, 2, 3, 4]])
    }

    @Test func `a file is lost with a folder whose name was not synced`() {
        let made: [DiskOperation] = [
            .makeFolder("f"), .open("f/a"), .write("f/a", offset: 0, octets: [1]), .sync("f/a"), .syncFolder("f"),
        ]
        #expect(image(made, .nothing) == [:])
        #expect(image(made + [.syncFolder("")], .nothing) == ["f/a": [1]])
    }

    @Test func `what was not synced persists in sectors`() {
        let old = [UInt8](repeating: 0, count: 4_096)
        let new = [UInt8](repeating: 7, count: 4_096)
        let operations: [DiskOperation] = [
            .open("a"), .write("a", offset: 0, octets: old), .sync("a"), .syncFolder(""),
            .write("a", offset: 0, octets: new),
        ]
        var found: Set<[UInt8]> = []
        for seed in 0..<50 {
            let octets = image(operations, .sectors, seed: UInt64(seed))["a"] ?? []
            #expect(octets.count == 4_096)
            for start in stride(from: 0, to: octets.count, by: 512) {
                #expect(Set(octets[start..<start + 512]).count == 1, "a sector is whole or untouched")
            }
            found.insert(octets)
        }
        #expect(found.count > 10)
    }

    @Test func `rubbish stays inside of what was written`() {
        let operations = synced + [.write("a", offset: 1, octets: [8, 8])]
        var found: Set<[UInt8]> = []
        for seed in 0..<200 {
            let octets = image(operations, .rubbish, seed: UInt64(seed))["a"] ?? []
            #expect(octets.count == 4 && octets[0] == 1 && octets[3] == 4)
            found.insert(octets)
        }
        #expect(found.count > 5)
    }

    @Test func `a file may be cut off or not, and is longer only where something was written`() {
        let operations = synced + [.truncate("a", size: 1), .write("a", offset: 6, octets: [5])]
        var found: Set<[UInt8]> = []
        for seed in 0..<200 {
            found.insert(image(operations, .sectors, seed: UInt64(seed))["a"] ?? [])
        }
        #expect(
            found == [
                [1, 2, 3, 4], [1], [1, 2, 3, 4, 0, 0, 5], [1, 0, 0, 0, 0, 0, 5], [1, 2, 3, 4, 0, 0, 0],
                [1, 0, 0, 0, 0, 0, 0],
            ])
    }

    @Test func `the same seed leaves the same disk`() {
        let operations = (0..<50).flatMap { index in
            [
                DiskOperation.open("f\(index % 3)"),
                .write("f\(index % 3)", offset: index * 700, octets: Array(repeating: 1, count: 900)),
            ]
        }
        for survival in Survival.allCases {
            #expect(image(operations, survival, seed: 3) == image(operations, survival, seed: 3))
        }
    }
}
