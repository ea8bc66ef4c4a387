// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Synchronization
import Testing
import TestSupport
import VirtualRadio

@testable import Collector
@testable import Configuration
@testable import Gateway
@testable import Provisioning

@Suite(.timeLimit(.minutes(10)))
struct ServiceAdvertisingTests {
    private func isOnAir(_ bench: ServiceBench) -> Bool {
        bench.service.state.withLock { $0.manager?.isAdvertising } == true
    }

    /// Returns when the service has handled all events so far.
    private func settled(_ bench: ServiceBench) async throws {
        try await waitFor("rest") { bench.service.state.withLock { $0.isPublished && $0.works.isEmpty } }
        bench.service.queue.sync {}
    }

    private func bond(device: String?, authenticated: Bool = true) -> BondStatus {
        BondStatus(
            device: device, address: "C4:7C:8D:00:11:22", identifier: "", authenticated: authenticated,
            secureConnections: true, keySize: 16, central: device == nil, since: "")
    }

    @Test func `it is found by service and name while the window is open, and not when it is closed`() async throws {
        let bench = try ServiceBench(window: WindowState())
        try await settled(bench)
        #expect(!isOnAir(bench))
        bench.window.open(by: .button)
        let phone = try bench.makePhone()
        try await phone.manager.waitUntilPoweredOn()
        let advertisement = await phone.manager.advertisements(withServices: nil).first { $0.localName != nil }
        #expect(advertisement?.localName == "Martlet" && advertisement?.isConnectable == true)
        #expect(advertisement?.serviceUUIDs == [CBUUID(of: ProvisioningTable.service)])
        bench.window.close()
        try await waitFor("the end") { !isOnAir(bench) }
    }

    @Test func `phones that are bonded find it in between, if the operator wants that`() async throws {
        for (admits, bonds, expected) in [
            (true, [bond(device: nil)], true), (false, [bond(device: nil)], false), (true, [], false),
            (true, [bond(device: "attic")], false), (true, [bond(device: nil, authenticated: false)], false),
        ] {
            let operations = BenchOperations()
            operations.state.withLock { $0.bonds = bonds }
            var configuration = ProvisioningConfiguration()
            configuration.admitsKnownPhones = admits
            let bench = try ServiceBench(operations: operations, window: WindowState(), configuration: configuration)
            try await settled(bench)
            if expected { try await waitFor("an advertisement") { isOnAir(bench) } }
            #expect(isOnAir(bench) == expected, "\(admits) \(bonds)")
        }
    }

    @Test func `a new name is advertised, and a controller that was lost advertises again`() async throws {
        let bench = try ServiceBench()
        let phone = try bench.makePhone()
        try await phone.connect()
        try await phone.pair()
        try await phone.write("Attic", to: .name)
        try await phone.subscribe(.apply)
        try await phone.write("apply", to: .apply)
        try await phone.hears(.apply, #""step":"done""#)
        try await waitFor("the name") { bench.service.state.withLock { $0.advertising.name } == "Attic" }
        bench.service.queue.sync {}
        let own = bench.radio.controllerStates().first { $0.address == ServiceBench.address }
        func starts() -> Int { bench.lines.lines.count { $0.hasPrefix("phones find the configuration service [") } }
        try await waitFor("the advertisement of the name") { starts() == 2 }
        bench.radio.simulateHardwareError(try #require(own).id)
        try await waitFor("the way back") { starts() == 3 }
        #expect(!bench.service.sender.hasSubscribers(.apply))
        #expect(bench.service.state.withLock { $0.phones.count } == 0)
    }

    @Test func `a service that has stopped is not there any more`() async throws {
        let bench = try ServiceBench()
        let phone = try bench.makePhone()
        try await phone.connect()
        try await phone.pair()
        try await phone.subscribe(.status)
        bench.service.stop()
        try await waitFor("the end") { !bench.service.sender.hasSubscribers(.status) }
        let services = try await phone.peripheral.services()
        #expect(services.isEmpty)
        bench.service.stop()
    }
}
