// SPDX-License-Identifier: Apache-2.0

import SMP
import BluetoothCore
import BluetoothHost
import GATT
import Testing

@testable import HostBench

/// Our host as GATT server: the Generic Attribute service and robust caching.
struct ServerCachingTests {
    private static let robustCaching: UInt8 = 1
    /// Handles of the service that our host adds meanwhile.
    private static let another = "42 00 44 00"
    private static let readHash = "08 01 00 FF FF 2A 2B"
    private static let outOfSync: OctetPattern = "01 0A 22 00 12"

    @Test func `GATT/SR/GAS/BV-01-C service changed`() throws {
        try conformance("GATT/SR/GAS/BV-01-C") { bench in
            try bench.bond()
            try bench.expects(write: ServerTable.serviceChangedConfiguration, [2, 0])
            try bench.bench.publish(ServerTable.another)
            try bench.expects(att: OctetPattern("1D 12 00 \(Self.another)"))
            try bench.send(att: "1E")
            // The server reports a change from the client's absence when the client returns.
            try bench.away { bench.bench.withdraw(serviceAt: ServerTable.anotherHandle) }
            try bench.expects(att: "1D 12 00 ?? ?? ?? ??")
            try bench.send(att: "1E")
            // After the confirmation the server does not report the change again.
            try bench.expectsNothing()
            try bench.reconnect()
            try bench.expectsNothing(for: .seconds(1))
        }
    }

    @Test func `GATT/SR/GAS/BV-02-C database hash`() throws {
        try conformance("GATT/SR/GAS/BV-02-C") { bench in
            try require(try hash(bench) == expectedHash(bench), "not the hash of what the client sees")
            try bench.bench.publish(ServerTable.another)
            try require(try hash(bench) == expectedHash(bench), "not the hash of what the client sees now")
        }
    }

    @Test func `GATT/SR/GAS/BV-03-C client supported features`() throws {
        try conformance("GATT/SR/GAS/BV-03-C") { bench in
            let other = try bench.another()
            try bench.expects(read: ServerTable.clientSupportedFeatures, [0])
            try bench.expects(write: ServerTable.clientSupportedFeatures, [1])
            try bench.expects(read: ServerTable.clientSupportedFeatures, [1])
            try bench.expects(write: ServerTable.clientSupportedFeatures, [5])
            try bench.expects(read: ServerTable.clientSupportedFeatures, [5])
            // The server never clears a bit.
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
            try bench.bond()
            try bench.expects(write: ServerTable.clientSupportedFeatures, [1])
            try bench.reconnect()
            try bench.expects(read: ServerTable.clientSupportedFeatures, [1])
        }
    }

    @Test func `GATT/SR/GAS/BV-05-C a change-unaware client is told once`() throws {
        try conformance("GATT/SR/GAS/BV-05-C") { bench in
            let other = try bench.another()
            try bench.expects(write: ServerTable.clientSupportedFeatures, [Self.robustCaching])
            try bench.bench.publish(ServerTable.another)
            // The server ignores commands of a change-unaware client.
            try bench.send(att: "52 24 00 09")
            try bench.expectsNothing()
            try require(bench.owner.writes.isEmpty, "the owner was given \(bench.owner.writes)")
            try bench.asks("0A 22 00", answer: Self.outOfSync)
            try bench.expects(read: ServerTable.fixed, [1, 2, 3])
            // A client without robust caching never gets the error.
            try other.expects(read: ServerTable.fixed, [1, 2, 3])
        }
    }

    @Test func `GATT/SR/GAS/BV-06-C a client becomes change-aware`() throws {
        try conformance("GATT/SR/GAS/BV-06-C") { bench in
            try bench.expects(write: ServerTable.clientSupportedFeatures, [Self.robustCaching])
            let before = try hash(bench)
            // By the hash …
            try bench.bench.publish(ServerTable.another)
            try bench.asks("0A 22 00", answer: Self.outOfSync)
            let after = try hash(bench)
            try require(before != after, "the hash did not change")
            try bench.expects(read: ServerTable.fixed, [1, 2, 3])
            // … also where the hash is the client's first read …
            bench.bench.withdraw(serviceAt: ServerTable.anotherHandle)
            let again = try hash(bench)
            try require(again == before, "the same table has another hash")
            try bench.expects(read: ServerTable.fixed, [1, 2, 3])
            // … or by the confirmation of Service Changed.
            try bench.expects(write: ServerTable.serviceChangedConfiguration, [2, 0])
            try bench.bench.publish(ServerTable.another)
            try bench.expects(att: "1D 12 00 ?? ?? ?? ??")
            try bench.send(att: "1E")
            try bench.expects(read: ServerTable.fixed, [1, 2, 3])
        }
    }

