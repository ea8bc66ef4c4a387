// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import GATT
import HCITransport
import SMP
import Testing

@testable import BluetoothHost
@testable import HostBench

/// A configuration service as in docs/provisioning-protocol.md. The values for owners need an authenticated key of LE Secure Connections. Rows 120
/// and 131.
struct OwnerValueAttacks {
    private static let owners = AttributeAccess(level: .secureConnections)
    private static let service = LocalService(
        uuid: BluetoothUUID(UInt16(0xFFE0)),
        characteristics: [
            LocalCharacteristic(
                uuid: BluetoothUUID(UInt16(0xFFE1)), properties: .read, value: [0x31], write: .denied),
            LocalCharacteristic(
                uuid: BluetoothUUID(UInt16(0xFFE2)),
                properties: [.read, .write, .writeWithoutResponse, .notify, .indicate], read: owners, write: owners,
                notify: owners,
                descriptors: [
                    LocalDescriptor(
                        uuid: BluetoothUUID(UInt16(0x2901)), value: [0x57], read: .open, write: .denied),
                    LocalDescriptor(
                        uuid: BluetoothUUID(UInt16(0xFFEE)), value: GuardedTable.canary(20), read: owners,
                        write: .denied),
                ]),
            LocalCharacteristic(
                uuid: BluetoothUUID(UInt16(0xFFE3)), properties: .read, value: GuardedTable.canary(512), read: owners,
                write: .denied),
            LocalCharacteristic(
                uuid: BluetoothUUID(UInt16(0xFFE4)), properties: .write, read: .denied, write: owners),
        ])

    /// The service's handles, and the requests to its owner.
    private final class Table {
        let open, value, configuration, descriptor, long, secret: UInt16
        var asked: [UInt16] = []

        init(_ published: PublishedService) throws {
            let handles = published.characteristics.map(\.valueHandle)
            try require(handles.count == 4, "the table has \(handles)")
            (open, value, long, secret) = (handles[0], handles[1], handles[2], handles[3])
            (configuration, descriptor) = (value + 1, value + 3)
        }

        func type(of handle: UInt16) -> [UInt8] {
            switch handle {
            case value: [0xE2, 0xFF]
            case configuration: [0x02, 0x29]
            case descriptor: [0xEE, 0xFF]
            case long: [0xE3, 0xFF]
            default: [0xE4, 0xFF]
            }
        }
    }

    /// Insufficient Authentication, or Encryption where a key exists; not permitted; not found; no group.
    private static let refusals: Set<UInt8> = [0x05, 0x0F, 0x02, 0x03, 0x0A, 0x10]

    private func refused(_ scene: AttackBench, _ request: [UInt8], _ what: String) throws {
        try scene.bench.send(att: request)
        let seen = try scene.bench.expects(att: "*")
        let isRefused = seen.count == 5 && seen[0] == 0x01 && seen[1] == request[0]
        try require(isRefused && Self.refusals.contains(seen[4]), "\(what): \(text(request)): \(text(seen))")
    }

    /// Every way to every protected handle.
    private func triesEverything(_ scene: AttackBench, _ table: Table, _ what: String) throws {
        let bench = scene.bench
        for handle in [table.value, table.descriptor, table.long, table.secret] {
            try refused(scene, [0x0A] + little(handle), what)
            for offset in [0, 1, 20, 22, 512] as [UInt16] {
                try refused(scene, [0x0C] + little(handle) + little(offset), what)
            }
            for opcode in [0x0E, 0x20] as [UInt8] {
                try refused(scene, [opcode] + little(table.open) + little(handle), what)
                try refused(scene, [opcode] + little(handle) + little(table.open), what)
            }
            for opcode in [0x08, 0x10] as [UInt8] {
                try refused(scene, [opcode] + little(table.open) + little(table.secret) + table.type(of: handle), what)
            }
            // Looked for by its value, which would be a guess confirmed.
            for count in [1, 16, 20, 64] {
                let range = little(table.open) + little(table.secret)
                try refused(scene, [0x06] + range + table.type(of: handle) + GuardedTable.canary(count), what)
            }
        }
        for handle in [table.value, table.configuration, table.descriptor, table.long, table.secret] {
            try refused(scene, [0x12] + little(handle) + [1, 0], what)
            try refused(scene, [0x16] + little(handle) + [0, 0, 1, 0], what)
            try bench.send(att: [0x52] + little(handle) + [1, 0])
            try bench.send(att: [0xD2] + little(handle) + [1, 0] + counting(12))
        }
        // Our server prepares the write to the open value, refuses the write to the closed value, and executes the rest.
        let open = [0x16] + little(GuardedTable.writable) + [0, 0, 0x71]
        try bench.send(att: open)
        try bench.expects(att: [0x17] + open.dropFirst())
        try refused(scene, [0x16] + little(table.value) + [0, 0, 0x71], what)
        try bench.send(att: "18 01")
        try bench.expects(att: "19")
        // Values leave for a peer with the right to them.
        for handle in [table.value, table.long] {
            bench.host.update(handle, GuardedTable.canary(20), on: bench.links, for: Bench.client, at: bench.now)
        }
        try bench.expectsNothing(for: .milliseconds(300))
        try require(table.asked.isEmpty, "\(what): the owner was asked for \(table.asked)")
    }

