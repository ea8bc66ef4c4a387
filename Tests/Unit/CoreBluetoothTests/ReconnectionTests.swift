// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Testing
import TestSupport
import VirtualRadio

/// A connection's cost on the air, from the application's view: requests counted in a capture.
@Suite(.timeLimit(.minutes(10)))
struct ReconnectionTests {
    private static let value = CBUUID(string: "5E4D0002-1C7B-4B5E-9B0A-3F6B2C9D7A10")
    private static let mtuExchange: UInt8 = 0x02
    private static let readByType: UInt8 = 0x08
    private static let write: UInt8 = 0x12

    @Test func `a known sensor is subscribed to again with one hash read and the configuration writes`() async throws {
        let path = NSTemporaryDirectory() + "martlet-\(UUID().uuidString).btsnoop"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let application = try Application(capture: path)
        let sensor = application.radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .random, value: 0xC000_0000_0001), name: "Counter", kind: .counter,
                rate: 20, hasDatabaseHash: true, furtherServices: 5))
        let manager = try await application.makeManager()
        let peripheral = try await application.connect(with: manager)
        try await subscribe(application, peripheral)
        let first = try requests(in: path)
        #expect(first.count > 20)

        manager.cancelPeripheralConnection(peripheral)
        try await waitFor("the end of the connection") { peripheral.state == .disconnected }
        application.forget()
        manager.connect(peripheral)
        try await application.hears("connected")
        try await subscribe(application, peripheral)
        // All services, their characteristics and the name are known; Service Changed is the first of the writes.
        #expect(
            try requests(in: path).dropFirst(first.count)
                == [Self.mtuExchange, Self.readByType, Self.write, Self.write])
        #expect(peripheral.services?.count == 8)
        #expect(application.radio.violations(of: sensor).isEmpty)
    }

    /// Discovers everything and waits for a value.
    private func subscribe(_ application: Application, _ peripheral: CBPeripheral) async throws {
        let characteristic = try await application.find(Self.value, on: peripheral)
        peripheral.setNotifyValue(true, for: characteristic)
        try await waitFor("a subscription") { characteristic.isNotifying }
        try await waitFor("a value") { !application.values.isEmpty }
    }

    /// The opcodes of our ATT PDUs, from a btsnoop file of H4 packets.
    private func requests(in path: String) throws -> [UInt8] {
        let octets = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        var opcodes: [UInt8] = []
        var offset = 16
        while offset + 24 <= octets.count {
            let length = octets[(offset + 4)..<(offset + 8)].reduce(0) { $0 << 8 | Int($1) }
            let isSent = octets[offset + 11] & 1 == 0
            let packet = Array(octets[(offset + 24)...].prefix(length))
            // First fragments of ACL data on the channel of the attribute protocol.
            if isSent, packet.count > 9, packet[0] == 2, packet[2] & 0x30 == 0, packet[7...8] == [4, 0] {
                opcodes.append(packet[9])
            }
            offset += 24 + length
        }
        return opcodes
    }
}