    @Test func `GATT/SR/GAS/BV-07-C a client becomes change-aware after a change between links`() throws {
        try conformance("GATT/SR/GAS/BV-07-C") { bench in
            try bench.bond()
            try bench.expects(write: ServerTable.clientSupportedFeatures, [Self.robustCaching])
            try bench.away { try bench.bench.publish(ServerTable.another) }
            try bench.asks("0A 22 00", answer: Self.outOfSync)
            _ = try hash(bench)
            try bench.expects(read: ServerTable.fixed, [1, 2, 3])
            // A change-aware client stays change-aware on the next link.
            try bench.reconnect()
            try bench.expects(read: ServerTable.fixed, [1, 2, 3])
            // And by the confirmation of Service Changed.
            try bench.expects(write: ServerTable.serviceChangedConfiguration, [2, 0])
            try bench.away { bench.bench.withdraw(serviceAt: ServerTable.anotherHandle) }
            try bench.expects(att: "1D 12 00 ?? ?? ?? ??")
            try bench.send(att: "1E")
            try bench.expects(read: ServerTable.fixed, [1, 2, 3])
        }
    }

    @Test func `GATT/SR/GAS/BV-08-C read multiple variable out of sync`() throws {
        try conformance("GATT/SR/GAS/BV-08-C") { bench in
            try bench.expects(write: ServerTable.clientSupportedFeatures, [Self.robustCaching])
            try bench.bench.publish(ServerTable.another)
            try bench.asks("20 22 00 24 00", answer: "01 20 22 00 12")
            try bench.asks("20 22 00 24 00", answer: "21 03 00 01 02 03 01 00 70")
        }
    }

    // MARK: Parts

    private func hash(_ bench: ServerBench) throws -> [UInt8] {
        try bench.send(att: Self.readHash)
        return Array(try bench.expects(att: OctetPattern("09 12 17 00 *")).dropFirst(4))
    }

    /// The hash of the table from the tester's reads. Core 5.4, Vol 3, Part G, 7.3.1.
    private func expectedHash(_ bench: ServerBench) throws -> [UInt8] {
        var message: [UInt8] = []
        for attribute in try attributes(bench) {
            switch attribute.type {
            // With their values: service, include and characteristic declarations, and extended properties.
            case 0x2800...0x2803, 0x2900:
                try bench.send(att: [0x0A] + little(attribute.handle))
                message += little(attribute.handle) + little(attribute.type)
                message += try bench.expects(att: "0B *").dropFirst()
            // The specification's other descriptors enter the hash without their values.
            case 0x2901...0x2905: message += little(attribute.handle) + little(attribute.type)
            default: break
            }
        }
        // Values are least significant octet first. Vol 3, Part F, 3.3.1.
        return Cryptography.cmac(.zero, message).reversed()
    }

    /// Every attribute with a short type.
    private func attributes(_ bench: ServerBench) throws -> [(handle: UInt16, type: UInt16)] {
        var found: [(handle: UInt16, type: UInt16)] = []
        var start: UInt16 = 1
        while true {
            try bench.send(att: [0x04] + little(start) + [0xFF, 0xFF])
            let answer = try bench.expects(att: "?? *")
            guard answer[0] == 0x05 else { return found }
            let size = answer[1] == 1 ? 4 : 18
            for offset in stride(from: 2, to: answer.count, by: size) {
                let handle = UInt16(answer[offset]) | UInt16(answer[offset + 1]) << 8
                start = handle + 1
                guard size == 4 else { continue }
                found.append((handle, UInt16(answer[offset + 2]) | UInt16(answer[offset + 3]) << 8))
            }
        }
    }
}
