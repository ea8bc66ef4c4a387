// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Readings
import SensorCipher
import TestMaterials
import Testing

/// The smallest and the largest value of each quantity of each family, from packets that other programs read as ours does:
/// `Tests/Scenes/Decoders/borders.json`, written by `run.py --borders`.
struct BorderTests {
    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        struct Packet: Decodable, Sendable {
            var address: String?
            var name: String?
            var services: [String]?
            var manufacturer: String?
            var service_data: [String: String]?
            var key: String?
        }

        enum Value: Decodable, Equatable, Sendable {
            case number(Double)
            case other

            init(from decoder: any Decoder) throws {
                self = (try? decoder.singleValueContainer().decode(Double.self)).map { .number($0) } ?? .other
            }
        }

        var family: String
        var ends: [String]
        var packet: Packet
        var fields: [String: Value]

        var testDescription: String { "\(family): \(ends.joined(separator: ", "))" }
    }

    static let rows: [Row] = {
        let file = Checkout.url("Tests/Scenes/Decoders/borders.json")
        return (try? JSONDecoder().decode([Row].self, from: Data(contentsOf: file))) ?? []
    }()

    @Test func `every family has its ends`() {
        // A new family that a file describes has its vectors in the file.
        let coded = Set(SensorFamilies.all.map { $0.family }).subtracting(
            DescribedVector.all.filter { !$0.isRecord }.map(\.family))
        #expect(coded.isSubset(of: Self.rows.map(\.family)))
        #expect(Set(Self.rows.map(\.family)).isSubset(of: SensorFamilies.all.map(\.family)))
    }

    @Test(arguments: rows)
    func `its value is the one that both have read`(_ row: Row) throws {
        var data: [UInt16: [UInt8]] = [:]
        for (uuid, value) in row.packet.service_data ?? [:] {
            data[try #require(UInt16(uuid, radix: 16))] = [UInt8](hexadecimal: value)
        }
        let advertisement = Advertisement(
            address: row.packet.address.flatMap { UInt64($0.filter { $0 != ":" }, radix: 16) }, name: row.packet.name,
            services: (row.packet.services ?? []).compactMap { BluetoothUUID($0) },
            manufacturerData: [UInt8](hexadecimal: row.packet.manufacturer ?? "") ?? [], serviceData: data)
        var vector = FamilyVector("", row.family, nil)
        (vector.advertisement, vector.key) = (advertisement, row.packet.key)
        let fields = try #require(vector.result()).fields
        #expect(fields.count == row.fields.count)
        for field in fields {
            let value = try #require(row.fields[field.key], "\(field.key)")
            #expect(value == field.value.number.map { .number($0) } ?? .other, "\(field.key)")
        }
    }
}
