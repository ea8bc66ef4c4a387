// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Testing
import TestSupport
import VirtualRadio

/// Objects from an ended connection: on the next connection their handles may belong to other attributes.
@Suite(.timeLimit(.minutes(10)))
struct EarlierConnectionTests {
    private static let counterCharacteristic = CBUUID(string: "5E4D0002-1C7B-4B5E-9B0A-3F6B2C9D7A10")

    @Test func `what was discovered on an earlier connection is refused on the next`() async throws {
        let application = try Application()
        let sensor = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        let old = try await application.find(Self.counterCharacteristic, on: peripheral)
        let service = try #require(old.service)
        peripheral.discoverDescriptors(for: old)
        try await application.hears("descriptors")
        let descriptor = try #require(old.descriptors?.first)
        manager.cancelPeripheralConnection(peripheral)
        try await application.hears("disconnected")
        application.forget()
        peripheral.readValue(for: old)
        try await application.hears("value CBErrorDomain 3")
        manager.connect(peripheral)
        try await application.hears("connected")

        peripheral.readValue(for: old)
        try await application.hears("value CBErrorDomain 2")
        peripheral.writeValue(Data([1]), for: old, type: .withResponse)
        try await application.hears("written CBErrorDomain 2")
        peripheral.setNotifyValue(true, for: old)
        try await application.hears("notifying false CBErrorDomain 2")
        peripheral.discoverDescriptors(for: old)
        try await application.hears("descriptors CBErrorDomain 2")
        peripheral.readValue(for: descriptor)
        try await waitFor("the descriptor") {
            application.calls.contains { $0.hasPrefix("descriptor \(descriptor.uuid)") && $0.hasSuffix("Domain 2") }
        }
        peripheral.writeValue(Data([1]), for: descriptor)
        try await application.hears("descriptor written CBErrorDomain 2")
        peripheral.discoverIncludedServices(nil, for: service)
        try await application.hears("included -1 CBErrorDomain 2")
        peripheral.writeValue(Data([1]), for: old, type: .withoutResponse)
        #expect(peripheral.canSendWriteWithoutResponse)

        // After a new discovery the object belongs to this connection.
        let new = try await application.find(Self.counterCharacteristic, on: peripheral)
        #expect(new !== old)
        peripheral.setNotifyValue(true, for: new)
        try await application.hears("notifying true")
        #expect(application.radio.violations(of: sensor).isEmpty)
    }
}
