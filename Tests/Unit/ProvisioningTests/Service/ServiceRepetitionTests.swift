// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Synchronization
import TestSupport
import Testing
import VirtualRadio

@testable import Gateway
@testable import Platform
@testable import Provisioning

/// A gateway is set up repeatedly by one phone after the other, and its state does not grow. The air passes a hundred times as fast.
///
/// The memory is the whole process's: the test measures it only where MARTLET_REPETITIONS sets a number of rounds.
@Suite(.serialized, .timeLimit(.minutes(60)))
struct ServiceRepetitionTests {
    /// A thousand with MARTLET_REPETITIONS=1000.
    private static let times = UInt64(Repetitions.asked ?? 50)
    /// A run with MARTLET_REPETITIONS has no other tests beside it, so that the memory is this test's alone.
    private static let isAlone = Repetitions.asked != nil
    /// Rounds that fill caches and pools.
    private static let first = max(times / 4, 20)

    @Test func `of many set-ups by phones nothing stays in the gateway but the last`() async throws {
        let bench = try ServiceBench(air: AirSettings(pace: 100))
        var before: UInt64 = 0
        for number in 0..<(Self.first + Self.times) {
            if number == Self.first { before = own }
            do {
                try await setUp(bench, number)
            } catch {
                Issue.record("set-up \(number): \(error)")
                throw error
            }
            // The bench's own records.
            bench.lines.clear()
            bench.operations.state.withLock { ($0.calls, $0.former) = ([], nil) }
            bench.network.state.withLock { $0.calls = [] }
        }
        #expect(!Self.isAlone || own <= before + 1 << 20, "\(before) octets have become \(own)")
        try await waitFor("the last bond is gone") { bench.controller.bonds.isEmpty }
        #expect(bench.network.disk.kept.count == 1, "of the networks the last is kept")
        try await waitFor("rest") {
            bench.service.state.withLock { $0.phones.count == 0 && $0.requests == 0 && $0.works.isEmpty }
        }
        #expect(bench.service.state.withLock { $0.staging.isEmpty })
        #expect(!bench.service.sender.hasSubscribers(.apply))
    }

    private var own: UInt64 { MemoryStatus.now?.ownBytes ?? .max }

    /// An unknown phone arrives, pairs, sets the gateway up, and leaves; its bond is removed.
    private func setUp(_ bench: ServiceBench, _ number: UInt64) async throws {
        let phone = try bench.makePhone(number)
        try await phone.connect()
        try await phone.pair()
        try await phone.subscribe(.apply)
        try await phone.write(#"{"ssid":"Attic","password":"correct horse \#(number)"}"#, to: .wireless)
        try await phone.write(#"{"host":"broker.local","username":"gw","password":"secret"}"#, to: .broker)
        try await phone.write("Attic \(number % 2)", to: .name)
        try await phone.write("apply", to: .apply)
        try await phone.hears(.apply, #""step":"done""#)
        try await phone.disconnect()
        for bond in bench.controller.bonds { bench.controller.removeBond(withIdentifier: bond.identifier) }
        phone.controller.shutdown()
    }
}
