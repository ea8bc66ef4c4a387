// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import NetworkControl
import Synchronization
import Testing
import TestSupport

@testable import Collector
@testable import Configuration
@testable import Gateway
@testable import Provisioning

/// Applying over the air, with phones that leave, and phones that arrive.
@Suite(.timeLimit(.minutes(10)))
struct ServiceApplyTests {
    private let wireless = #"{"ssid":"Attic","password":"correct horse"}"#
    private let broker = #"{"host":"broker.local","username":"gw","password":"battery staple"}"#
    private let busy = Int(ProvisioningErrorCode.busy.rawValue)
    private let nothingThere = Int(ProvisioningErrorCode.nothingThere.rawValue)

    private func makePhone(_ bench: ServiceBench, _ number: UInt64 = 1) async throws -> BenchPhone {
        let phone = try bench.makePhone(number)
        try await phone.connect()
        try await phone.pair()
        return phone
    }

    @Test func `a wrong password is told, taken back, mended and applied`() async throws {
        let bench = try ServiceBench()
        let phone = try await makePhone(bench)
        try await phone.subscribe(.apply)
        try await phone.write(wireless, to: .wireless)
        try await phone.write(broker, to: .broker)
        bench.network.state.withLock { $0.joinFailure = (.associate, .wrongPassword) }
        try await phone.write("apply", to: .apply)
        try await phone.hears(.apply, "rolled-back")
        #expect(
            phone.lines(.apply).contains {
                $0 == #"{"reason":"wrong-password","state":"failed","step":"associate","text":"#
                    + #""The password of the Wi-Fi network is wrong."}"#
            })
        #expect(try await phone.read(.state) == "staged")
        #expect(try await phone.read(.wireless) == #"{"hidden":false,"password_set":true,"ssid":"Attic"}"#)
        #expect(bench.network.calls.suffix(2) == ["join Attic", "take back"])
        #expect(bench.operations.disk == BenchOperations.Disk() && bench.network.disk.kept.isEmpty)
        bench.network.state.withLock { $0.joinFailure = nil }
        try await phone.write(#"{"ssid":"Attic","password":"correct horse 2"}"#, to: .wireless)
        try await phone.write("apply", to: .apply)
        try await phone.hears(.apply, #""step":"done""#)
        #expect(bench.operations.disk.values[["mqtt", "password"]] == .secret(Secret("battery staple")))
        #expect(try await phone.read(.wireless) == #"{"ssid":"Attic"}"#)
    }

    @Test func `a phone that leaves stops nothing, and reads how it went when it is back`() async throws {
        let stuck = Mutex<CheckedContinuation<Void, Never>?>(nil)
        let network = BenchNetwork { call in
            guard call == "before join Attic" else { return }
            await withCheckedContinuation { wait in stuck.withLock { $0 = wait } }
        }
        let bench = try ServiceBench(network: network)
        let phone = try await makePhone(bench)
        try await phone.write(wireless, to: .wireless)
        try await phone.write("apply", to: .apply)
        try await waitFor("the join") { stuck.withLock { $0 } != nil }
        #expect(try await phone.read(.state) == "applying")
        // Meanwhile nothing else is changed.
        for (text, item) in [
            ("apply", ProvisioningTable.Item.apply), ("staged", .rollBack), ("scan", .networks), ("DE", .country),
            ("erase everything", .factoryReset),
        ] {
            #expect(try await phone.refusal(of: text, to: item) == busy, "\(item)")
        }
        #expect(try await phone.read(.lastError).contains("being applied"))
        try await phone.disconnect()
        stuck.withLock { $0 }?.resume()
        try await waitFor("the end") { bench.service.state.withLock { $0.progress?.step } == .done }
        try await phone.connect()
        #expect(try await phone.read(.apply) == #"{"state":"done","step":"done"}"#)
        #expect(try await phone.read(.state) == "unprovisioned")
        #expect(network.calls.filter { $0 == "join Attic" }.count == 1)
    }

    @Test func `what one phone has staged waits for it, and another one is told so`() async throws {
        let bench = try ServiceBench()
        let first = try await makePhone(bench, 1)
        try await first.write(broker, to: .broker)
        try await first.disconnect()
        let second = try await makePhone(bench, 2)
        #expect(try await second.refusal(of: "Mine", to: .name) == busy)
        #expect(try await second.read(.lastError).contains("Another phone"))
        #expect(try await second.refusal(of: "apply", to: .apply) == busy)
        #expect(try await second.refusal(of: "staged", to: .rollBack) == busy)
        #expect(try await second.read(.broker).contains("broker.local") == false)
        try await first.connect()
        #expect(try await first.read(.broker).contains("broker.local"))
        try await first.write("staged", to: .rollBack)
        #expect(try await first.read(.state) == "unprovisioned")
        #expect(try await second.refusal(of: "Mine", to: .name) == nil)
        #expect(try await second.read(.lastError) == "")
        #expect(try await first.refusal(of: "apply", to: .apply) == busy)
    }

    @Test func `there is nothing to apply, and nothing to go back to`() async throws {
        let bench = try ServiceBench()
        let phone = try await makePhone(bench)
        #expect(try await phone.refusal(of: "apply", to: .apply) == nothingThere)
        #expect(try await phone.refusal(of: "staged", to: .rollBack) == nothingThere)
        #expect(try await phone.refusal(of: "applied", to: .rollBack) == nothingThere)
        #expect(try await phone.refusal(of: [0, 0, 0, 0, 1], to: .authorityData) == nothingThere)
    }

    @Test(arguments: [false, true])
    func `what was applied is gone back from, but for the network`(changesNetwork: Bool) async throws {
        let operations = BenchOperations(
            disk: BenchOperations.Disk(values: [["mqtt", "host"]: .text("old")], network: "old"))
        let network = BenchNetwork(disk: BenchNetwork.Disk(kept: ["old": "Cellar"], next: "old"))
        let bench = try ServiceBench(operations: operations, network: network)
        let phone = try await makePhone(bench)
        try await phone.subscribe(.apply)
        try await phone.write(broker, to: .broker)
        if changesNetwork { try await phone.write(wireless, to: .wireless) }
        try await phone.write("apply", to: .apply)
        try await phone.hears(.apply, #""step":"done""#)
        #expect(operations.disk.values[["mqtt", "host"]] == .text("broker.local"))
        let disk = network.disk
        try await phone.write("applied", to: .rollBack)
        #expect(operations.disk.values[["mqtt", "host"]] == .text("old"))
        // The former network is gone: the next start must have a network.
        #expect(operations.disk.network == disk.next && network.disk == disk && disk.kept.count == 1)
        #expect(try await phone.read(.broker).contains(#""host":"old""#))
        #expect(try await phone.read(.state) == "provisioned")
    }

    @Test func `a check that fails is told like every other step`() async throws {
        let bench = try ServiceBench()
        let phone = try await makePhone(bench)
        try await phone.subscribe(.apply)
        let hash = String(repeating: "0", count: 64)
        try await phone.write(#"{"size":10,"sha256":"\#(hash)"}"#, to: .authority)
        #expect(
            try await phone.read(.authority) == #"{"received":0,"sha256":"\#(hash)","size":10,"state":"partial"}"#)
        try await phone.write("apply", to: .apply)
        try await phone.hears(.apply, "rolled-back")
        #expect(phone.lines(.apply)[1].contains(#""reason":"not-valid","state":"failed","step":"check""#))
        #expect(try await phone.read(.state) == "staged")
        #expect(bench.operations.calls.isEmpty)
    }

    @Test func `at each start the network is settled as the settings say`() async throws {
        let operations = BenchOperations(disk: BenchOperations.Disk(network: "new"))
        let network = BenchNetwork(disk: BenchNetwork.Disk(kept: ["old": "Cellar", "new": "Attic"], next: "old"))
        let bench = try ServiceBench(operations: operations, network: network)
        try await waitFor("the network") { network.calls == ["settle new"] }
        #expect(network.disk == BenchNetwork.Disk(kept: ["new": "Attic"], next: "new"))
        withExtendedLifetime(bench) {}
    }

    @Test func `a factory reset answers, forgets, and is another device afterwards`() async throws {
        let operations = BenchOperations(
            disk: BenchOperations.Disk(values: [["mqtt", "host"]: .text("old")], network: "old"))
        let network = BenchNetwork(disk: BenchNetwork.Disk(kept: ["old": "Cellar"], next: "old"))
        let bench = try ServiceBench(operations: operations, network: network)
        let phone = try await makePhone(bench)
        #expect(try await phone.refusal(of: "erase", to: .factoryReset) == 0x80)
        try await phone.write("erase everything", to: .factoryReset)
        try await waitFor("the reset") { operations.calls.contains("reset") }
        #expect(operations.disk == BenchOperations.Disk() && network.disk == BenchNetwork.Disk())
        #expect(bench.counter.identities.withLock { $0 } == 1)
    }

    @Test func `no secret that was written is read, or logged`() async throws {
        let bench = try ServiceBench()
        bench.window.set(WindowState(opener: .unprovisioned, passkey: .label))
        let phone = try await makePhone(bench)
        try await phone.subscribe(.apply)
        try await phone.subscribe(.status)
        try await phone.subscribe(.log)
        let secrets = ["correct horse", "battery staple", "019655", "314159"]
        func look() async throws {
            for item in ProvisioningTable.Item.allCases where item.reading != .nobody {
                let value = try await phone.read(item)
                for secret in secrets { #expect(!value.contains(secret), "\(item): \(value)") }
            }
            for item in ProvisioningTable.Item.allCases {
                for line in phone.lines(item) + bench.lines.lines {
                    for secret in secrets { #expect(!line.contains(secret), "\(item): \(line)") }
                }
            }
        }
        try await phone.write(wireless, to: .wireless)
        try await phone.write(broker, to: .broker)
        try await phone.write(#"{"address":"C4:7C:8D:00:11:22","id":"a","passkey":"019655"}"#, to: .acceptSensor)
        try await phone.write(#"{"address":"C4:7C:8D:00:11:22","passkey":"314159"}"#, to: .sensorPasskey)
        try await look()
        bench.network.state.withLock { $0.joinFailure = (.address, .noAddress) }
        try await phone.write("apply", to: .apply)
        try await phone.hears(.apply, "rolled-back")
        try await look()
        bench.network.state.withLock { $0.joinFailure = nil }
        try await phone.write("apply", to: .apply)
        try await phone.hears(.apply, #""step":"done""#)
        try await look()
        #expect(bench.lines.lines.contains { $0.contains("applying") })
        #expect(bench.operations.state.withLock { $0.passkeys["C4:7C:8D:00:11:22"] } == Secret("314159"))
        #expect(bench.operations.state.withLock { $0.accepted.first?.passkey } == Secret("019655"))
    }
}
