// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Foundation
import Gateway
import Platform
import Testing
import TestSupport
import VirtualRadio

@testable import Collector
@testable import HostBench

/// Attacks on a whole process: host, bond store, disk, the gateway's agent and its control socket. Rows 117 to 119, and 140.
@Suite(.serialized)
struct GatewayAttacks {
    private static let thermo = "id = \"thermo\"\nname = \"Thermo\"\nsubscribe = [\"181a/2a6e\"]\n"

    /// A new sensor on the air.
    private func sensor(on gateway: WholeGateway, isOpen: Bool) async throws -> WholeSensor {
        let sensor = try WholeSensor(on: gateway.radio, isOpen: isOpen)
        try await waitFor("the sensor advertises") { sensor.isAdvertising }
        return sensor
    }

    /// Records an attack's outcome.
    private func row(_ row: Int, _ id: String, _ script: () async throws -> Void) async throws {
        let result: Result<Void, any Error>
        do { result = .success(try await script()) } catch { result = .failure(error) }
        try AttackRecord.run(row, id, file: #fileID) { try result.get() }
    }

    @Test(.timeLimit(.minutes(5))) func `row 117: a paired peer that subscribes without end`() async throws {
        try await row(117, "disk wear by a paired peer") {
            let gateway = try WholeGateway(Self.thermo)
            let sensor = try await sensor(on: gateway, isOpen: false)
            try await waitFor("values come") { (gateway.status?.readings ?? 0) > 2 }
            try require(gateway.bonds.count == 1, "\(gateway.bonds.count) bonds")
            let began = ContinuousClock.now
            let before = gateway.disk.count(".bond")
            try sensor.toggles(300)
            try await waitFor("300 writes are answered") { sensor.writes == 300 }
            let waiting = gateway.host.bonds.pendingWrites
            try require(waiting <= 1, "\(waiting) writes wait")
            // The budget allows five files, and one more a minute.
            let written = gateway.disk.count(".bond") - before
            let minutes = Int((ContinuousClock.now - began) / .seconds(60))
            try require(written <= 5 + minutes, "\(written) writes")
            let beforeRemoval = gateway.disk.count(".bond")
            let removed = try await gateway.unpair()
            try require(removed.device == "thermo", "unpaired \(removed)")
            let meanwhile = gateway.disk.count(".bond") - beforeRemoval
            try require(meanwhile <= 1, "\(meanwhile) writes before the answer")
            try require(gateway.bondsOnDisk.isEmpty, "told, and still on disk: \(gateway.bondsOnDisk)")
            let beforeStop = gateway.disk.count(".bond")
            gateway.stop()
            try require(gateway.disk.count(".bond") == beforeStop, "the stop writes what was removed")
            try require(gateway.bondsOnDisk.isEmpty, "back: \(gateway.bondsOnDisk)")
            sensor.end()
        }
    }

    @Test(.timeLimit(.minutes(5))) func `row 118: an impostor pairs at the address of an open sensor`() async throws {
        try await row(118, "impersonation of an open sensor") {
            let gateway = try WholeGateway(Self.thermo + "address = \"00:B0:00:00:00:02\"\n")
            let true1 = try await sensor(on: gateway, isOpen: true)
            try await waitFor("values come") { (gateway.status?.readings ?? 0) > 2 }
            for isRestarted in [false, true] {
                if isRestarted {
                    gateway.stop()
                    try gateway.start()
                }
                true1.end()
                let impostor = try await sensor(on: gateway, isOpen: false)
                try await waitFor("the impostor has failed") {
                    gateway.status?.trouble?.contains("gave its values without pairing before") == true
                        || impostor.pairings.contains(true)
                }
                // The impostor asks by itself, too.
                let asked = impostor.pairings.count
                try await waitFor("the impostor's own pairing has ended") {
                    impostor.asksForPairing()
                    return impostor.pairings.count > asked
                }
                try require(!impostor.pairings.contains(true) && gateway.bonds.isEmpty, "the impostor is bonded with")
                impostor.end()
                let true2 = try await sensor(on: gateway, isOpen: true)
                let before = gateway.status?.readings ?? 0
                try await waitFor("the true sensor is collected") { (gateway.status?.readings ?? 0) > before + 2 }
                try require(gateway.status?.trouble == nil, "trouble: \(gateway.status?.trouble ?? "")")
                true2.end()
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func `row 119: strangers with ever new addresses`() async throws {
        try await row(119, "disk wear by strangers") {
            let gateway = try WholeGateway("name = \"Thermo\"\nsubscribe = [\"181a/2a6e\"]\n")
            for number in 0..<40 as Range<UInt64> {
                _ = gateway.radio.addSensor(
                    VirtualSensor.Configuration(
                        address: DeviceAddress(kind: .random, value: 0xC000_0000_7000 + number), name: "Thermo",
                        kind: .environment, rate: 1, advertisingInterval: .milliseconds(50)))
                try await waitFor("stranger \(number) is connected") { gateway.host.connected.count > number }
            }
            // The first of the file, and ten in a row.
            let written = gateway.disk.count("peers.json")
            try require(written <= 1 + 10, "\(written) writes")
            let before = gateway.disk.count("peers.json")
            gateway.stop()
            try require(gateway.disk.count("peers.json") <= before + 1, "more than one write at the stop")
        }
    }

    @Test(.timeLimit(.minutes(5))) func `row 140: configurations of very many values are checked without end`()
        async throws
    {
        try await row(140, "memory of what is read again") {
            let gateway = try WholeGateway(Self.thermo)
            let keys = (0..<1_500).map { line in (0..<31).map { "a\($0 + line)" }.joined(separator: ".") + " = 1" }
            let texts = [
                keys.joined(separator: "\n"), "a = [" + String(repeating: "{},", count: 60_000) + "]",
                "a = " + String(repeating: "[", count: 200_000), "a" + String(repeating: ".a", count: 100_000) + " = 1",
            ]
            // The parts for the reading of a text are there from the beginning.
            for text in texts { gateway.check(text) }
            let before = MemoryStatus.now?.ownBytes ?? 0
            for _ in 0..<10 {
                for text in texts { gateway.check(text) }
            }
            let after = MemoryStatus.now?.ownBytes ?? .max
            // Other tests run in this process; each round would keep 30 MiB.
            let limit: UInt64 = 128 << 20
            try require(after < before + limit, "own memory has grown from \(before) to \(after) octets")
        }
    }
}