    private func bond(
        _ keys: LongTermKeys, isAuthenticated: Bool, isOfCentral: Bool, clientState: [UInt8] = []
    ) throws -> Bond {
        let bond = Bond(
            identity: RawPeer.publicAddress, keys: keys, isAuthenticated: isAuthenticated, isOfCentral: isOfCentral,
            clientState: clientState)
        guard let bond else { throw ScriptFailure("no bond") }
        return bond
    }

    /// A link with this bond. If `numbers` names a key, the link is encrypted with it.
    private func enters(_ scene: AttackBench, _ bond: Bond?, _ numbers: [UInt8]?) throws {
        try scene.leave()
        scene.forgetBond()
        if let bond { try require(scene.bench.host.store(bond), "the bond was not taken") }
        try scene.enter(mtu: 185)
        guard let numbers else { return }
        let status = try scene.bench.encrypts(numbers)
        try require(status == 0, "not encrypted: \(status)")
    }

    @Test func `row 120: owners' values, over Just Works and by strangers`() throws {
        try attack(120, "owner values over Just Works", by: [.central]) { scene in
            let bench = scene.bench
            try scene.leave()
            let table = try Table(try bench.publish(Self.service))
            let guarded = bench.served
            bench.served = { event in
                switch event {
                case .read(_, let handle, _) where handle >= table.open: table.asked.append(handle)
                case .write(_, _, let items) where items.contains { $0.handle >= table.open }:
                    table.asked += items.map(\.handle)
                case .subscription(_, let handle, true) where handle >= table.open: table.asked.append(handle)
                default: guarded?(event)
                }
            }
            scene.remember()
            let secure = LongTermKeys.secureConnections(Bench.key)
            for hasWindow in [false, true] {
                bench.host.peripheralPolicy = hasWindow ? SecurityPolicy() : nil
                try enters(scene, nil, nil)
                try triesEverything(scene, table, "plain")
                // A bond from a time with another policy.
                let unproven = try bond(secure, isAuthenticated: false, isOfCentral: true)
                try enters(scene, unproven, nil)
                try triesEverything(scene, table, "Just Works, plain")
                try enters(scene, unproven, Bench.noNumbers)
                try triesEverything(scene, table, "Just Works")
                try enters(
                    scene, try bond(Bench.legacyKeys, isAuthenticated: true, isOfCentral: true), Bench.legacyNumbers)
                try triesEverything(scene, table, "legacy")
                // A stranger at the address of an owner's phone.
                try enters(scene, try bond(secure, isAuthenticated: true, isOfCentral: true), nil)
                try triesEverything(scene, table, "a stranger")
            }
            try enters(scene, try bond(secure, isAuthenticated: true, isOfCentral: false), Bench.noNumbers)
            try triesEverything(scene, table, "a sensor's key")

            // The owner subscribes, and is told.
            try enters(scene, try bond(secure, isAuthenticated: true, isOfCentral: true), Bench.noNumbers)
            scene.owner.expectsTrust = true
            try bench.send(att: [0x12] + little(table.configuration) + [1, 0])
            try bench.expects(att: "13")
            bench.host.update(table.value, GuardedTable.canary(20), on: bench.links, for: Bench.client, at: bench.now)
            try bench.expects(att: [0x1B] + little(table.value) + GuardedTable.canary(20))
            let state = bench.host.bond(for: RawPeer.publicAddress)?.clientState ?? []
            try require(!state.isEmpty && table.asked == [table.value], "the owner has not subscribed: \(table.asked)")
            table.asked = []
            // The subscription is still there under a weaker bond, and of no use.
            let weaker = [
                (try bond(secure, isAuthenticated: false, isOfCentral: true, clientState: state), Bench.noNumbers),
                (
                    try bond(Bench.legacyKeys, isAuthenticated: true, isOfCentral: true, clientState: state),
                    Bench.legacyNumbers
                ),
            ]
            for (bond, numbers) in weaker {
                scene.owner.expectsTrust = true
                try enters(scene, bond, nil)
                scene.owner.expectsTrust = false
                for isEncrypted in [false, true] {
                    if isEncrypted { try require(try bench.encrypts(numbers) == 0, "not encrypted") }
                    bench.run(for: .milliseconds(100))
                    // Our server may ask the owner again; nothing follows.
                    table.asked = []
                    try triesEverything(scene, table, "a subscription from before")
                }
            }
            bench.host.peripheralPolicy = nil
            bench.served = guarded
            try scene.leave()
            scene.forgetBond()
            try scene.enter()
        }
    }

