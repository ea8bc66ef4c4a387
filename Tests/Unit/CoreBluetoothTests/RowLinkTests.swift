// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Testing
import TestSupport
import VirtualRadio

/// Rows of docs/core-bluetooth.md that need a connection to a peripheral of our own.
@Suite(.timeLimit(.minutes(10)))
struct RowLinkTests {
    private static let service = CBUUID(string: "6B1D0001-41A8-4D2E-9E39-1C2B3A4D5E6F")
    private static let value = CBUUID(string: "6B1D0002-41A8-4D2E-9E39-1C2B3A4D5E6F")
    private static let note = CBUUID(string: "6B1D0003-41A8-4D2E-9E39-1C2B3A4D5E6F")

    private final class Pair {
        let central: Application
        let peripheral: PeripheralApplication
        var manager: CBPeripheralManager?
        var centralManager: CBCentralManager?

        init() throws {
            central = try Application()
            peripheral = try PeripheralApplication(on: central.radio)
        }

        func connect() async throws -> CBPeripheral {
            let service = CBMutableService(type: RowLinkTests.service, primary: true)
            let characteristic = CBMutableCharacteristic(
                type: RowLinkTests.value, properties: [.read, .write, .writeWithoutResponse], value: nil,
                permissions: [.readable, .writeable])
            characteristic.descriptors = [CBMutableDescriptor(type: RowLinkTests.note, value: Data([1]))]
            service.characteristics = [characteristic]
            peripheral.answersReads { request in
                request.value = Data([7])
                return .success
            }
            let manager = try await peripheral.makeManager()
            self.manager = manager
            try await peripheral.publish(service, with: manager)
            manager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [RowLinkTests.service]])
            try await peripheral.hears("advertising")
            let centralManager = try await central.makeManager()
            self.centralManager = centralManager
            return try await central.connect(with: centralManager)
        }
    }

    @Test func `a connection stays when the advertisement ends`() async throws {
        let pair = try Pair()
        let remote = try await pair.connect()
        let characteristic = try await pair.central.find(Self.value, on: remote)
        pair.manager?.stopAdvertising()
        #expect(pair.manager?.isAdvertising == false)
        remote.readValue(for: characteristic)
        try await waitFor("the value") { pair.central.values == [Data([7])] }
        #expect(remote.state == .connected && pair.central.controller.statistics.disconnections == 0)
    }

    @Test func `the signal strength of a connection is read, and an error comes with 127`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        peripheral.readRSSI()
        try await application.hears("rssi negative")
        application.forget()
        manager.cancelPeripheralConnection(peripheral)
        try await application.hears("disconnected")
        peripheral.readRSSI()
        try await application.hears("rssi CBErrorDomain \(CBError.notConnected.rawValue)")
    }

    @Test func `writes without response that find no room are dropped and counted`() async throws {
        let pair = try Pair()
        let remote = try await pair.connect()
        let characteristic = try await pair.central.find(Self.value, on: remote)
        pair.peripheral.forget()
        let count = 2000
        for _ in 0..<count { remote.writeValue(Data(count: 20), for: characteristic, type: .withoutResponse) }
        #expect(!remote.canSendWriteWithoutResponse)
        // When the peripheral is ready again, all earlier values were sent or dropped.
        try await pair.central.hears("ready")
        remote.readValue(for: characteristic)
        try await waitFor("the value") { pair.central.values == [Data([7])] }
        let dropped = Int(pair.central.controller.statistics.writeCommandsDropped)
        let taken = pair.peripheral.calls.count { $0.hasPrefix("written") }
        #expect(dropped > 0 && taken > 0)
        #expect(dropped + taken == count)
        #expect(remote.state == .connected)
    }

    @Test func `a descriptor is written with at most 512 octets`() async throws {
        let pair = try Pair()
        let remote = try await pair.connect()
        let characteristic = try await pair.central.find(Self.value, on: remote)
        remote.discoverDescriptors(for: characteristic)
        try await pair.central.hears("descriptors")
        let descriptor = try #require(characteristic.descriptors?.first { $0.uuid == Self.note })
        remote.writeValue(Data(count: 513), for: descriptor)
        try await pair.central.hears("descriptor written CBATTErrorDomain 13")
    }
}
