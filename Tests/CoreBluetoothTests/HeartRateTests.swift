// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Testing
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
        try await eventually("ten measurements") { model.measurements.count >= 10 && model.batteryLevel != nil }
        #expect(model.status == "subscribed")
        #expect(model.deviceName == "Strap")
        #expect(model.batteryLevel == 97)

        radio.simulateDisconnection(of: sensor)
        let before = model.measurements.count
        try await eventually("more measurements after a drop") { model.measurements.count > before + 5 }
        model.stop()
        try await eventually("the end") { model.status == "stopped" }
    }
}

/// Waits until `condition` holds, as long as it takes: only a test that hangs is ended.
@MainActor
func eventually(_ what: String, _ condition: () -> Bool) async throws {
    let end = ContinuousClock.now + hangLimit
    while !condition() {
        try #require(ContinuousClock.now < end, "waited in vain for \(what)")
        try await Task.sleep(for: .milliseconds(10))
    }
}
