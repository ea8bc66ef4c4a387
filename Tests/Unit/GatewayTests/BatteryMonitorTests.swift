// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing
import VirtualRadio

@testable import Collector
@testable import Gateway
@testable import GatewayBench
@testable import Journal
@testable import Readings
@testable import martlet

/// The whole gateway with a sensor that sends encrypted values after an encrypted command.
@Suite("A battery monitor", .serialized)
struct BatteryMonitorTests {
    private static func radio() -> (radio: VirtualRadio, sensor: AirNodeID) {
        let radio = VirtualRadio(seed: 66)
        let sensor = radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .random, value: 0xC4_7C8D_00_66_01), name: "BM6", kind: .batteryMonitor,
                rate: 10, advertisingInterval: .milliseconds(30)))
        return (radio, sensor)
    }

    @Test(
        "its values go from the command to the broker: by its profile, and by an entry that writes the same octets",
        arguments: [
            "profile = \"bm6\"",
            """
            subscribe = ["fff0/fff4"]
            write = [{ characteristic = "fff0/fff3", value = "697ea0b5d54cf024e794772355554114" }]
            write_every_s = 1
            """,
        ])
    func whole(entry: String) async throws {
        let folder = try TestFolder()
        let broker = try PrivateBroker(folder: folder.path)
        let listener = try MQTTListener(port: broker.port, folder: folder)
        let (radio, sensor) = Self.radio()
        let scene = try GatewayScene(
            "[[sensor]]\nid = \"car\"\nname = \"BM6\"\n\(entry)\n", on: radio, in: folder, port: broker.port)
        let isDelivered = await eventually {
            ((try? listener.deliveries().count { $0.device == "car" }) ?? 0) >= 20
        }
        try #require(isDelivered, "\(scene.log)")
        let counts = try #require(scene.sensors.first?.commands)
        #expect((counts["written"] ?? 0) >= 1 && counts["refused"] == 0, "\(counts)")
        radio.simulateOutOfRange(sensor)
        radio.simulateDisconnection(of: sensor)
        let ledger = try #require(radio.ledger(of: sensor))
        let isSettled = await eventually {
            scene.gateway.status.journal.received >= ledger.delivered
                && scene.gateway.status.journal.delivered == scene.gateway.status.journal.received
                && ((try? listener.deliveries().count) ?? 0) >= ledger.delivered
        }
        #expect(isSettled)
        let sent = ledger.entries.filter(\.isDelivered).compactMap { entry in
            Decoders.decode(characteristic: "fff4", value: entry.value)?.first { $0.quantity == .voltage }?.value.number
        }
        // The answers to commands are no values.
        #expect(!sent.isEmpty && sent.count < ledger.delivered)
        #expect(try listener.values(of: "voltage", from: "car") == sent)
        // The newest value may be an answer.
        let decoded = ledger.entries.filter(\.isDelivered).map { entry in
            (Decoders.decode(characteristic: "fff4", value: entry.value) ?? []).map(\.quantity.key).sorted()
        }
        #expect(decoded.contains(["battery", "battery_low", "charging", "temperature", "voltage"]))
        let value = try #require(scene.sensors.first?.values.first { $0.characteristic == "fff4" })
        #expect((value.fields ?? []).map(\.quantity).sorted() == decoded.last)
        #expect(radio.violations(of: sensor).isEmpty && radio.controllerStates().flatMap(\.violations) == [])
        #expect(scene.gateway.status.journal.balances)
    }
}
