// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings
import Testing
import VirtualRadio

@testable import Collector
@testable import GatewayBench

/// Whether descriptions say that a key authenticates a sensor's advertisements.
@Suite(.timeLimit(.minutes(10)))
struct SealedDescriptionTests {
    private static let address: UInt64 = 0xA4C1_3812_3456

    private static func scene(_ family: SimulatedFamily) throws -> ListeningScene {
        var rule = ListeningScene.rule("kitchen", address: address)
        rule.bindKey = Secret(SimulatedFamily.key.hexadecimal)
        let scene = try ListeningScene([rule])
        _ = scene.radio.addBroadcaster(family.configuration(at: address, period: .milliseconds(20)))
        return scene
    }

    @Test func `the first packet that a key opens and proves is told of as that`() async throws {
        let scene = try Self.scene(.bthome)
        #expect(await eventually { !scene.outcome.now.readings.isEmpty })
        #expect(scene.outcome.now.told["kitchen"]?.first?.isSealed == true)
    }

    @Test func `what opening a packet has decoded is not decoded for the status`() async throws {
        let scene = try Self.scene(.bthome)
        #expect(await eventually { scene.outcome.now.readings.count > 5 })
        #expect(scene.status("kitchen")?.values.first?.fields?.isEmpty == false)
        #expect(scene.outcome.now.decodings == 0)
    }

    @Test func `a sensor without a key vouches for nothing`() async throws {
        let scene = try ListeningScene([ListeningScene.rule("tag", address: ListeningScene.tag)])
        _ = scene.addRuuvi()
        #expect(await eventually { !scene.outcome.now.readings.isEmpty })
        #expect(scene.outcome.now.told["tag"]?.allSatisfy { !$0.isSealed } == true)
    }
}
