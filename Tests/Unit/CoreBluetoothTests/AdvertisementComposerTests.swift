// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing

@testable import CoreBluetooth

/// How advertisements are laid out: 28 octets beside the flags, ten more for a name.
struct AdvertisementComposerTests {
    private static let long = CBUUID(string: "7A1B0001-6F0E-4C55-9C7D-2B0F3E8D4A11")
    private static let longOctets = "114a8d3e0f2b7d9c554c0e6f01001b7a"

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let uuids: [String]
        let name: String?
        let advertisement: String
        let scanResponse: String
    }

    private static let rows = [
        Row(testDescription: "nothing", uuids: [], name: nil, advertisement: "020106", scanResponse: ""),
        Row(
            testDescription: "a short UUID and a name", uuids: ["180D"], name: "Heart",
            advertisement: "020106 03030d18 06094865617274", scanResponse: ""),
        Row(
            testDescription: "a long UUID, and a name of nine octets that just does not fit",
            uuids: [long.uuidString], name: "Martlet-1",
            advertisement: "020106 1107\(longOctets)", scanResponse: "0a094d6172746c65742d31"),
        Row(
            testDescription: "a name longer than ten octets is shortened", uuids: [long.uuidString],
            name: "Gateway in the hall", advertisement: "020106 1107\(longOctets)",
            scanResponse: "0b084761746577617920696e"),
        Row(
            testDescription: "a name is not cut inside a character", uuids: [long.uuidString], name: "123456789ü1234",
            advertisement: "020106 1107\(longOctets)", scanResponse: "0a08313233343536373839"),
        Row(
            testDescription: "a second long UUID goes to the scan response, behind the name",
            uuids: [long.uuidString, "00000000-0000-0000-0000-000000000001"], name: "Name of it",
            advertisement: "020106 1106\(longOctets)",
            scanResponse: "0b094e616d65206f66206974 110601000000000000000000000000000000"),
    ]

    @Test(arguments: rows) func `an advertisement is laid out`(row: Row) throws {
        var values: [String: Any] = [CBAdvertisementDataServiceUUIDsKey: row.uuids.map { CBUUID(string: $0) }]
        values[CBAdvertisementDataLocalNameKey] = row.name
        let composer = try AdvertisementComposer(values)
        #expect(composer.advertisement == [UInt8](hexadecimal: row.advertisement))
        #expect(composer.scanResponse == [UInt8](hexadecimal: row.scanResponse))
    }

    @Test(arguments: 0...29) func `a name that finds no room at all is left out`(count: Int) throws {
        let composer = try AdvertisementComposer([
            CBAdvertisementDataManufacturerDataKey: Data(count: count),
            CBAdvertisementDataLocalNameKey: String(repeating: "n", count: 40),
        ])
        #expect(composer.advertisement.count <= 31 && composer.scanResponse.count <= 31)
    }

    @Test func `values of wrong types, too much data and impossible intervals are refused`() {
        let wrong: [[String: Any]] = [
            [CBAdvertisementDataLocalNameKey: 7],
            [CBAdvertisementDataServiceUUIDsKey: ["180D"]],
            [CBAdvertisementDataManufacturerDataKey: Data(count: 40)],
            [CBPeripheralManagerAdvertisingIntervalKey: 0.001 as NSNumber],
            [CBPeripheralManagerAdvertisingIntervalKey: Double.infinity as NSNumber],
        ]
        for values in wrong { #expect(throws: CBError.self) { try AdvertisementComposer(values) } }
    }
}
