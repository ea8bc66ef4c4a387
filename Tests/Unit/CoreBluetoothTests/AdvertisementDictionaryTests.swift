// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import HCI
import Testing

@testable import CoreBluetooth

/// The advertisement dictionary for applications.
struct AdvertisementDictionaryTests {
    private static let uuids = [
        2: CBUUID(string: "180D"), 4: CBUUID(string: "12345678"),
        16: CBUUID(string: "5E4D0001-1C7B-4B5E-9B0A-3F6B2C7D9A10"),
    ]

    /// The octets of ``uuids``, as they are in the air.
    private static let octets = ["0D18", "78563412", "109A7D2C6B3F0A9B5E4B7B1C01004D5E"]

    private func values(_ hexadecimal: String, _ dictionary: inout AdvertisementDictionary) throws -> [String: Any] {
        let octets = try #require([UInt8](hexadecimal: hexadecimal))
        _ = dictionary.update(octets.span.bytes, isConnectable: true, facts: AdvertisingFacts(), timestamp: 0)
        return dictionary.values
    }

    private func structure(_ type: UInt8, _ value: String) -> String {
        [UInt8(value.count / 2 + 1), type].map { String(format: "%02X", $0) }.joined() + value
    }

    @Test(
        arguments: [
            // The advertisement's goes before the scan response's, and either before an iBeacon.
            (["9904AA", "9904BB"], "9904AA"),
            (["4C000215CC", "9904AA"], "9904AA"), (["9904AA", "4C000215CC"], "9904AA"),
            (["4C000215CC", "9904AA", "9904BB"], "9904AA"), (["4C000215CC", "4C000215DD"], "4C000215DD"),
            (["4C000215CC"], "4C000215CC"),
            // Apple's other data is no iBeacon.
            (["4C001005", "9904AA"], "4C001005"),
        ])
    func `of several manufacturer data an iBeacon is the last to be given`(_ data: [String], _ given: String) throws {
        var dictionary = AdvertisementDictionary()
        let seen = try values("020106" + data.map { structure(0xFF, $0) }.joined(), &dictionary)
        let octets = try #require([UInt8](hexadecimal: given))
        #expect(seen[CBAdvertisementDataManufacturerDataKey] as? Data == Data(octets))
    }

    @Test func `a name in the scan response is seen behind a structure that is longer than the advertisement`() throws {
        var dictionary = AdvertisementDictionary()
        let octets = try #require([UInt8](hexadecimal: "020106120302f0ff" + "0409737073"))
        let (seen, name) = dictionary.update(
            octets.span.bytes, responseAt: 8, isConnectable: true, facts: AdvertisingFacts(), timestamp: 0)
        #expect(seen[CBAdvertisementDataLocalNameKey] as? String == "sps" && name == "sps")
    }

    @Test func `a name is told of when it is another one, also one as long as the last`() throws {
        var dictionary = AdvertisementDictionary()
        func newName(_ name: String) throws -> String? {
            let hexadecimal = structure(0x09, name.utf8.map { String(format: "%02X", $0) }.joined())
            let octets = try #require([UInt8](hexadecimal: hexadecimal))
            return dictionary.update(
                octets.span.bytes, isConnectable: true, facts: AdvertisingFacts(), timestamp: 0
            ).newName
        }
        for name in ["Room 1", "Room 2", "Room 22", "", "Room 1"] {
            #expect(try newName(name) == name)
            #expect(try newName(name) == nil)
            #expect(dictionary.values[CBAdvertisementDataLocalNameKey] as? String == name)
        }
    }

    @Test(arguments: [2, 3, 4, 5, 6, 7] as [UInt8])
    func `lists of services of each width are given`(type: UInt8) throws {
        let place = Int(type - 2) / 2
        var dictionary = AdvertisementDictionary()
        let list = structure(type, Self.octets[place])
        let seen = try values("020106" + list, &dictionary)
        let expected = try #require(Self.uuids[2 << place == 8 ? 16 : 2 << place])
        #expect(seen[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [expected])
        #expect(seen[CBAdvertisementDataSolicitedServiceUUIDsKey] == nil)
        // All widths together, in their order.
        let all = try values(
            structure(3, Self.octets[0]) + structure(5, Self.octets[1]) + structure(7, Self.octets[2]), &dictionary)
        #expect(all[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [2, 4, 16].compactMap { Self.uuids[$0] })
        #expect(try values("020106", &dictionary)[CBAdvertisementDataServiceUUIDsKey] == nil)
    }

    @Test(arguments: zip([0x14, 0x1F, 0x15] as [UInt8], [2, 4, 16]))
    func `lists of solicited services of each width are given`(type: UInt8, width: Int) throws {
        var dictionary = AdvertisementDictionary()
        let octets = try #require(Self.octets.first { $0.count == width * 2 })
        let seen = try values(structure(type, octets), &dictionary)
        let expected = try #require(Self.uuids[width])
        #expect(seen[CBAdvertisementDataSolicitedServiceUUIDsKey] as? [CBUUID] == [expected])
        #expect(seen[CBAdvertisementDataServiceUUIDsKey] == nil)
        #expect(try values("020106", &dictionary)[CBAdvertisementDataSolicitedServiceUUIDsKey] == nil)
    }

    @Test(arguments: zip([0x16, 0x20, 0x21] as [UInt8], [2, 4, 16]))
    func `service data of each width is given by its UUID`(type: UInt8, width: Int) throws {
        var dictionary = AdvertisementDictionary()
        let octets = try #require(Self.octets.first { $0.count == width * 2 })
        let seen = try values(structure(type, octets + "AABB") + structure(0x16, "0F18CC"), &dictionary)
        let expected = try [#require(Self.uuids[width]): Data([0xAA, 0xBB]), CBUUID(string: "180F"): Data([0xCC])]
        #expect(seen[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] == expected)
        // Without octets behind the UUID, and with half a UUID.
        let empty = try values(structure(type, octets), &dictionary)
        let uuid = try #require(Self.uuids[width])
        #expect(empty[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] == [uuid: Data()])
        let half = try values(structure(type, String(octets.dropLast(2))), &dictionary)
        #expect(half[CBAdvertisementDataServiceDataKey] == nil)
        // Half of a longer UUID is no shorter UUID.
        let other = try values(structure(0x20, "0D18") + structure(0x21, "78563412"), &dictionary)
        #expect(other[CBAdvertisementDataServiceDataKey] == nil)
    }
}
