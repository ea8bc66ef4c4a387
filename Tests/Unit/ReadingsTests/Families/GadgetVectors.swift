// SPDX-License-Identifier: Apache-2.0

import Readings

/// Made by hand from the layouts; `make test-decoders` compares them with other people's programs.
extension FamilyVector {
    // MARK: b-parasite

    private static func parasite(
        _ name: String, _ octets: String, address: UInt64 = 0xF0CA_F05A_7E01, number: UInt32 = 7, _ fields: [Field]?
    ) -> FamilyVector {
        FamilyVector(
            name, "b-parasite", address: address, service: (0x181A, octets.filter { $0 != " " }),
            number: PacketNumber(number, bits: 8), fields)
    }

    static let bParasite: [FamilyVector] = [
        parasite(
            "colder than anything", "20 07 0bb8 8000 8000 4000 f0caf05a7e01 01f4",
            [
                .decimal(.humidity, 50_000, places: 3), .decimal(.moisture, 25_000, places: 3),
                .decimal(.voltage, 3_000, places: 3), .int(.illuminance, 500),
            ]),
        parasite(
            "hundredths and light", "20 07 0bb8 0898 8000 4000 f0caf05a7e01 01f4",
            [
                .decimal(.temperature, 2_200, places: 2), .decimal(.humidity, 50_000, places: 3),
                .decimal(.moisture, 25_000, places: 3), .decimal(.voltage, 3_000, places: 3), .int(.illuminance, 500),
            ]),
        parasite(
            "thousandths, below zero, no light", "10 07 0000 fc18 0000 ffff f0caf05a7e01",
            [
                .decimal(.temperature, -1_000, places: 3), .decimal(.humidity, 0, places: 3),
                .decimal(.moisture, 99_998, places: 3), .decimal(.voltage, 0, places: 3),
            ]),
        parasite("of another's address", "20 07 0bb8 0898 8000 4000 f0caf05a7e02 01f4", nil),
        parasite("of another version", "30 07 0bb8 0898 8000 4000 f0caf05a7e01 01f4", nil),
    ]

    // MARK: Sensirion

    private static func sensirion(_ name: String, _ octets: String, _ fields: [Field]?) -> FamilyVector {
        FamilyVector(
            name, "sensirion", address: 0xCAFE, manufacturer: "d506" + octets.filter { $0 != " " }, fields)
    }

    static let sensirion: [FamilyVector] = [
        sensirion(
            "MyCO2", "00 08 84e3 0166 5d5c 5803",
            [
                .decimal(.temperature, 2_473, places: 2), .decimal(.humidity, 3_608, places: 2), .int(.co2, 856),
            ]),
        sensirion(
            "SHT4x, at its ends", "00 06 0000 ffff ffff",
            [.decimal(.temperature, 13_000, places: 2), .decimal(.humidity, 10_000, places: 2)]),
        sensirion(
            "SHT3x, at its other ends", "00 04 0000 0000 0000",
            [.decimal(.temperature, -4_500, places: 2), .decimal(.humidity, 0, places: 2)]),
        sensirion("shorter than the shortest", "00 04 0000 0000 00", nil),
        sensirion("of another kind", "00 09 0000 0000 0000", nil),
    ]
}
