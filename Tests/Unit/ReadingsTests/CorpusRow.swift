// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Readings
import SensorCipher
import TestMaterials
import Testing

/// A packet of Tests/Support/Corpus/packets.jsonl, and the statements of its source.
struct CorpusRow: Decodable, Sendable, CustomTestStringConvertible {
    var source: String
    var model: String
    var address: String?
    var name: String?
    var services: [String]?
    /// AD structures, or their parts.
    var adv: String?
    var manufacturer: String?
    var service_data: [String: String]?
    var key: String?
    /// The packet's values, by our keys and in our units.
    var values: [String: Stated]?
    /// The source's other values, by its own keys, and why none of ours stands for each.
    var left_out: [String: String]?
    /// Why `values` has another number than the source, by our keys.
    var otherwise: [String: String]?
    /// The reason for a packet without values: a kind of packet that has none, or an unsupported sensor.
    var unread: String?

    var testDescription: String { "\(model): \(adv ?? manufacturer ?? "") \(service_data ?? [:])" }

    /// A value as it is published.
    enum Stated: Decodable, Sendable, Equatable {
        case flag(Bool)
        case number(Foundation.Decimal)
        case text(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let flag = try? container.decode(Bool.self) {
                self = .flag(flag)
            } else if let number = try? container.decode(Foundation.Decimal.self) {
                self = .number(number)
            } else {
                self = .text(try container.decode(String.self))
            }
        }

        /// A flag is 1 or 0 with us. A number may differ by half of its last published decimal; a whole number not at all.
        func isSame(as value: Field.Value?) -> Bool {
            switch (self, value) {
            case (.flag(let flag), .int(let number)?): return number == (flag ? 1 : 0)
            case (.text(let text), .string(let own)?): return text == own
            case (.number(let stated), let value?):
                guard let number = value.number else { return false }
                let places = max(0, -stated.exponent)
                let tolerance = places == 0 ? 0 : 0.5 * pow(0.1, Double(places))
                let exact = NSDecimalNumber(decimal: stated).doubleValue
                // A Double has 15 sure digits.
                return abs(number - exact) <= tolerance + abs(exact) * 1e-14
            default: return false
            }
        }
    }

    var advertisements: [Advertisement] {
        let number = address.flatMap { UInt64($0.filter { $0 != ":" }, radix: 16) }
        if let adv {
            return Advertisement.all(in: ([UInt8](hexadecimal: adv) ?? [])[...], address: number)
        }
        var one = Advertisement(
            address: number, name: name, services: (services ?? []).compactMap { BluetoothUUID($0) },
            manufacturerData: [UInt8](hexadecimal: manufacturer ?? "") ?? [])
        for (uuid, value) in service_data ?? [:] {
            if let uuid = UInt16(uuid, radix: 16) { one.serviceData[uuid] = [UInt8](hexadecimal: value) }
        }
        return [one]
    }

    /// The family of the packet, and its fields; nil where no family has values for it. An advertisement may have several
    /// parts with values.
    func result() -> (family: String, fields: [Field])? {
        advertisements.reduce(nil) { found, advertisement in
            guard let part = part(advertisement) else { return found }
            return (found?.family ?? part.family, (found?.fields ?? []) + part.fields)
        }
    }

    private func part(_ advertisement: Advertisement) -> (family: String, fields: [Field])? {
        guard let found = SensorFamilies.recognise(advertisement) else { return nil }
        switch found.packet {
        case .plain(let packet):
            return (try? found.decoder.decode(packet.value)).map { (found.decoder.family, $0) }
        case .sealed(let sealed):
            let octets = key.flatMap { [UInt8](hexadecimal: $0) } ?? []
            guard let key = found.decoder.needs.key == .none ? [] : found.decoder.key(from: octets),
                let plain = PacketCipher.open(sealed, key: key),
                let packet = found.decoder.unsealed(sealed, plaintext: plain)
            else { return nil }
            return (try? found.decoder.decode(packet.value)).map { (found.decoder.family, $0) }
        }
    }

    /// Our values by their keys; the first of a key that a packet has twice.
    func given() -> [String: Field.Value] {
        Dictionary((result()?.fields ?? []).map { ($0.key, $0.value) }) { first, _ in first }
    }

    /// The stated values that we do not have, or have otherwise: nothing if the packet is read as its source says.
    func differences() -> [String] {
        let given = given()
        return (values ?? [:]).sorted { $0.key < $1.key }.filter { !$1.isSame(as: given[$0]) }.map {
            "\($0): \($1), and ours \(given[$0].map { "\($0)" } ?? "is missing")"
        }
    }

    /// Values of the source that are no measurement, or that nobody can read: their reasons begin so.
    private static let immaterial = [
        "a setting: ", "an identity: ", "without unit: ", "contradicted: ", "computed: ", "impossible: ",
    ]

    /// The packet is read with all measurements of the source, as the source says or as a reason says.
    var isRight: Bool {
        unread == nil && differences().isEmpty
            && (left_out ?? [:]).values.allSatisfy { reason in Self.immaterial.contains { reason.hasPrefix($0) } }
    }

    static let all: [CorpusRow] = {
        let file = Checkout.url("Tests/Support/Corpus/packets.jsonl")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { try? JSONDecoder().decode(CorpusRow.self, from: Data($0.utf8)) }
    }()
}