    /// The records of a link in a capture and in the flight recorder, and the packets on the link.
    private final class Recordings {
        private var packets: [[UInt8]] = []
        private var ring = FlightRing(capacity: 1 << 20)
        private let capture: BTSnoopWriter
        private let path = NSTemporaryDirectory() + "martlet-attack-\(UUID().uuidString).btsnoop"

        init() throws { capture = try BTSnoopWriter(path: path) }
        deinit { try? FileManager.default.removeItem(atPath: path) }

        func record(_ packet: [UInt8], _ direction: BTSnoopWriter.Direction) {
            packets.append(packet)
            ring.record(packet.span.bytes, direction, microseconds: 0)
            capture.record(packet.span.bytes, direction)
        }

        var files: [(String, [[UInt8]])] {
            get throws {
                capture.flush()
                let captured = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
                return [
                    ("the link", packets),
                    ("the recorder", try BTSnoopReader.records(of: ring.file()).records.map(\.packet)),
                    ("the capture", try BTSnoopReader.records(of: captured).records.map(\.packet)),
                ]
            }
        }

        static func traces(_ packets: [[UInt8]]) -> Int {
            packets.count { packet in
                packet.indices.dropLast(2).contains { index in
                    GuardedTable.traces.contains(packet[index...(index + 2)].reduce(0) { $0 << 8 | UInt32($1) })
                }
            }
        }
    }

    @Test func `row 131: owners' values in a capture and in the flight recorder`() throws {
        try attack(131, "owner values in recordings", by: [.central]) { scene in
            let bench = scene.bench
            try scene.leave()
            let table = try Table(try bench.publish(Self.service))
            scene.remember()
            let secure = LongTermKeys.secureConnections(Bench.key)
            scene.owner.expectsTrust = true
            try enters(scene, try bond(secure, isAuthenticated: true, isOfCentral: true), Bench.noNumbers)
            let recordings = try Recordings()
            let watch = bench.onSent
            bench.onSent = {
                watch?($0)
                recordings.record($0, .sent)
            }
            bench.onReceived = { recordings.record($0, .received) }
            let (range, both) = (
                little(table.open) + little(table.secret), little(table.long) + little(table.descriptor)
            )
            let reads: [[UInt8]] = [
                [0x0A] + little(table.long), [0x0A] + little(table.descriptor),
                [0x0C] + little(table.long) + little(100),
                [0x0C] + little(table.long) + little(508), [0x08] + range + table.type(of: table.long),
                [0x08] + range + table.type(of: table.descriptor), [0x0E] + both, [0x20] + both,
                [0x0E] + little(table.open) + little(table.descriptor),
                [0x20] + little(table.open) + little(table.descriptor),
                [0x06] + range + table.type(of: table.descriptor) + GuardedTable.canary(20),
            ]
            for read in reads {
                try bench.send(att: read)
                let seen = try bench.expects(att: "*")
                try require(seen.first == read[0] + 1, "\(text(read)): \(text(seen))")
            }
            let canary = GuardedTable.canary(10)
            try bench.send(att: [0x12] + little(GuardedTable.writable) + canary)
            try bench.expects(att: "13")
            try bench.send(att: [0x16] + little(GuardedTable.writable) + [0, 0] + canary)
            try bench.expects(att: [0x17] + little(GuardedTable.writable) + [0, 0] + canary)
            try bench.send(att: "18 01")
            try bench.expects(att: "19")
            try bench.send(att: [0x52] + little(GuardedTable.writable) + canary)
            try bench.send(att: [0xD2] + little(GuardedTable.writable) + canary + counting(12))
            for bits in [1, 2] as [UInt8] {
                try bench.send(att: [0x12] + little(table.configuration) + [bits, 0])
                try bench.expects(att: "13")
                bench.host.update(
                    table.value, GuardedTable.canary(20), on: bench.links, for: Bench.client, at: bench.now)
                let seen = try bench.expects(att: "*")
                try require(seen.first == (bits == 1 ? 0x1B : 0x1D), text(seen))
                if bits == 2 { try bench.send(att: "1E") }
            }
            (bench.onSent, bench.onReceived) = (watch, nil)
            for (name, packets) in try recordings.files {
                let count = Recordings.traces(packets)
                try require(name == "the link" ? count >= reads.count + 6 : count == 0, "\(count) packets in \(name)")
            }
            try scene.leave()
            scene.forgetBond()
            scene.owner.expectsTrust = false
            try scene.enter()
        }
    }
}
