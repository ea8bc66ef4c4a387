// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing
import VirtualRadio

@testable import Collector
@testable import Gateway
@testable import GatewayBench
@testable import Journal
@testable import Operations
@testable import Publisher
@testable import Readings

/// `martlet forget SENSOR --quantity NAME`.
@Suite("The removal of one quantity of a sensor")
struct ForgetQuantityTests {
    private static let address: UInt64 = 0xA4C1_3800_000A
    private static let fact = "home-assistant:room"

    /// A BTHome sensor with the name Lab 7, a temperature and a TVOC.
    private static func scene() throws -> (scene: OperationsScene, sensor: AirNodeID) {
        let scene = try OperationsScene(
            """
            [home_assistant]
            discovery = "device"
            [[sensor]]
            id = "room"
            address = "A4:C1:38:00:00:0A"
            [[sensor]]
            id = "away"
            name = "Lab 8"
            family = "bthome"
            """)
        let sensor = scene.radio.addBroadcaster(
            VirtualBroadcaster.Configuration(
                address: DeviceAddress(kind: .public, value: address), interval: .milliseconds(20)
            ) { number in
                let value: [UInt8] = number.isMultiple(of: 2) ? [0x02, 0xCA, 0x09] : [0x13, 0xBF, 0x13]
                return [2, 0x01, 0x06, 7, 0x16, 0xD2, 0xFC, 0x40] + value + [6, 0x09] + Array("Lab 7".utf8)
            })
        return (scene, sensor)
    }

    private static func shown(_ scene: OperationsScene) -> SensorStatus? {
        scene.gateway.status.collector.sensors.first { $0.id == "room" }
    }

    @Test func `the sensor may be called by its id, address, identifier and name, and Home Assistant is told`()
        async throws
    {
        let (scene, _) = try Self.scene()
        #expect(await eventually { Self.shown(scene)?.name == "Lab 7" })
        scene.gateway.journal.setIdentifier("battery,co2,humidity,temperature,tvoc;60", for: Self.fact)
        let identifier = try #require(Self.shown(scene)?.identifier)
        let names = ["tvoc": "room", "co2": "A4:C1:38:00:00:0A", "humidity": identifier, "battery": "Lab 7"]
        for (quantity, name) in names.sorted(by: { $0.key < $1.key }) {
            try await scene.operations.forget(quantity, of: name)
            #expect(
                await eventually {
                    DiscoveredSensor(scene.gateway.journal.identifier(for: Self.fact) ?? "").dropped.contains {
                        $0.text == quantity
                    }
                }, "\(name)")
        }
        for name in ["nobody", "A4:C1:38:00:00:0B", "away"] {
            let refused = await refusal { () async throws(OperationError) in
                try await scene.operations.forget("temperature", of: name)
            }
            #expect(refused?.kind == .notFound, "\(name)")
        }
    }

    @Test func `the status shows the quantity no more, whether Home Assistant knew it or not`() async throws {
        let (scene, sensor) = try Self.scene()
        func keys() -> [String] { Self.shown(scene)?.values.flatMap { $0.fields?.map(\.quantity) ?? [] } ?? [] }
        #expect(await eventually { Set(keys()) == ["temperature", "tvoc"] })
        scene.radio.removeSensor(sensor)
        _ = await settled { [Self.shown(scene)?.readings ?? 0, Self.shown(scene)?.repeats ?? 0] }
        try await scene.operations.forget("tvoc", of: "Lab 7")
        #expect(keys() == ["temperature"])
        let refused = await refusal { () async throws(OperationError) in
            try await scene.operations.forget("tvoc", of: "Lab 7")
        }
        #expect(refused?.kind == .notFound)
    }
}
