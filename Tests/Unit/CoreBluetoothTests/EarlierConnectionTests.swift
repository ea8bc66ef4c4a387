// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import HCI
import Synchronization
import Testing
import TestSupport
import VirtualRadio

@testable import BluetoothHost
@testable import CoreBluetooth

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

    @Test func `no procedure writes to, or reads from, the handles of an earlier connection`() async throws {
        let path = NSTemporaryDirectory() + "martlet-\(UUID().uuidString).btsnoop"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let application = try Application(capture: path)
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        let old = try await application.find(Self.counterCharacteristic, on: peripheral)
        let service = try #require(old.service)
        manager.cancelPeripheralConnection(peripheral)
        try await application.hears("disconnected")
        application.forget()
        manager.connect(peripheral)
        try await application.hears("connected")

        peripheral.writeValue(Data([0xAB]), for: old, type: .withoutResponse)
        let past = CBError(.invalidHandle)
        await #expect(throws: past) { try await peripheral.value(for: old) }
        await #expect(throws: past) { try await peripheral.write(Data([0xAB]), for: old) }
        await #expect(throws: past) { try await peripheral.values(of: [old]) }
        await #expect(throws: past) { try await peripheral.values(ofType: old.uuid, in: service) }
        await #expect(throws: past) { try await peripheral.characteristics(in: service) }
        // A request of this connection, behind all of them.
        let new = try await application.find(Self.counterCharacteristic, on: peripheral)
        _ = try await peripheral.value(for: new)
        let octets = try Data(contentsOf: URL(fileURLWithPath: path))
        let (low, high) = (UInt8(truncatingIfNeeded: old.valueHandle), UInt8(truncatingIfNeeded: old.valueHandle >> 8))
        for opcode: UInt8 in [0x12, 0x52] { #expect(octets.range(of: Data([opcode, low, high, 0xAB])) == nil) }
    }

    @Test func `the end of an earlier link is not the end of the present link`() async throws {
        let application = try Application()
        _ = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        let link = try #require(peripheral.changing.withLock { $0.link })
        let earlier = LinkID(rawValue: link.rawValue &+ 7)
        application.forget()
        application.queue.sync { manager.disconnected(earlier, peripheral.peerAddress, LinkEnd(.connectionTimeout)) }
        #expect(peripheral.state == .connected && peripheral.changing.withLock { $0.link } == link)
        #expect(application.calls.isEmpty)
        application.queue.sync { manager.disconnected(link, peripheral.peerAddress, LinkEnd(.connectionTimeout)) }
        #expect(peripheral.state == .disconnected && application.calls.count == 1)
    }

    @Test func `a link that we ended is not opened again, also with automatic reconnection`() async throws {
        let application = try Application()
        let sensor = application.addSensor(.counter)
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(
            with: manager, options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
        let link = try #require(peripheral.changing.withLock { $0.link })
        // Another part of the process ends the link for all managers.
        application.controller.host.perform { host in
            host.withMachine { machine, now in machine.endLink(link, at: now) }
        }
        try await application.hears("disconnected")
        #expect(peripheral.state == .disconnected)
        // An end that we have not asked for is followed by another connection.
        application.forget()
        manager.connect(peripheral, options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
        try await application.hears("connected")
        application.forget()
        application.radio.simulateDisconnection(of: sensor)
        try await application.hears("connected")
    }
}
