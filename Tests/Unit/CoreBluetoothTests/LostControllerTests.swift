// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing
import TestSupport
import VirtualRadio

@testable import CoreBluetooth

/// The kept state of a manager whose controller is lost.
@Suite(.timeLimit(.minutes(10)))
struct LostControllerTests {
    private let radio = VirtualRadio(seed: 23)

    @Test func `after the loss of the controller a crash restores the state from before the loss`() async throws {
        _ = radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .random, value: 0xC000_0000_0001), name: "Sensor", kind: .counter,
                rate: 20))
        let first = try RestorationApplication(on: radio, StateDirectory())
        let manager = try await first.makeCentral()
        manager.scanForPeripherals(withServices: nil)
        try await waitFor("a discovery") { !first.discovered.isEmpty }
        let peripheral = try #require(first.discovered.first)
        manager.connect(peripheral)
        try await first.hears("connected")
        try await waitFor("what is kept") {
            first.directory.central?.scan != nil && first.directory.knows([peripheral.identifier])
        }
        radio.simulateHardwareError(try #require(radio.controllerStates().first).id)
        try await waitFor("the loss") { peripheral.state == .disconnected }
        let kept = await settled { first.directory.central }
        try #require(kept?.scan != nil && kept?.peripherals.map(\.identifier) == [peripheral.identifier])

        let second = try RestorationApplication(on: radio, try first.crash())
        let restored = try await second.makeCentral()
        #expect(restored.isScanning && second.peripherals.map(\.identifier) == [peripheral.identifier])
        try await second.hears("connected")
        withExtendedLifetime(manager) {}
    }

    @Test func `a scan that ended with the controller is not kept again`() async throws {
        _ = radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .random, value: 0xC000_0000_0001), name: "Sensor", kind: .counter,
                rate: 20))
        let application = try RestorationApplication(on: radio, StateDirectory())
        let manager = try await application.makeCentral()
        manager.scanForPeripherals(withServices: nil)
        try await waitFor("a discovery") { !application.discovered.isEmpty }
        let peripheral = try #require(application.discovered.first)
        try await waitFor("what is kept") { application.directory.central?.scan != nil }
        radio.simulateHardwareError(try #require(radio.controllerStates().first).id)
        try await waitFor("the return") { !manager.isScanning && manager.state == .poweredOn }
        manager.connect(peripheral)
        try await application.hears("connected")
        try await waitFor("what is kept") { application.directory.knows([peripheral.identifier]) }
        #expect(application.directory.central?.scan == nil)
    }
}
