// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import CoreBluetooth
import Testing
import VirtualRadio

@testable import Collector
@testable import GatewayBench

@Suite("Links without values, and a radio without packets")
struct QuietLinkTests {
    private static var limits: SilenceLimits {
        var limits = SilenceLimits()
        (limits.least, limits.factor) = (300, 2)
        return limits
    }

    private static func scene() throws -> WhyScene {
        try WhyScene([WhyScene.rule("counter", name: "Counter")], silenceLimits: limits)
    }

    /// The timer's action.
    private func look(_ scene: WhyScene) { scene.collector.queue.sync { scene.collector.lookForSilence() } }

    @Test func `a subscription that the sensor has lost is written again, on the same link`() async throws {
        let scene = try Self.scene()
        let sensor = scene.add("Counter", at: 1)
        _ = try #require(await scene.why("counter") { $0.usualMs != nil }, "\(scene.log)")
        scene.radio.simulateForgottenSubscriptions(of: sensor)
        let mended = try #require(
            await scene.why("counter") { $0.events.contains { $0.kind == .subscriptionLost } }, "\(scene.log)")
        #expect(mended.events.last { $0.kind == .subscriptionLost }?.detail?.isEmpty == false)
        let speaking = try #require(await scene.why("counter") { $0.events.last?.kind == .speaking }, "\(scene.log)")
        #expect(!speaking.events.contains { $0.kind == .linkEnded })
        #expect(scene.log.contains("has lost a subscription"))
        #expect(scene.status("counter")?.drops == 0)
    }

    @Test func `where subscriptions stand and nothing comes the link is made anew, once`() async throws {
        let scene = try Self.scene()
        let sensor = scene.add("Counter", at: 1)
        _ = try #require(await scene.why("counter") { $0.usualMs != nil }, "\(scene.log)")
        scene.radio.simulateMuteness(of: sensor)
        _ = try #require(await scene.why("counter") { $0.events.contains { $0.kind == .silent } }, "\(scene.log)")
        let isRenewed = await eventually {
            look(scene)
            return scene.status("counter")?.drops == 1
        }
        try #require(isRenewed, "\(scene.log)")
        let speaking = try #require(
            await scene.why("counter") { $0.state == .link(.collecting) && ($0.lastValueAgeMs ?? .max) < 200 },
            "\(scene.log)")
        #expect(!speaking.events.contains { $0.kind == .subscriptionLost })
        #expect(scene.status("counter")?.lastDrop?.hasPrefix("no value in") == true)
        // The next silence of this hour is left alone.
        scene.radio.simulateMuteness(of: sensor)
        _ = try #require(await scene.why("counter") { $0.events.last?.kind == .silent }, "\(scene.log)")
        for _ in 0..<20 {
            look(scene)
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(scene.status("counter")?.drops == 1)
    }

    @Test func `a scanner that hears nothing is brought back step by step, and each sensor's history has it`()
        async throws
    {
        // Long limits, so that a busy machine does not count as silence: the recovery from silence ends with a closed controller.
        var liveness = LivenessLimits()
        (liveness.shortest, liveness.first, liveness.proof) = (.seconds(5), .seconds(5), .seconds(3))
        let scene = try WhyScene([WhyScene.rule("counter", name: "Counter")], liveness: liveness)
        let sensor = scene.add("Counter", at: 1)
        let collects = await eventually { (scene.status("counter")?.readings ?? 0) > 3 }
        try #require(collects, "\(scene.log)")
        scene.radio.simulateOutOfRange(sensor)
        // Without its only sensor the collector scans and hears nothing: the host tries every step.
        let isTried = await eventually { scene.controller.health.taken["reopen"] != nil }
        try #require(isTried, "\(scene.log)")
        #expect(scene.controller.health.taken["scan"] != nil && scene.controller.health.taken["reset"] != nil)
        #expect(scene.controller.health.events.contains { $0.reason.hasPrefix("nothing was heard in") })
        // The descriptor is closed, or belongs to another file: the host does not use it again.
        let isOver = await eventually { scene.controller.statusDescription.contains("cannot be opened again") }
        #expect(isOver, "\(scene.controller.statusDescription)")
        let told = try #require(
            await scene.why("counter") { $0.events.contains { $0.kind == .radioStep } }, "\(scene.log)")
        #expect(told.events.first { $0.kind == .radioStep }?.detail?.hasPrefix("scan: nothing was heard in") == true)
        // Each event has the time of its occurrence, not of the collector's report.
        let times = told.events.map(\.uptimeMs)
        #expect(times == times.sorted(), "\(times)")
        let offsets = told.events.compactMap { event in event.unixMs.map { $0 - event.uptimeMs } }
        #expect((offsets.max() ?? 0) - (offsets.min() ?? 0) < 1_000, "\(offsets)")
    }
}
