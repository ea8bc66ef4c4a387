// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import Readings

/// Advertisements with data for more than one family.
struct SeveralStructuresTests {
    private static let name: [UInt8] = [13, 0x09] + Array("GVH5075_1234".utf8)
    private static let values: [UInt8] = [9, 0xFF, 0x88, 0xEC, 0x00, 0x03, 0x41, 0xC2, 0x64, 0x00]

    private static func beacon(_ uuid: [UInt8]) -> [UInt8] {
        [26, 0xFF, 0x4C, 0x00, 0x02, 0x15] + uuid + [0x75, 0xF2, 0xFF, 0x0C, 0xC5]
    }

    private static func first(_ octets: [UInt8]) -> SensorFamilies.Recognised? {
        Advertisement.all(in: octets[...], address: 0xA4C1_3812_3456).lazy.compactMap(SensorFamilies.recognise).first
    }

    @Test(arguments: [true, false])
    func `Govee's values go before the iBeacon beside them, which says nothing by itself`(isBehind: Bool) throws {
        let beacon = Self.beacon(Array("INTELLI_ROCKS_HW".utf8))
        let found = try #require(
            Self.first(Self.name + (isBehind ? Self.values + beacon : beacon + Self.values)))
        #expect(found.decoder.family == "govee")
        let fields = try found.decoder.decode(try #require(found.packet.plain).value)
        #expect(fields.contains(.decimal(.temperature, 213, places: 1)))
        #expect(Self.first(Self.name + beacon) == nil)
        let other = Self.beacon([UInt8](repeating: 7, count: 16))
        #expect(Self.first(other)?.decoder.family == "ibeacon")
        for octets in [other + Self.values, Self.values + other] {
            #expect(Self.first(octets + Self.name)?.decoder.family == "govee")
        }
    }

    @Test func `of two Service Data it is always the same one`() throws {
        let thermometer: [UInt8] = [9, 0x16, 0xD2, 0xFC, 0x40, 0x00, 1, 0x02, 0x10, 0x08]
        let beacon: [UInt8] = [17, 0x16, 0xAA, 0xFE, 0x20, 0, 0x0B, 0xB8, 0x15, 0, 0, 0, 0, 1, 0, 0, 0, 0x64]
        // The test keeps all advertisements, because a dictionary's order depends on its address in memory.
        let advertisements = (0..<500).flatMap { number in
            let octets = number % 2 == 0 ? thermometer + beacon : beacon + thermometer
            return Advertisement.all(in: octets[...], address: 0xA4C1_3812_3456)
        }
        #expect(advertisements.count == 500)
        #expect(advertisements.allSatisfy { SensorFamilies.recognise($0)?.decoder.family == "bthome" })
        var alone = advertisements[0]
        alone.serviceData[0xFCD2] = nil
        #expect(SensorFamilies.recognise(alone)?.decoder.family == "eddystone")
    }

    @Test func `what a sensor says in two structures of one UUID is one packet`() throws {
        // The battery is in the advertisement; the temperature and a zero as filler are in the scan response.
        let octets: [UInt8] = [
            0x08, 0x16, 0xD2, 0xFC, 0x40, 0x00, 0x01, 0x01, 0x61, 0x0A, 0x16, 0xD2, 0xFC, 0x40, 0x00, 0x01, 0x02, 0xCA,
            0x09, 0x00,
        ]
        let found = try #require(Self.first(octets))
        let packet = try #require(found.packet.plain)
        #expect(packet.number == PacketNumber(1, bits: 8))
        #expect(
            try found.decoder.decode(packet.value) == [.int(.battery, 97), .decimal(.temperature, 2_506, places: 2)])
        // The structures come from different packets: the newer one counts.
        var other = octets
        other[15] = 0x02
        let newer = try #require(Self.first(other)?.packet.plain)
        #expect(newer.number == PacketNumber(2, bits: 8))
    }

    @Test func `a scan response is read where a structure of the advertisement claims to go on into it`() throws {
        let advertisement = try #require([UInt8](hexadecimal: "020106120302f0ff"))
        let response = try #require([UInt8](hexadecimal: "04097370730aff9c08f41000ba4e6408"))
        let found = Advertisement.all(
            in: (advertisement + response)[...], responseAt: advertisement.count, address: 0x4942_0800_6380)
        #expect(found.map(\.name) == ["sps"])
        #expect(found.map(\.manufacturerData.count) == [9])
    }

    @Test func `values that are divided between advertisement and scan response are all taken`() throws {
        let advertisement = try #require([UInt8](hexadecimal: "0201060816d2fc4000010161"))
        // The structure belongs to the next packet: the reader joins the structures of one packet.
        let response = try #require([UInt8](hexadecimal: "0916d2fc40000202ca09"))
        let found = Advertisement.all(
            in: (advertisement + response)[...], responseAt: advertisement.count, address: 0xA4C1_3800_0020)
        #expect(found.map(\.isFurther) == [false, true])
        let quantities = try found.map { advertisement in
            let one = try #require(SensorFamilies.recognise(advertisement))
            return try one.decoder.decode(try #require(one.packet.plain).value).map(\.quantity)
        }
        #expect(quantities == [[.temperature], [.battery]])
        let same = Advertisement.all(
            in: (advertisement + advertisement)[...], responseAt: advertisement.count, address: 1)
        #expect(same.count == 1, "the same twice is once")
        let many = (0...UInt8.max).flatMap { [6, 0x16, 0xD2, 0xFC, 0x40, 0x01, $0] as [UInt8] }
        #expect(Advertisement.all(in: many[...], address: 1).count == 5)
    }

    @Test func `a weighing that is advertised for long is one, as the time in it says`() throws {
        var advertisement = Advertisement(address: 1)
        advertisement.serviceData[0x181D] = [0x22, 0x60, 0x36, 0xE7, 0x07, 0x05, 0x0C, 0x10, 0x20, 0x30]
        let found = try #require(SensorFamilies.recognise(advertisement))
        #expect(found.decoder.family == "mi-scale" && found.packet.plain?.isUnique == true)
    }
}
