// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Testing
import VirtualRadio

@testable import Collector
@testable import Gateway
@testable import GatewayBench
@testable import Publisher
@testable import Readings

@Suite("How many links the controller has, and bears", .serialized, .ownThread)
struct ConnectionSlotTests {
    private static func scene(maximumLinks: Int, sensors: Int) throws -> GatewayScene {
        let radio = VirtualRadio(seed: 9)
        for number in 1...sensors { radio.addSensor(.counter(number, rate: 5)) }
        return try GatewayScene(
            GatewayScene.counters, on: radio, settings: ControllerSettings(maximumLinks: maximumLinks))
    }

    @Test func `a limit is known once the controller has refused a link, and shown`() throws {
        let scene = try Self.scene(maximumLinks: 2, sensors: 3)
        let isKnown = blockingEventually { scene.gateway.controller.slots == ConnectionSlots(used: 2, limit: 2) }
        #expect(isKnown, "\(scene.gateway.controller.slots)")
        #expect(scene.gateway.status.controller.slots?.free == 0)
    }

    @Test func `without a refusal only those in use are known`() throws {
        let scene = try Self.scene(maximumLinks: 2, sensors: 2)
        let areUp = blockingEventually {
            scene.sensors.count { $0.link == .collecting } == 2
        }
        #expect(areUp)
        #expect(scene.gateway.status.controller.slots == ConnectionSlots(used: 2))
        #expect(scene.gateway.status.controller.slots?.free == nil)
    }

    @Test(arguments: [
        (ConnectionSlots?.none, #""slots"#, false), (ConnectionSlots(used: 3), #""slots_used":3"#, true),
        (ConnectionSlots(used: 3, limit: 8), #""slots":8,"slots_used":3"#, true),
    ])
    func `what is published of the gateway has them where they are known`(
        slots: ConnectionSlots?, part: String, has: Bool
    ) {
        let statistics = GatewayStatistics(
            gateway: "g", stamp: Sample.synced, journal: .init(path: ""), lanes: LaneCounts(), history: .normal,
            slots: slots)
        #expect(String(decoding: statistics.payload, as: UTF8.self).contains(part) == has)
    }
}
