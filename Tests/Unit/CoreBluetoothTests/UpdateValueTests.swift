// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Synchronization
import Testing
import TestSupport
import VirtualRadio

@testable import CoreBluetooth

private let serviceUUID = CBUUID(string: "7A1E0001-6F0E-4C55-9C7D-2B0F3E8D4A11")
private let valueUUID = CBUUID(string: "7A1E0002-6F0E-4C55-9C7D-2B0F3E8D4A11")

/// Updates to several subscribers, one of whom takes nothing for a while.
@Suite(.timeLimit(.minutes(10)))
struct UpdateValueTests {
    /// A peripheral with a value, and two centrals that subscribe to the value, one after the other.
    private final class Scene {
        let centrals: [Application]
        let peripheral: PeripheralApplication
        let manager: CBPeripheralManager
        let value = CBMutableCharacteristic(
            type: valueUUID, properties: .notify, value: nil, permissions: .readable)
        private var kept: [AnyObject] = []

        init() async throws {
            let first = try Application()
            centrals = [first, try Application(on: first.radio)]
            peripheral = try PeripheralApplication(on: first.radio)
            manager = try await peripheral.makeManager()
            let service = CBMutableService(type: serviceUUID, primary: true)
            service.characteristics = [value]
            try await peripheral.publish(service, with: manager)
            manager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [serviceUUID]])
            try await peripheral.hears("advertising")
            for (index, central) in centrals.enumerated() {
                let manager = try await central.makeManager()
                let remote = try await central.connect(with: manager)
                // Far longer than the test: a central out of range keeps its link.
                manager.setConnectionParameters(try #require(Self.patient), for: remote)
                let found = try await central.find(valueUUID, on: remote)
                remote.setNotifyValue(true, for: found)
                try await waitFor("a subscriber") { self.peripheral.centrals.count == index + 1 }
                kept += [manager, remote]
            }
        }

        private static let patient = CBConnectionParameters(
            interval: .milliseconds(30)...(.milliseconds(50)), latency: 0, timeout: .seconds(32))

        func update(_ octet: UInt8, _ named: [CBCentral]?) -> Bool {
            manager.updateValue(Data([octet]), for: value, onSubscribedCentrals: named)
        }

        /// The central of this index takes nothing more, and has no room.
        func fill(_ index: Int) async throws {
            let address = Application.address.value + UInt64(index)
            let id = try #require(centrals[0].radio.controllerStates().first { $0.address.value == address }).id
            centrals[0].radio.simulateOutOfRange(id)
            // A packet from before may still be acknowledged, and make room once more.
            var (sent, refused) = (0, 0)
            while refused < 5, sent < 1_000 {
                if update(0, [peripheral.centrals[index]]) {
                    (sent, refused) = (sent + 1, 0)
                } else {
                    refused += 1
                    try await Task.sleep(for: .milliseconds(50))
                }
            }
            try #require(sent < 1_000)
        }
    }

    @Test func `an update goes to the centrals that are named, and without names to all`() async throws {
        let scene = try await Scene()
        #expect(scene.update(7, [scene.peripheral.centrals[0]]))
        #expect(scene.update(8, nil))
        for central in scene.centrals { try await waitFor("the last update") { central.values.last == Data([8]) } }
        #expect(scene.centrals.map(\.values) == [[Data([7]), Data([8])], [Data([8])]])
    }

    @Test func `sixteen updates wait for a central`() async throws {
        let scene = try await Scene()
        try await scene.fill(1)
        #expect(scene.peripheral.centrals[1].changing.withLock { $0.updatesWaiting } == 16)
        #expect(!scene.update(1, [scene.peripheral.centrals[1]]))
        #expect(scene.peripheral.centrals[1].changing.withLock { $0.updatesWaiting } == 16)
    }

    @Test func `an update that one central has no room for costs the others no room`() async throws {
        let scene = try await Scene()
        try await scene.fill(1)
        for _ in 0..<100 { #expect(!scene.update(1, nil)) }
        try #require(scene.update(2, [scene.peripheral.centrals[0]]))
        try await waitFor("the update") { scene.centrals[0].values == [Data([2])] }
    }

    @Test func `the end of one central's updates is no room at another central`() async throws {
        let scene = try await Scene()
        try await scene.fill(1)
        scene.peripheral.forget()
        for octet in 1...3 as ClosedRange<UInt8> {
            try #require(scene.update(octet, [scene.peripheral.centrals[0]]))
            try await waitFor("the update") { scene.centrals[0].values.last == Data([octet]) }
        }
        #expect(!scene.peripheral.calls.contains("ready"))
    }
}
