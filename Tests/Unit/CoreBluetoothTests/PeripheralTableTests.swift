// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Foundation
import HCI
import Testing
import VirtualRadio

@testable import CoreBluetooth

/// A room with more devices than have their own advertisement data.
struct PeripheralTableTests {
    private static let devices = PeripheralTable.ownAdvertisements + 50

    /// A manager on a controller of its own.
    private final class Scene {
        private let radio = VirtualRadio(seed: 1)
        private let controller: CBController
        let manager: CBCentralManager

        init() throws {
            controller = CBController(
                transport: .descriptor(try radio.makeController(address: DeviceAddress(kind: .public, value: 1))),
                stateDirectory: nil)
            manager = CBCentralManager(
                delegate: nil, queue: DispatchQueue(label: "test"),
                options: [CBCentralManagerOptionControllerKey: controller])
        }

        deinit {
            controller.shutdown()
            radio.stop()
        }
    }

    private static func octets(_ number: Int, name: String?) -> [UInt8] {
        let data: [UInt8] = [5, 0xFF, 0x99, 0x04, UInt8(number & 0xFF), UInt8(number >> 8)]
        guard let name else { return data }
        return data + [UInt8(name.utf8.count + 1), 0x09] + Array(name.utf8)
    }

    @Test func `each device has its own object, data and name, whoever was heard before it`() throws {
        let scene = try Scene()
        let manager = scene.manager
        var table = PeripheralTable()
        var known: [Int: ObjectIdentifier] = [:]
        for round in 0..<3 {
            for number in 0..<Self.devices {
                // Two neighbours share a name, every third peripheral has none, and in the second round some have lost theirs.
                let hasName = number % 3 != 0 && !(round == 1 && number.isMultiple(of: 5))
                let name = hasName ? "Room \(number / 2)" : nil
                let address = DeviceAddress(kind: .random, value: 0xC0_0000_0000_00 + UInt64(number))
                let octets = Self.octets(number, name: name)
                let (peripheral, values, newName) = table.update(
                    address, octets.span.bytes, isConnectable: true, facts: AdvertisingFacts(),
                    timestamp: Double(number)
                ) {
                    CBPeripheral(address: address, identifier: UUID(), manager: manager)
                }
                #expect(known[number, default: ObjectIdentifier(peripheral)] == ObjectIdentifier(peripheral))
                known[number] = ObjectIdentifier(peripheral)
                let data = values[CBAdvertisementDataManufacturerDataKey] as? Data
                #expect(data == Data(octets[2...5]))
                #expect(values[CBAdvertisementDataLocalNameKey] as? String == name)
                #expect(values[CBAdvertisementDataTimestampKey] as? Double == Double(number))
                // The table must report a new name the first time, and may report it again later.
                if round == 0 { #expect(newName == name, "\(number)") }
                if newName != nil { #expect(newName == name, "\(number)") }
            }
        }
        #expect(Set(known.values).count == Self.devices)
    }

    @Test func `a value is never found under another link or handle, though they have one place`() throws {
        let scene = try Scene()
        let manager = scene.manager
        var lookup = ValueLookup()
        var noted: [(link: LinkID, handle: UInt16, characteristic: CBCharacteristic)] = []
        // Far more pairs than places.
        for link in Array(1...16) + [129, 257] as [UInt32] {
            for handle in Array(1...64) + [129, 257] as [UInt16] {
                let address = DeviceAddress(kind: .random, value: 0xC0_0000_0000_00 + UInt64(link))
                let peripheral = CBPeripheral(address: address, identifier: UUID(), manager: manager)
                let characteristic = CBMutableCharacteristic(
                    type: CBUUID(string: "2A37"), properties: [.notify], value: nil, permissions: [])
                let told = lookup.record(peripheral, characteristic, LinkID(rawValue: link), handle)
                #expect(told { $0 === peripheral && $1 === characteristic })
                #expect(lookup.find(LinkID(rawValue: link), handle)? { $1 === characteristic } == true)
                noted.append((LinkID(rawValue: link), handle, characteristic))
            }
        }
        let found = noted.filter { lookup.find($0.link, $0.handle) != nil }
        #expect(found.count == 128, "as many as there are places")
        for entry in noted {
            let isRight = lookup.find(entry.link, entry.handle)? { $1 === entry.characteristic }
            #expect(isRight != false)
        }
    }

    @Test func `what is noted lives as long as its lookup`() throws {
        let scene = try Scene()
        weak var held: CBPeripheral?
        do {
            var lookup = ValueLookup()
            do {
                let address = DeviceAddress(kind: .random, value: 0xC0_0000_0000_01)
                let peripheral = CBPeripheral(address: address, identifier: UUID(), manager: scene.manager)
                let characteristic = CBMutableCharacteristic(
                    type: CBUUID(string: "2A37"), properties: [.notify], value: nil, permissions: [])
                lookup.record(peripheral, characteristic, LinkID(rawValue: 1), 1)
                held = peripheral
            }
            #expect(held != nil)
            withExtendedLifetime(lookup) {}
        }
        #expect(held == nil)
    }
}
