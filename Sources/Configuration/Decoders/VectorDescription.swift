// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Readings

/// The keys of a `[[vector]]` in a file of `decoders.d`.
struct VectorDescription: Sendable {
    var data: [UInt8]?
    var advertisement: [UInt8]?
    var scanResponse: [UInt8]?
    var values: [String: DecoderFile.Value]?
    var tolerance = Field.Decimal(mantissa: 0, places: 0)
    var encryptionKey: [UInt8]?
    var isRefused = false
    var localName: String?
    var address: UInt64?

    static let section = ConfigurationSection<VectorDescription>(
        path: ["vector"],
        help:
            "Octets of a sensor and what they say; the table may be written 64 times. At least one has values, and each "
            + "quantity is in one.",
        effect: .live, keys: keys)

    static let keys: [ConfigurationKey<VectorDescription>] = [
        .parsed(
            "data", \.data, as: "string of hexadecimal digits", parse: parseOctets,
            "A sensor's packet, from octet 0 of the offsets. The first form that accepts it decodes it."),
        .parsed(
            "advertisement", \.advertisement, as: "string of hexadecimal digits", parse: parseOctets,
            "Instead of `data`: all that it has advertised, as AD structures."),
        .parsed(
            "scan_response", \.scanResponse, as: "string of hexadecimal digits", parse: parseOctets,
            "Its scan response beside `advertisement`."),
        .table(
            "values", \.values, as: "table, like `{ temperature = 24.3 }`", parse: parseValues, "What it says."),
        .decimal("tolerance", \.tolerance, "How far a number may be from what it says, like `0.01`."),
        .parsed(
            "key", \.encryptionKey, as: "string of 32 hexadecimal digits", parse: parseOctets,
            "The sensor's key, where the packet is encrypted."),
        .flag("refused", \.isRefused, "It is none of the family: the decoder must not take it."),
        .text("local_name", \.localName, "The name beside it, where it is another than that of `[match]`."),
        .parsed(
            "address", \.address, as: "string, like `\"C4:7C:8D:00:11:22\"`", parse: parseAddress,
            "The sender's address, where it is another than the one that the data repeats."),
    ]
}

@Sendable private func parseOctets(_ text: String) throws(InvalidValue) -> [UInt8] {
    guard let octets = [UInt8](hexadecimal: text.filter { $0 != " " }), octets.count <= 512 else {
        throw InvalidValue("is no string of up to 512 octets, two hexadecimal digits each")
    }
    return octets
}

@Sendable private func parseValues(
    _ table: [String: ConfigurationValue]
) throws(InvalidValue) -> [String: DecoderFile.Value] {
    var found: [String: DecoderFile.Value] = [:]
    for (key, value) in table {
        switch value {
        case .integer(let number): found[key] = .number(Double(number))
        case .real(let number): found[key] = .number(number)
        case .boolean(let flag): found[key] = .number(flag ? 1 : 0)
        case .string(let text) where isInWords(key): found[key] = .text(text)
        default: throw InvalidValue("has \(quoted(key)), which is \(value.kind) and no number")
        }
    }
    return found
}

private func isInWords(_ key: String) -> Bool {
    let name =
        key.contains("_") && key.last?.isNumber == true
        ? key.split(separator: "_").dropLast().joined(separator: "_") : key
    let kind = (Quantity(key: key) ?? Quantity(key: name))?.details.kind
    return kind == .text || kind == .event
}

@Sendable private func parseAddress(_ text: String) throws(InvalidValue) -> UInt64 {
    guard let address = DeviceAddress(text, kind: .public) else {
        throw InvalidValue("is \(quoted(text)); wanted is an address like \"C4:7C:8D:00:11:22\"")
    }
    return address.value
}
