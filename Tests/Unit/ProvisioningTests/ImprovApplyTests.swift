// SPDX-License-Identifier: Apache-2.0

import Configuration
import Gateway
import NetworkControl
import Synchronization
import Testing
import TestSupport

@testable import Provisioning

@Suite("Improv's changes", .timeLimit(.minutes(5))) struct ImprovApplyTests {
    private let settings = WirelessSettings(ssid: "Attic", password: "12345678")

    @Test("a network is joined on trial, kept with the settings, and settled, in this order") func kept() async throws {
        let bench = try ServiceBench()
        let actions = bench.service.improvActions(hardware: "a bench")
        try await actions.join(settings)
        let calls = bench.network.calls.filter { !$0.hasPrefix("settle -") }
        #expect(calls.map { $0.prefix(6) } == ["join A", "keep", "settle"])
        let disk = bench.network.disk
        #expect(disk.next.map { disk.kept[$0] } == "Attic")
        #expect(await bench.operations.settings().network == disk.next)
    }

    @Test("a failed join restores the former network, and the next attempt is free") func refused() async throws {
        let network = BenchNetwork()
        network.state.withLock { $0.joinFailure = (.associate, .wrongPassword) }
        let bench = try ServiceBench(network: network)
        let actions = bench.service.improvActions(hardware: "a bench")
        await #expect(throws: NetworkFailure.failed) { try await actions.join(settings) }
        #expect(bench.network.disk == BenchNetwork.Disk())
        network.state.withLock { $0.joinFailure = nil }
        try await actions.join(settings)
        #expect(bench.network.disk.kept.count == 1)
    }

    @Test("during a phone's or Improv's change, no other client can change anything") func busy() async throws {
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        let holder = Holder()
        let network = BenchNetwork { call in
            guard call == "before join Attic" else { return }
            holder.isHeld.withLock { $0 = true }
            for await _ in stops { break }
        }
        let bench = try ServiceBench(network: network)
        let actions = bench.service.improvActions(hardware: "a bench")
        let first = Task { [settings] in try await actions.join(settings) }
        try await waitFor("the join") { holder.isHeld.withLock { $0 } }
        await #expect(throws: NetworkFailure.busy) { try await actions.join(settings) }
        await #expect(throws: NetworkFailure.busy) { try await actions.rename("Cellar") }
        #expect(bench.service.state.withLock { $0.isApplying })
        stop.yield()
        try await first.value
        #expect(!bench.service.state.withLock { $0.isApplying })
    }

    private final class Holder: Sendable {
        let isHeld = Mutex(false)
    }

    @Test("a too slow join is given up, and the former network comes back") func tooLong() async throws {
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        let slow = BenchNetwork { call in
            guard call == "before join Attic" else { return }
            for await _ in stops { break }
        }
        defer { stop.finish() }
        let network = BriefNetwork(slow, limit: .milliseconds(20))
        await #expect(throws: NetworkFailure.timedOut) {
            _ = try await network.join(settings, limit: .seconds(90)) { _ in }
        }
    }

    @Test("a name is kept, or refused as the configuration service would") func renamed() async throws {
        let bench = try ServiceBench()
        let actions = bench.service.improvActions(hardware: "a bench")
        try await actions.rename("Cellar")
        await #expect(throws: WriteRefusal.self) { try await actions.rename("\u{7}") }
        #expect(await actions.name() == "Cellar")
        #expect(await actions.hardware() == "a bench")
    }
}
