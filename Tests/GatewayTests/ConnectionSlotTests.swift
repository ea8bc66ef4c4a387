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
    private static func gateway(maximumLinks: Int, sensors: Int, _ radio: VirtualRadio, _ folder: TestFolder) throws
        -> GatewayService
    {
        for number in 1...sensors {
            _ = radio.addSensor(
                VirtualSensor.Configuration(
                    address: DeviceAddress(kind: .random, value: 0xC0_0000_0000_00 + UInt64(number)),
                    name: "Counter \(number)", kind: .counter, rate: 5, advertisingInterval: .milliseconds(30)))
        }
        let configuration = try GatewayConfiguration.parse(
            """
            [bluetooth]
            controller = "virtual"
            state_directory = "\(folder.path)"
            [journal]
            path = "\(folder.path("journal.db"))"
            durability = "fast"
            [clock]
            require_sync = false
            [control]
            socket = "\(folder.path("control.sock"))"
            [[sensor]]
            name = "Counter *"
            subscribe = ["\(CounterService.service)/\(CounterService.value)"]
            """, gateway: "gw-test")
        let gateway = try GatewayService(
            configuration,
            transport: .descriptor(
                try radio.makeController(
                    address: DeviceAddress(kind: .public, value: 0x02_0000_0000_01),
                    settings: ControllerSettings(maximumLinks: maximumLinks))), logger: Sample.logger)
        gateway.start()
        return gateway
    }

    @Test func `a limit is known once the controller has refused a link, and shown`() throws {
        let (radio, folder) = (VirtualRadio(seed: 9), try TestFolder())
        defer { radio.stop() }
        let gateway = try Self.gateway(maximumLinks: 2, sensors: 3, radio, folder)
        defer { gateway.stop() }
        let isKnown = blockingEventually { gateway.controller.slots == ConnectionSlots(used: 2, limit: 2) }
        #expect(isKnown, "\(gateway.controller.slots)")
        #expect(gateway.status.controller.slots?.free == 0)
    }

    @Test func `without a refusal only those in use are known`() throws {
        let (radio, folder) = (VirtualRadio(seed: 9), try TestFolder())
        defer { radio.stop() }
        let gateway = try Self.gateway(maximumLinks: 2, sensors: 2, radio, folder)
        defer { gateway.stop() }
        let areUp = blockingEventually {
            gateway.status.collector.sensors.count { $0.link == .collecting } == 2
        }
        #expect(areUp)
        #expect(gateway.status.controller.slots == ConnectionSlots(used: 2))
        #expect(gateway.status.controller.slots?.free == nil)
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
