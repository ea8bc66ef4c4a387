// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing
import TestSupport
import VirtualRadio

@testable import CoreBluetooth

/// A right that an application takes away must not return after a crash: the disk has the change when the call returns.
@Suite(.timeLimit(.minutes(10)))
struct NarrowingTests {
    private let radio = VirtualRadio(seed: 22)

    @Test func `an advertisement and services that are taken back are off the disk at once`() async throws {
        let application = try RestorationApplication(on: radio, StateDirectory())
        let manager = try await application.makePeripheral()
        let services = ["1801A001-0000-4000-8000-000000000001", "1801A001-0000-4000-8000-000000000002"].map {
            CBMutableService(type: CBUUID(string: $0), primary: true)
        }
        for round in 1...5 {
            for service in services { manager.add(service) }
            manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Round \(round)"])
            try await waitFor("what is kept") {
                let kept = application.directory.peripheral
                return kept?.services.count == 2 && kept?.advertisement != nil
            }
            manager.stopAdvertising()
            #expect(application.directory.peripheral?.advertisement == nil)
            manager.remove(services[0])
            #expect(application.directory.peripheral?.services.map(\.uuid) == [services[1].uuid.uuidString])
            manager.removeAllServices()
            #expect(application.directory.peripheral?.isEmpty == true)
        }
    }

    @Test func `a scan and a connection that are ended are off the disk at once`() async throws {
        _ = radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .random, value: 0xC000_0000_0001), name: "Sensor", kind: .counter,
                rate: 20))
        let application = try RestorationApplication(on: radio, StateDirectory())
        let manager = try await application.makeCentral()
        for _ in 1...5 {
            manager.scanForPeripherals(withServices: nil)
            try await waitFor("a discovery") { !application.discovered.isEmpty }
            let peripheral = try #require(application.discovered.first)
            manager.connect(peripheral)
            try await waitFor("what is kept") {
                let kept = application.directory.central
                return kept?.scan != nil && kept?.peripherals.count == 1
            }
            // Each peripheral of a snapshot was on disk before the snapshot.
            #expect(application.directory.knows([peripheral.identifier]))
            manager.stopScan()
            #expect(application.directory.central?.scan == nil)
            manager.cancelPeripheralConnection(peripheral)
            #expect(application.directory.central?.isEmpty == true)
            try await waitFor("the end") { peripheral.state == .disconnected }
        }
    }
}
