// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import Testing
import VirtualRadio

@testable import Collector
@testable import GatewayBench

/// Sensors of other gateways.
@Suite(.ownThread, .timeLimit(.minutes(10)))
struct OwnerTests {
    @Test func `a link is given up for another gateway, and made again when that one is gone`() async throws {
        let scene = try WhyScene([WhyScene.rule("counter", name: "Counter")])
        _ = scene.add("Counter", at: 1)
        let working = try #require(await scene.why("counter") { $0.state == .link(.collecting) }, "\(scene.log)")
        scene.collector.setOwner("gw-2", of: "counter")
        let left = try #require(await scene.why("counter") { $0.state == .link(.elsewhere) }, "\(scene.log)")
        #expect(
            left.answer
                == "The gateway gw-2 collects from the sensor; this gateway takes over when the other falls silent.")
        #expect(left.advice == nil)
        #expect(left.events.last?.kind == .elsewhere && left.events.last?.detail == "gw-2")
        let end = try #require(left.events.last { $0.kind == .linkEnded })
        #expect(end.endedBy == .gateway && end.detail == "gw-2 collects from the sensor")
        #expect(scene.status("counter")?.owner == "gw-2" && scene.status("counter")?.link == .elsewhere)
        // The sensor advertises, and the collector leaves it alone.
        try await Task.sleep(for: .milliseconds(300))
        #expect(scene.status("counter")?.link == .elsewhere)
        scene.collector.setOwner(nil, of: "counter")
        let again = try #require(
            await scene.why("counter") { $0.state == .link(.collecting) && $0.link != working.link }, "\(scene.log)")
        #expect(again.events.contains { $0.kind == .connecting && $0.detail == "no other gateway" })
    }

    @Test func `a sensor of another gateway is not connected to when it comes into the air`() async throws {
        let scene = try WhyScene([WhyScene.rule("counter", name: "Counter")])
        scene.collector.setOwner("gw-2", of: "counter")
        _ = scene.add("Counter", at: 1)
        let left = try #require(await scene.why("counter") { $0.state == .link(.elsewhere) }, "\(scene.log)")
        #expect(!left.events.contains { $0.kind == .connecting }, "\(scene.log)")
    }

    @Test func `a wish for a link is taken back for another gateway`() async throws {
        let scene = try WhyScene([WhyScene.rule("counter", name: "Counter")])
        let id = scene.add("Counter", at: 1)
        _ = try #require(await scene.why("counter") { $0.state == .link(.collecting) }, "\(scene.log)")
        scene.radio.simulateOutOfRange(id)
        scene.radio.simulateDisconnection(of: id, reason: .connectionTimeout)
        _ = try #require(await scene.why("counter") { $0.state == .link(.connecting) }, "\(scene.log)")
        scene.collector.setOwner("gw-2", of: "counter")
        _ = try #require(await scene.why("counter") { $0.state == .link(.elsewhere) }, "\(scene.log)")
        scene.radio.simulateInRange(id)
        try await Task.sleep(for: .milliseconds(300))
        #expect(scene.status("counter")?.link == .elsewhere, "\(scene.log)")
    }
}
