// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT

@testable import HostBench

/// The services that our server publishes for the scripts, and their handles in its table.
enum ServerTable {
    static let serviceChangedConfiguration: UInt16 = 0x13
    static let clientSupportedFeatures: UInt16 = 0x15
    /// Read only, known to the server: 01 02 03.
    static let fixed: UInt16 = 0x22
    /// Read and written, at most 10 octets.
    static let plain: UInt16 = 0x24
    static let userDescription: UInt16 = 0x25
    static let presentationFormat: UInt16 = 0x26
    /// Notified and indicated.
    static let updated: UInt16 = 0x28
    static let updatedConfiguration: UInt16 = 0x29
    /// Read and written, up to 512 octets.
    static let long: UInt16 = 0x2B
    static let longDescription: UInt16 = 0x2D
    static let writeOnly: UInt16 = 0x2F
    static let encrypted: UInt16 = 0x31
    static let authorized: UInt16 = 0x33
    static let aggregateFormat: UInt16 = 0x36
    static let secondUpdated: UInt16 = 0x38
    static let secondUpdatedConfiguration: UInt16 = 0x39
    /// No attribute is there.
    static let nowhere: UInt16 = 0x00F0

    static let services = [
        LocalService(
            uuid: short(0xFFF0),
            characteristics: [
                LocalCharacteristic(uuid: short(0xFFF1), properties: .read, value: [1, 2, 3], write: .denied),
                LocalCharacteristic(
                    uuid: short(0xFFF2), properties: [.read, .write, .writeWithoutResponse], maximumLength: 10,
                    descriptors: [
                        LocalDescriptor(uuid: short(0x2901), value: nil, write: .open),
                        LocalDescriptor(uuid: short(0x2904), value: hex("0E FE 2F 27 01 02 01")),
                    ]),
                LocalCharacteristic(uuid: short(0xFFF3), properties: [.read, .notify, .indicate]),
                LocalCharacteristic(
                    uuid: short(0xFFF4), properties: [.read, .write, .extendedProperties],
                    descriptors: [LocalDescriptor(uuid: short(0x2901), value: nil, write: .open)]),
                LocalCharacteristic(uuid: short(0xFFF5), properties: .write),
                LocalCharacteristic(
                    uuid: short(0xFFF6), properties: [.read, .write], value: [6], read: .encrypted, write: .encrypted),
                LocalCharacteristic(
                    uuid: short(0xFFF7), properties: [.read, .write], value: [7],
                    read: AttributeAccess(needsAuthorization: true), write: AttributeAccess(needsAuthorization: true)),
                LocalCharacteristic(
                    uuid: longUUID, properties: .read, value: [8], write: .denied,
                    descriptors: [LocalDescriptor(uuid: short(0x2905), value: hex("22 00 24 00"))]),
                LocalCharacteristic(uuid: short(0xFFF8), properties: [.read, .notify], value: [9]),
            ]),
        LocalService(
            uuid: longUUID, isPrimary: false,
            characteristics: [LocalCharacteristic(uuid: short(0xFFF1), properties: .read, value: [], write: .denied)]),
        LocalService(
            uuid: otherLongUUID, includedServices: [0x20, 0x3A],
            characteristics: [
                LocalCharacteristic(uuid: short(0xFFF1), properties: .read, value: [4, 5], write: .denied)
            ]),
    ]

    static let values: [UInt16: [UInt8]] = [
        plain: [0x70], userDescription: Array("Room".utf8), updated: [0], long: counting(50),
        longDescription: counting(50, from: 100),
    ]

    /// A service to add while clients know the others.
    static let another = LocalService(
        uuid: short(0xFFE0), characteristics: [LocalCharacteristic(uuid: short(0xFFE1), properties: .read, value: [1])])
    static let anotherHandle: UInt16 = 0x42

    static let otherLongUUIDOctets = "1F 1E 1D 1C 1B 1A 19 18 17 16 15 14 13 12 11 10"
    static let otherLongUUID = BluetoothUUID(high: 0x1011_1213_1415_1617, low: 0x1819_1A1B_1C1D_1E1F)
}
