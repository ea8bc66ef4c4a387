// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import CoreBluetooth
import TestSupport
import Testing
import VirtualRadio

@testable import Collector
@testable import GatewayBench
@testable import HostBench

/// Attacks on the links of a whole gateway, by devices that connect to the gateway's service for phones. Row 128.
struct LinkAttacks {
    private static let sensor: UInt64 = 0xC47C_8D00_1144

    @Test(.timeLimit(.minutes(6))) func `row 128: strangers connect, do nothing, and come back at once`() async throws {
        try await ListenedAttacks.row(128, "idle strangers") {
            let address = DeviceAddress(kind: .random, value: Self.sensor)
            let gateway = try WholeGateway(
                "id = \"fridge\"\naddress = \"\(address)\"\nsubscribe = [\"181a/2a6e\"]\n",
                controller: ControllerSettings(maximumLinks: 2))
            func readings() -> Int { gateway.sensors.first { $0.id == "fridge" }?.readings ?? 0 }
            let server = try await Stranger.advertise(by: gateway.controller)
            var comers: [Task<Void, Never>] = []
            defer { for comer in comers { comer.cancel() } }
            for number in 1...2 as ClosedRange<UInt64> {
                comers.append(try await Stranger(number, on: gateway.radio).stay())
            }
            try await waitFor("the strangers have all links") { gateway.controller.slots.used == 2 }
            _ = gateway.radio.addSensor(
                VirtualSensor.Configuration(
                    address: address, name: "Fridge", kind: .environment, rate: 5,
                    advertisingInterval: .milliseconds(50)))
            try await waitFor("the sensor is collected") { readings() > 10 }
            try require(gateway.controller.slots.used == 2, "one link was enough")
            withExtendedLifetime(server) {}
        }
    }
}
