// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import TestMaterials
import Testing

@testable import Readings

/// Values in makers' own characteristics.
struct LinkedSensorDecoderTests {
    private static let tail = "-ade7-11e4-89d3-123b93f75cba"

    static let rows: [DecoderTests.Row] = [
        DecoderTests.Row(
            name: "Wave Plus", characteristic: "b42e2a68\(tail)",
            value: "015b280026002c002408e6c5640262000000000000000000",
            fields: nil),
        DecoderTests.Row(
            name: "Wave Plus, 20 octets", characteristic: "b42e2a68\(tail)",
            value: "015b280026002c002408e6c56402620000000000",
            fields: [
                .decimal(.humidity, 455, places: 1), .int(.lightLevel, 40), .int(.radon, 38), .int(.radonLong, 44),
                .decimal(.temperature, 2084, places: 2), .decimal(.pressure, 101_324, places: 2), .int(.co2, 612),
                .int(.vocPPB, 98),
            ]),
        DecoderTests.Row(
            name: "Wave Plus, below zero", characteristic: "b42e2a68\(tail)",
            value: "0100000000000000feff00000000000000000000",
            fields: [
                .decimal(.humidity, 0, places: 1), .int(.lightLevel, 0), .int(.radon, 0), .int(.radonLong, 0),
                .decimal(.temperature, -2, places: 2), .decimal(.pressure, 0, places: 2), .int(.co2, 0),
                .int(.vocPPB, 0),
            ]),
        DecoderTests.Row(
            name: "Wave Plus, largest values that are ones", characteristic: "b42e2a68\(tail)",
            value: "01c8ff00ff3fff3f1027fefffefffeff00000000",
            fields: [
                .decimal(.humidity, 1000, places: 1), .int(.lightLevel, 255), .int(.radon, 16_383),
                .int(.radonLong, 16_383), .decimal(.temperature, 10_000, places: 2),
                .decimal(.pressure, 131_068, places: 2), .int(.co2, 65_534), .int(.vocPPB, 65_534),
            ]),
        DecoderTests.Row(
            name: "Wave Plus, nothing known but light", characteristic: "b42e2a68\(tail)",
            value: "01c90000004000401127ffffffffffff00000000",
            fields: [.int(.lightLevel, 0)]),
        DecoderTests.Row(
            name: "Wave Plus, another version", characteristic: "b42e2a68\(tail)",
            value: "025b280026002c002408e6c56402620000000000",
            fields: nil),
        DecoderTests.Row(
            name: "Wave Radon", characteristic: "b42e4dcc\(tail)", value: "015b280026002c002408ffffffffffffffffffff",
            fields: [
                .decimal(.humidity, 455, places: 1), .int(.lightLevel, 40), .int(.radon, 38), .int(.radonLong, 44),
                .decimal(.temperature, 2084, places: 2),
            ]),
        DecoderTests.Row(
            name: "Wave Mini", characteristic: "b42e3b98\(tail)", value: "1000e472e6c5c511620000000000000000000000",
            fields: [
                .decimal(.temperature, 2097, places: 2), .decimal(.pressure, 101_324, places: 2),
                .decimal(.humidity, 4549, places: 2), .int(.vocPPB, 98),
            ]),
        DecoderTests.Row(
            name: "Wave Mini, too short", characteristic: "b42e3b98\(tail)", value: "1000e472e6c5c511", fields: nil),
        DecoderTests.Row(
            name: "Wave, radon of a day", characteristic: "b42e01aa\(tail)", value: "2600", fields: [.int(.radon, 38)]),
        DecoderTests.Row(name: "Wave, no radon yet", characteristic: "b42e01aa\(tail)", value: "0040", fields: []),
        DecoderTests.Row(
            name: "Wave, radon of a long time", characteristic: "b42e0a4c\(tail)", value: "2c00",
            fields: [.int(.radonLong, 44)]),
        DecoderTests.Row(
            name: "Wave, an octet too many", characteristic: "b42e0a4c\(tail)", value: "2c0000", fields: nil),
        DecoderTests.Row(
            name: "Aranet4", characteristic: "f0cd1503-95da-4f4b-9ac8-aa55d312af0c", value: "4304a0018b27350c02",
            fields: [
                .int(.co2, 1091), .decimal(.temperature, 2080, places: 2), .decimal(.pressure, 10_123, places: 1),
                .int(.humidity, 53), .int(.battery, 12), .text(.co2Status, "yellow"),
            ]),
        DecoderTests.Row(
            name: "Aranet4, detailed", characteristic: "f0cd3001-95da-4f4b-9ac8-aa55d312af0c",
            value: "4304a0018b27350c022c011000",
            fields: [
                .int(.co2, 1091), .decimal(.temperature, 2080, places: 2), .decimal(.pressure, 10_123, places: 1),
                .int(.humidity, 53), .int(.battery, 12), .text(.co2Status, "yellow"), .int(.sampleInterval, 300),
                .int(.sampleAge, 16),
            ]),
        DecoderTests.Row(
            name: "Aranet4, too short", characteristic: "f0cd3001-95da-4f4b-9ac8-aa55d312af0c",
            value: "4304a0018b27350c02",
            fields: nil),
    ]

    @Test("values as sensors serve them", arguments: rows)
    func decodes(row: DecoderTests.Row) throws {
        let value = try #require([UInt8](hexadecimal: row.value))
        #expect(Decoders.decode(characteristic: row.characteristic, value: value) == row.fields)
    }

    @Test func `what a profile collects is decoded, and its services are its own`() {
        for profile in SensorProfile.all {
            for feed in profile.read + profile.subscribe {
                let name = feed.characteristic.description.lowercased()
                #expect(Decoders.decoder(for: name) != nil, "\(profile.name): \(name)")
            }
            #expect(SensorProfile.named(profile.name)?.services == profile.services)
            #expect(profile.write.isEmpty == (profile.writeEverySeconds == nil))
            for sensor in profile.sensors { #expect(SensorProfile.ofSensor(named: sensor)?.name == profile.name) }
            // A service that other makers use, too, makes no profile.
            guard profile.sensors.isEmpty else { continue }
            for service in profile.services { #expect(SensorProfile.of([service])?.name == profile.name) }
            #expect(profile.read.isEmpty == (profile.readEverySeconds == nil))
        }
        #expect(SensorProfile.of([0x180F, 0x180D])?.name == "heart_rate", "what it measures goes before its battery")
        #expect(SensorProfile.of([0x1800]) == nil)
        #expect(SensorProfile.of([0xFFF0]) == nil && SensorProfile.of([0xFF00]) == nil)
    }

    /// Many makers use the UUIDs FFF4 and FF01.
    @Test func `the values of other makers under a decoded UUID are no values`() {
        var generator = SeededGenerator(seed: 0xFFF4)
        for definition in Decoders.described {
            #expect(Decoders.isOfSomeMakers(definition.key))
            #expect(
                !AssignedName.characteristics.values.contains {
                    BluetoothUUID($0).description.lowercased() == definition.key
                })
            let lengths = Set(definition.forms.flatMap { [$0.length.lowerBound, $0.length.upperBound] })
            for length in lengths {
                for _ in 0..<20_000 {
                    let octets = generator.octets(length)
                    #expect(Decoders.decode(characteristic: definition.key, value: octets) == nil, "\(octets)")
                }
            }
        }
        #expect(!Decoders.isOfSomeMakers("2a19"))
    }
}
