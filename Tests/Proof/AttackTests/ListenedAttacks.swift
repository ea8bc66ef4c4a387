// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Collector
import Foundation
import Gateway
import Journal
import Readings
import TestSupport
import Testing
import VirtualRadio

@testable import HostBench

/// Attacks on a whole gateway by devices which only advertise, or take a connection and stay silent. Rows 122 to 126.
@Suite(.serialized)
struct ListenedAttacks {
    /// Records an attack's outcome.
    static func row(_ row: Int, _ id: String, _ script: () async throws -> Void) async throws {
        let result: Result<Void, any Error>
        do { result = .success(try await script()) } catch { result = .failure(error) }
        try AttackRecord.run(row, id, file: #fileID) { try result.get() }
    }

    private static let sensor: UInt64 = 0xC47C_8D00_1122
    private static let other: UInt64 = 0xC47C_8D00_1133
    private static let stranger: UInt64 = 0xDEAD_BEEF_0001

    /// Plain BTHome under a name: a new value with each packet, `count` of them.
    private static func beacon(
        _ address: UInt64, count: UInt32 = .max, interval: Duration = .milliseconds(50), name: String = "Fridge"
    ) -> VirtualBroadcaster.Configuration {
        VirtualBroadcaster.Configuration(
            address: DeviceAddress(kind: .random, value: address), interval: interval, repetitions: 1
        ) { packet in
            guard packet < count else { return [2, 0x01, 0x06] }
            let number = UInt8(truncatingIfNeeded: packet)
            return [2, 0x01, 0x06, UInt8(name.utf8.count + 1), 0x09] + Array(name.utf8)
                + [9, 0x16, 0xD2, 0xFC, 0x40, 0x00, number, 0x02, number, 0x08]
        }
    }

    @Test(.timeLimit(.minutes(6))) func `row 122: one packet claims the place of a sensor`() async throws {
        try await Self.row(122, "claim of a sensor's place") {
            let gateway = try WholeGateway("id = \"fridge\"\nname = \"Fridge\"\n")
            func status() -> SensorStatus? { gateway.sensors.first { $0.id == "fridge" } }
            // The stranger has two packets alone: the gateway has to hear them. The sensor comes after it.
            try await waitFor("the gateway scans") { gateway.isScanning }
            let stranger = gateway.radio.addBroadcaster(Self.beacon(Self.stranger, count: 2))
            try await waitFor("the stranger is heard") { status()?.address == "DE:AD:BE:EF:00:01" }
            gateway.radio.removeSensor(stranger)
            let sensor = gateway.radio.addBroadcaster(Self.beacon(Self.sensor))
            try await waitFor("the sensor has its place") {
                status()?.address == "C4:7C:8D:00:11:22" && (status()?.readings ?? 0) > 10
            }
            gateway.radio.removeSensor(sensor)
            // Over a restart the place is the sensor's, also while another device speaks.
            gateway.stop()
            try gateway.start()
            let second = gateway.radio.addBroadcaster(Self.beacon(Self.stranger))
            try await waitFor("the other device is refused") {
                gateway.claims(on: "fridge") && status()?.readings ?? 0 == 0
            }
            _ = gateway.radio.addBroadcaster(Self.beacon(Self.sensor))
            try await waitFor("the sensor is collected, and the other one told of") {
                status()?.address == "C4:7C:8D:00:11:22" && (status()?.readings ?? 0) > 10
                    && status()?.claimedBy == "DE:AD:BE:EF:00:01"
            }
            // The replacement of a sensor takes one command.
            _ = try await gateway.trust("fridge", "DE:AD:BE:EF:00:01")
            try await waitFor("the replacement is collected") {
                status()?.address == "DE:AD:BE:EF:00:01" && (status()?.readings ?? 0) > 10
            }
            gateway.radio.removeSensor(second)
        }
    }

    @Test(.timeLimit(.minutes(6))) func `row 123: invented addresses, more than there are places`() async throws {
        try await Self.row(123, "invented addresses") {
            let gateway = try WholeGateway("family = \"bthome\"\n")
            let old = gateway.radio.addBroadcaster(Self.beacon(Self.sensor))
            func readings(_ id: String) -> Int { gateway.sensors.first { $0.id == id }?.readings ?? 0 }
            try await waitFor("the sensor that was there before is collected") { readings("c47c8d001122") > 10 }
            let crowd = (0..<700 as Range<UInt64>).map {
                gateway.radio.addBroadcaster(
                    Self.beacon(0xC000_0000_0000 + $0, count: 1, interval: .seconds(2), name: "x"))
            }
            try await waitFor("the crowd was heard") { gateway.sensors.count >= 60 }
            try await Task.sleep(for: .seconds(3))
            for sender in crowd { gateway.radio.removeSensor(sender) }
            let before = readings("c47c8d001122")
            _ = gateway.radio.addBroadcaster(Self.beacon(Self.other))
            try await waitFor("the sensor that comes after the crowd is collected") { readings("c47c8d001133") > 10 }
            try require(readings("c47c8d001122") > before, "the one from before is lost")
            try require(gateway.sensors.count <= 70, "\(gateway.sensors.count) places are taken")
            gateway.radio.removeSensor(old)
        }
    }

    @Test(.timeLimit(.minutes(6))) func `row 124: strangers take connections and say nothing`() async throws {
        try await Self.row(124, "silent candidates") {
            var settings = ControllerSettings()
            settings.maximumLinks = 6
            let gateway = try WholeGateway(
                "name = \"Heart*\"\nsubscribe = [\"181a/2a6e\"]\n", controller: settings)
            func sensor(_ address: UInt64, _ name: String, isMute: Bool) -> VirtualSensor.Configuration {
                var configuration = VirtualSensor.Configuration(
                    address: DeviceAddress(kind: .random, value: address), name: name, kind: .environment, rate: 2,
                    advertisingInterval: .milliseconds(50))
                configuration.answersNothing = isMute
                return configuration
            }
            for number in 0..<60 as Range<UInt64> {
                _ = gateway.radio.addSensor(sensor(0xC000_0000_7000 + number, "Heart \(number)", isMute: true))
            }
            try await waitFor("strangers have links") { gateway.host.connected.count >= 3 }
            _ = gateway.radio.addSensor(sensor(Self.sensor, "HeartTrue", isMute: false))
            let began = ContinuousClock.now
            try await waitFor("the sensor is collected") {
                (gateway.sensors.first { $0.address == "C4:7C:8D:00:11:22" }?.readings ?? 0) > 2
            }
            let lasted = ContinuousClock.now - began
            try require(lasted < .seconds(100), "after \(lasted)")
        }
    }

    @Test(.timeLimit(.minutes(6))) func `row 125: a loud sender in a journal that is full`() async throws {
        try await Self.row(125, "eviction by a loud sender") {
            let entry = { (id: String, address: UInt64) in
                "id = \"\(id)\"\naddress = \"\(DeviceAddress(kind: .public, value: address))\"\n"
            }
            let gateway = try WholeGateway(
                entry("loud", Self.stranger) + "[[sensor]]\n" + entry("quiet", Self.sensor), journal: "max_rows = 1000")
            let quiet = gateway.radio.addBroadcaster(Self.beacon(Self.sensor, interval: .milliseconds(200)))
            func readings(_ id: String) -> Int { gateway.sensors.first { $0.id == id }?.readings ?? 0 }
            try await waitFor("the quiet sensor is collected") { readings("quiet") > 10 }
            let loud = gateway.radio.addBroadcaster(Self.beacon(Self.stranger, interval: .milliseconds(2)))
            try await waitFor("the journal is full three times over") { readings("loud") > 4_000 }
            gateway.radio.removeSensor(loud)
            gateway.radio.removeSensor(quiet)
            gateway.stop()
            let audit = try gateway.audit()
            try require(audit.balances, "\(audit.complaints)")
            func account(_ id: String) throws -> Audit.Account {
                guard let account = audit.sensors.first(where: { $0.device == id }) else {
                    throw ScriptFailure("no books of \(id)")
                }
                return account
            }
            let (few, many) = (try account("quiet"), try account("loud"))
            try require(few.dropped.isEmpty && few.buffered == few.received, "the quiet one lost \(few)")
            try require(many.dropped["journal-full"] ?? 0 > 3_000, "\(many)")
            try require(audit.total.buffered <= 1_100, "\(audit.total.buffered) rows")
            // The kept rows: all rows of the quiet sensor, and the newest rows of the loud sensor, without a gap.
            let rows = try gateway.rows()
            let own = rows.filter { row in rows.count { $0.device == row.device } == many.buffered }
            try require(own.count == many.buffered, "\(rows.count) rows, \(many.buffered) of the loud one")
            guard let first = own.first, let last = rows.last else { throw ScriptFailure("no rows") }
            let gaps = Int(last.n - first.n) + 1 - rows.count { $0.n >= first.n }
            try require(gaps == 0, "\(gaps) newer rows are lost while older ones of the loud one are kept")
        }
    }

    @Test(.timeLimit(.minutes(6))) func `row 126: advertisers with the address of no device`() async throws {
        try await Self.row(126, "address of no device") {
            let gateway = try WholeGateway("family = \"bthome\"\n")
            for address: UInt64 in [0, 0xFFFF_FFFF_FFFF] { _ = gateway.radio.addBroadcaster(Self.beacon(address)) }
            _ = gateway.radio.addBroadcaster(Self.beacon(Self.sensor))
            try await waitFor("a sensor beside them is collected") {
                gateway.sensors.contains { $0.id == "c47c8d001122" && $0.readings > 10 }
            }
            try require(gateway.sensors.count == 1, "\(gateway.sensors.map(\.id))")
        }
    }
}
