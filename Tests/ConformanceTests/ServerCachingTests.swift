// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import Testing

/// Our host as GATT server: the Generic Attribute service and robust caching.
struct ServerCachingTests {
    private static let robustCaching: UInt8 = 1
    /// Handles of the service that is added meanwhile.
    private static let another = "42 00 44 00"
    private static let readHash = "08 01 00 FF FF 2A 2B"
    private static let outOfSync: OctetPattern = "01 0A 22 00 12"

    @Test func `GATT/SR/GAS/BV-01-C service changed`() throws {
        try conformance("GATT/SR/GAS/BV-01-C") { bench in
            bench.bond()
            try bench.expects(write: ServerTable.serviceChangedConfiguration, [2, 0])
            try bench.publish([ServerTable.another])
            try bench.expects(att: OctetPattern("1D 12 00 \(Self.another)"))
            bench.send(att: "1E")
            // A change while the client is away is told when it is back.
            bench.isLinked = false
            try bench.withdraw(serviceAt: ServerTable.anotherHandle)
            bench.isLinked = true
            try bench.reconnect()
            try bench.expects(att: "1D 12 00 ?? ?? ?? ??")
            bench.send(att: "1E")
            try bench.reconnect()
            try bench.expectsNothing(for: .seconds(1))
        }
    }

    @Test func `GATT/SR/GAS/BV-03-C client supported features`() throws {
        try conformance("GATT/SR/GAS/BV-03-C") { bench in
            let other = try ServerBench()
            try bench.expects(read: ServerTable.clientSupportedFeatures, [0])
            try bench.expects(write: ServerTable.clientSupportedFeatures, [1])
            try bench.expects(read: ServerTable.clientSupportedFeatures, [1])
            try bench.expects(write: ServerTable.clientSupportedFeatures, [5])
            try bench.expects(read: ServerTable.clientSupportedFeatures, [5])
            // A bit that was set is never taken back.
            try bench.asks("12 15 00 04", answer: "01 12 15 00 13")
            try bench.expects(read: ServerTable.clientSupportedFeatures, [5])
            try other.expects(read: ServerTable.clientSupportedFeatures, [0])
        }
    }

    @Test func `GATT/SR/GAS/BV-04-C client supported features of a bonded client`() throws {
        try conformance("GATT/SR/GAS/BV-04-C") { bench in
            try bench.expects(write: ServerTable.clientSupportedFeatures, [1])
            try bench.reconnect()
            try bench.expects(read: ServerTable.clientSupportedFeatures, [0])
            bench.bond()
            try bench.expects(write: ServerTable.clientSupportedFeatures, [1])
            try bench.reconnect()
            try bench.expects(read: ServerTable.clientSupportedFeatures, [1])
        }
    }

    @Test func `GATT/SR/GAS/BV-05-C a change-unaware client is told once`() throws {
        try conformance("GATT/SR/GAS/BV-05-C") { bench in
            try bench.expects(write: ServerTable.clientSupportedFeatures, [Self.robustCaching])
            try bench.publish([ServerTable.another])
            // Commands of a client that does not know are passed over.
            bench.send(att: "52 24 00 09")
            try bench.expectsNothing()
            try require(bench.writes.isEmpty, "the owner was given \(bench.writes)")
            try bench.asks("0A 22 00", answer: Self.outOfSync)
            try bench.expects(read: ServerTable.fixed, [1, 2, 3])
            // A client that has not asked for it is never told so.
            let other = try ServerBench()
            try other.publish([ServerTable.another])
            try other.expects(read: ServerTable.fixed, [1, 2, 3])
        }
    }

    @Test func `GATT/SR/GAS/BV-06-C a client becomes change-aware`() throws {
        try conformance("GATT/SR/GAS/BV-06-C") { bench in
            try bench.expects(write: ServerTable.clientSupportedFeatures, [Self.robustCaching])
            let before = try hash(bench)
            // By the hash …
            try bench.publish([ServerTable.another])
            try bench.asks("0A 22 00", answer: Self.outOfSync)
            let after = try hash(bench)
            try require(before != after, "the hash did not change")
            try bench.expects(read: ServerTable.fixed, [1, 2, 3])
            // … also where it reads that first …
            try bench.withdraw(serviceAt: ServerTable.anotherHandle)
            let again = try hash(bench)
            try require(again == before, "the same table has another hash")
            try bench.expects(read: ServerTable.fixed, [1, 2, 3])
            // … or by the confirmation of Service Changed.
            try bench.expects(write: ServerTable.serviceChangedConfiguration, [2, 0])
            try bench.publish([ServerTable.another])
            try bench.expects(att: "1D 12 00 ?? ?? ?? ??")
            bench.send(att: "1E")
            try bench.expects(read: ServerTable.fixed, [1, 2, 3])
        }
    }

    @Test func `GATT/SR/GAS/BV-07-C a client becomes change-aware after a change between links`() throws {
        try conformance("GATT/SR/GAS/BV-07-C") { bench in
            bench.bond()
            try bench.expects(write: ServerTable.clientSupportedFeatures, [Self.robustCaching])
            try away(bench) { try bench.publish([ServerTable.another]) }
            try bench.asks("0A 22 00", answer: Self.outOfSync)
            _ = try hash(bench)
            try bench.expects(read: ServerTable.fixed, [1, 2, 3])
            // Once aware, it is so on the next link.
            try bench.reconnect()
            try bench.expects(read: ServerTable.fixed, [1, 2, 3])
            // And by the confirmation of Service Changed.
            try bench.expects(write: ServerTable.serviceChangedConfiguration, [2, 0])
            try away(bench) { try bench.withdraw(serviceAt: ServerTable.anotherHandle) }
            try bench.expects(att: "1D 12 00 ?? ?? ?? ??")
            bench.send(att: "1E")
            try bench.expects(read: ServerTable.fixed, [1, 2, 3])
        }
    }

    @Test func `GATT/SR/GAS/BV-08-C read multiple variable out of sync`() throws {
        try conformance("GATT/SR/GAS/BV-08-C") { bench in
            try bench.expects(write: ServerTable.clientSupportedFeatures, [Self.robustCaching])
            try bench.publish([ServerTable.another])
            try bench.asks("20 22 00 24 00", answer: "01 20 22 00 12")
            try bench.asks("20 22 00 24 00", answer: "21 03 00 01 02 03 01 00 70")
        }
    }

    // MARK: Parts

    private func hash(_ bench: ServerBench) throws -> [UInt8] {
        bench.send(att: Self.readHash)
        return try bench.expects(att: OctetPattern("09 12 17 00 *"))
    }

    /// The table changes while the client has no link.
    private func away(_ bench: ServerBench, _ change: () throws -> Void) throws {
        bench.isLinked = false
        try change()
        bench.isLinked = true
        try bench.reconnect()
    }
}
