// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Testing
import VirtualRadio

@testable import Collector
@testable import GatewayBench

/// Other devices hold links of the gateway's controller, and a sensor waits for one.
@Suite(.timeLimit(.minutes(10)))
struct ForeignLinkTests {
    private static let sensor: UInt64 = 0xC000_0000_0001

    private func scene(links: Int, idleTime: Int64) throws -> ListeningScene {
        var rule = ListeningScene.rule("s", address: Self.sensor)
        rule.subscribe = [.init(service: CounterService.service, characteristic: CounterService.value)]
        var limits = SlotLimits()
        (limits.idleTime, limits.foreignPace) = (idleTime, 100)
        return try ListeningScene(
            [rule], slotLimits: limits, settings: ControllerSettings(maximumLinks: links))
    }

    private func addSensor(to scene: ListeningScene) {
        _ = scene.radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .random, value: Self.sensor), name: "S", kind: .counter, rate: 20))
    }

    private func waits(_ scene: ListeningScene) async throws {
        try await waitFor("the sensor's wish for a link") { scene.status("s")?.link == .queued }
    }

    @Test func `a sensor gets the link of a stranger who does nothing, though strangers come back at once`()
        async throws
    {
        let scene = try scene(links: 2, idleTime: 300)
        let server = try await Stranger.advertise(by: scene.controller)
        var comers: [Task<Void, Never>] = []
        for number in 1...2 as ClosedRange<UInt64> {
            comers.append(try await Stranger(number, on: scene.radio).stay())
        }
        defer { for comer in comers { comer.cancel() } }
        try await waitFor("the strangers' links, which are all") { scene.controller.slots.used == 2 }
        addSensor(to: scene)
        #expect(await eventually { scene.outcome.now.readings.count >= 20 })
        withExtendedLifetime(server) {}
    }

    @Test func `when another device leaves by itself, the sensor that waited has the link`() async throws {
        let scene = try scene(links: 1, idleTime: 3_600_000)
        let server = try await Stranger.advertise(by: scene.controller)
        let stranger = try Stranger(1, on: scene.radio)
        let gateway = try await stranger.connect()
        addSensor(to: scene)
        try await waits(scene)
        #expect(await settled { scene.outcome.now.readings.count } == 0)
        try await gateway.disconnect(timeout: hangLimit)
        #expect(await eventually { scene.outcome.now.readings.count >= 5 })
        withExtendedLifetime((server, stranger)) {}
    }
}
