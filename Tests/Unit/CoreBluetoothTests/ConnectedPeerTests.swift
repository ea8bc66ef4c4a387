// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing
import TestSupport
import VirtualRadio

@testable import BluetoothHost
@testable import CoreBluetooth

/// Connected peripherals by their services, and their services in later runs.
@Suite(.timeLimit(.minutes(10)))
struct ConnectedPeerTests {
    private static let counterService = CBUUID(string: "5E4D0001-1C7B-4B5E-9B0A-3F6B2C9D7A10")
    private static let heartRate = CBUUID(string: "180D")

    /// Links with a search still to come, by the host.
    private func unsearched(_ application: Application, without service: CBUUID) async -> Int {
        await withCheckedContinuation { continuation in
            application.controller.host.perform { host in
                let links = host.withMachine { machine, _ in machine.takeUnsearched(without: [service.value]) }
                continuation.resume(returning: links.count)
            }
        }
    }

    @Test func `every connected peripheral is asked for its services, not the first one alone`() async throws {
        let application = try Application()
        let manager = try await application.makeManager()
        var known: Set<UUID> = []
        for number in 1...3 as ClosedRange<UInt64> {
            _ = application.addSensor(.counter, number: number)
            manager.scanForPeripherals(withServices: nil)
            try await waitFor("a discovery") {
                application.discovered.contains { $0.peripheral.name == "Sensor \(number)" }
            }
            manager.stopScan()
            let found = application.discovered.map(\.peripheral).first { $0.name == "Sensor \(number)" }
            let peripheral = try #require(found)
            try await peripheral.connect(timeout: .seconds(20))
            known.insert(peripheral.identifier)
        }
        let other = try await application.makeManager()
        let connected = other.retrieveConnectedPeripherals(withServices: [Self.counterService])
        #expect(Set(connected.map(\.identifier)) == known)
    }

    @Test func `services of an earlier run tell of a connected peripheral without a search`() async throws {
        let directory = NSTemporaryDirectory() + "martlet-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let radio = VirtualRadio(seed: 31)
        defer { radio.stop() }
        _ = radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .random, value: 0xC000_0000_0001), name: "Sensor 1", kind: .counter,
                rate: 20, hasDatabaseHash: true))
        let first = try Application(on: radio, stateDirectory: directory)
        let earlier = try await first.makeManager()
        let peripheral = try await first.connect(with: earlier)
        _ = try await peripheral.services()
        try await waitFor("what is kept") {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: directory + "/cache")) ?? []
            return names.contains { name in
                let octets = FileManager.default.contents(atPath: "\(directory)/cache/\(name)") ?? Data()
                let text = String(decoding: octets, as: UTF8.self)
                return name.hasSuffix(".json") && text.contains("\"allServices\":true")
            }
        }
        withExtendedLifetime(earlier) { first.controller.shutdown() }

        let second = try Application(on: radio, stateDirectory: directory)
        let manager = try await second.makeManager()
        let again = try await second.connect(with: manager)
        #expect(await unsearched(second, without: Self.counterService) == 0)
        #expect(manager.retrieveConnectedPeripherals(withServices: [Self.counterService]).first === again)
    }

    @Test func `searches for an absent service take no manager's place`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        _ = try await application.connect(with: manager)
        for _ in 0..<80 { #expect(manager.retrieveConnectedPeripherals(withServices: [Self.heartRate]).isEmpty) }
        let other = try await application.makeManager()
        #expect(other.state == .poweredOn)
    }

    @Test func `a peer whose services may have changed is searched again`() {
        var discovery = LinkDiscovery()
        discovery.search()
        discovery.found([Self.heartRate.value])
        #expect(discovery.isSearched)
        discovery.forget()
        #expect(!discovery.isSearched && discovery.services.isEmpty)
    }
}
