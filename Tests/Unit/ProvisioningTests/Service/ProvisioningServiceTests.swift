// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import NetworkControl
import Synchronization
import Testing

@testable import Configuration
@testable import Gateway
@testable import Provisioning

@Suite(.timeLimit(.minutes(10)))
struct ProvisioningServiceTests {
    @Test func `everybody may read what is open, and is refused the rest with 0x05`() async throws {
        let bench = try ServiceBench()
        let phone = try bench.makePhone()
        phone.controller.pairingPolicy.pairsOnDemand = false
        try await phone.connect()
        #expect(try await phone.read(.protocolVersion) == "1")
        #expect(try await phone.read(.model) == "Martlet on a bench")
        #expect(try await phone.read(.name) == "Martlet")
        #expect(try await phone.read(.state) == "unprovisioned")
        #expect(try await phone.read(.nextStep).contains("passkey that the gateway shows"))
        for item in ProvisioningTable.Item.allCases where item.reading == .owner {
            await #expect(throws: CBATTError(.insufficientAuthentication), "\(item)") { try await phone.read(item) }
        }
        for item in ProvisioningTable.Item.allCases where item.writing == .owner {
            let code = try await phone.refusal(of: "x", to: item)
            #expect(code == 5, "\(item)")
        }
        #expect(bench.operations.calls.isEmpty && bench.service.state.withLock { $0.staging.isEmpty })
    }

    @Test func `Just Works opens nothing that is not open to everybody`() async throws {
        let bench = try ServiceBench()
        bench.controller.pairingPolicy.requiresAuthentication = false
        let phone = try bench.makePhone()
        phone.controller.setPairingAgent(nil)
        var policy = CBPairingPolicy()
        policy.pairsOnDemand = false
        phone.controller.pairingPolicy = policy
        try await phone.connect()
        #expect(try await phone.read(.name) == "Martlet")
        let bond = try await phone.controller.pair(try phone.peripheral)
        #expect(!bond.isAuthenticated && bond.isSecureConnections)
        for item in ProvisioningTable.Item.allCases where item.reading == .owner {
            await #expect(throws: CBATTError(.insufficientAuthentication), "\(item)") { try await phone.read(item) }
        }
        for item in ProvisioningTable.Item.allCases where item.writing == .owner {
            #expect(try await phone.refusal(of: "apply", to: item) == 5, "\(item)")
        }
        for item in ProvisioningTable.Item.allCases where item.notifies {
            let characteristic = try await phone.characteristic(item)
            await #expect(throws: CBATTError(.insufficientAuthentication), "\(item)") {
                for try await _ in try phone.peripheral.notifications(for: characteristic) {}
            }
        }
        #expect(bench.service.state.withLock { $0.staging.isEmpty } && bench.operations.calls.isEmpty)
    }

    @Test func `each characteristic has its description, its properties and its place`() async throws {
        let bench = try ServiceBench()
        let phone = try bench.makePhone()
        try await phone.connect()
        let service = try #require(try await phone.peripheral.services().first)
        let characteristics = try await phone.peripheral.characteristics(in: service)
        #expect(characteristics.map(\.uuid) == ProvisioningTable.Item.allCases.map { CBUUID(of: $0.uuid) })
        for (characteristic, item) in zip(characteristics, ProvisioningTable.Item.allCases) {
            #expect(characteristic.properties.contains(.read) == (item.reading != .nobody), "\(item)")
            #expect(characteristic.properties.contains(.write) == (item.writing != .nobody), "\(item)")
            #expect(characteristic.properties.contains(.notify) == item.notifies, "\(item)")
            let descriptors = try await phone.peripheral.descriptors(of: characteristic)
            let description = try #require(
                descriptors.first { $0.uuid.uuidString == CBUUIDCharacteristicUserDescriptionString })
            let text = try await phone.peripheral.value(for: description)
            #expect(String(decoding: text, as: UTF8.self) == item.userDescription)
        }
    }

    @Test func `a phone pairs, stages, applies and is told each step`() async throws {
        let bench = try ServiceBench()
        let phone = try bench.makePhone()
        try await phone.connect()
        try await phone.pair()
        #expect(phone.controller.bonds.first?.isAuthenticated == true)
        try await phone.subscribe(.apply)
        try await phone.write("de", to: .country)
        try await phone.write(#"{"ssid":"Attic","password":"correct horse"}"#, to: .wireless)
        try await phone.write(#"{"host":"broker.local","username":"gw","password":"secret"}"#, to: .broker)
        try await phone.write("Attic gateway", to: .name)
        #expect(try await phone.read(.state) == "staged")
        try await phone.write("apply", to: .apply)
        try await phone.hears(.apply, #""step":"done""#)
        let steps = phone.lines(.apply).compactMap { line in
            (try? ControlCoding.decode(ProgressMessage.self, from: Array(line.utf8))).map {
                "\($0.step.rawValue) \($0.state.rawValue)"
            }
        }
        let expected = ["check", "country", "associate", "address", "name", "connect", "tls", "broker", "keep"]
            .flatMap { ["\($0) running", "\($0) done"] }
        #expect(steps == expected + ["done done"])
        #expect(bench.network.disk.kept.count == 1 && bench.network.disk.next == bench.operations.disk.network)
        #expect(bench.network.disk.country == "DE")
        #expect(bench.operations.disk.values[["mqtt", "host"]] == .text("broker.local"))
        #expect(try await phone.read(.state) == "provisioned")
        #expect(try await phone.read(.name) == "Attic gateway")
        #expect(bench.window.isProvisioned == true)
        #expect(try await phone.read(.apply) == #"{"state":"done","step":"done"}"#)
    }
}
