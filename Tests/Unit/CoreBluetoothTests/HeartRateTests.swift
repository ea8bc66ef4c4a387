// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Testing
import TestSupport
import VirtualRadio

@testable import CoreBluetoothPrograms

@MainActor
@Suite(.serialized, .timeLimit(.minutes(10)))
struct HeartRateTests {
    @Test func `an iOS view model compiles unchanged and follows a heart rate`() async throws {
        let radio = VirtualRadio(seed: 1)
        defer { radio.stop() }
        let sensor = radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .random, value: 0xC000_0000_0001), name: "Strap", kind: .heartRate,
                rate: 20))
        let controller = CBController(
            transport: .descriptor(try radio.makeController(address: DeviceAddress(kind: .public, value: 0x1234))),
            stateDirectory: nil)
        defer { controller.shutdown() }
        CBController.default = controller

        let model = HeartRateViewModel()
        model.start()
        try await waitFor("ten measurements") { model.measurements.count >= 10 && model.batteryLevel != nil }
        #expect(model.status == "subscribed")
        #expect(model.deviceName == "Strap")
        #expect(model.batteryLevel == 97)

        radio.simulateDisconnection(of: sensor)
        let before = model.measurements.count
        try await waitFor("more measurements after a drop") { model.measurements.count > before + 5 }
        model.stop()
        try await waitFor("the end") { model.status == "stopped" }
    }
}
