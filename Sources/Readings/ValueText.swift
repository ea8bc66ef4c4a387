// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A sensor's value for a person to read.
package enum ValueText {
    /// `23.4 °C`, the octets in hexadecimal without a decoder, or `–` for a value unknown to the sensor.
    package static func of(characteristic: String, value: [UInt8]) -> String {
        guard let fields = Decoders.decode(characteristic: characteristic, value: value) else {
            if let text = string(of: characteristic, value: value) { return text }
            return value.count > 8 ? value.prefix(8).hexadecimal + "…" : value.hexadecimal
        }
        return of(fields, characteristic: characteristic)
    }

    /// Device Name, and the strings of the Device Information Service 1.1, 3.1 to 3.6.
    private static let strings: Set<String> = ["2a00", "2a24", "2a25", "2a26", "2a27", "2a28", "2a29"]

    /// The text of a characteristic that is a text by its specification: without control characters, 64 octets of UTF-8
    /// at most. Nil for other characteristics, and if nothing is left.
    package static func string(of characteristic: String, value: [UInt8]) -> String? {
        let name = CharacteristicInstance.parts(of: characteristic)?.characteristic ?? characteristic
        guard strings.contains(name) else { return nil }
        // Some devices fill their texts up with zeros.
        return AdvertisedName.clean(String(decoding: value.prefix { $0 != 0 }, as: UTF8.self))
    }

    /// The text of decoded fields.
    package static func of(_ fields: [Field], characteristic: String) -> String {
        // The first field is the characteristic's main value. An advertisement has several values.
        guard let first = fields.first else { return "–" }
        guard SensorFamilies.family(characteristic) != nil else { return text(of: first) }
        let shown = fields.prefix(maximumFields).map {
            $0.value.number == nil || $0.quantity.details.unit == nil ? "\($0.key) \(bare($0))" : text(of: $0)
        }
        return shown.joined(separator: ", ") + (fields.count > maximumFields ? ", …" : "")
    }

    /// Limit of shown fields of an advertisement.
    private static let maximumFields = 4

    private static func bare(_ field: Field) -> String {
        switch field.value {
        case .int(let number): String(number)
        case .decimal(let decimal): decimal.text(places: field.quantity.details.precision)
        case .string(let text): AdvertisedName.clean(text) ?? "–"
        case .array(let values): "\(values.count) values"
        }
    }

    private static func text(of field: Field) -> String {
        let unit = field.quantity.details.unit ?? field.quantity.key
        switch field.value {
        case .int(let number): return "\(number) \(unit)"
        case .decimal(let decimal): return "\(decimal.text(places: field.quantity.details.precision)) \(unit)"
        case .string(let text): return AdvertisedName.clean(text) ?? "–"
        case .array(let values): return "\(values.count) values"
        }
    }
}

extension Field.Decimal {
    /// Rounded to the places worth showing.
    fileprivate func text(places worth: Int) -> String {
        var (mantissa, places) = (mantissa, places)
        while places > worth {
            let (tens, last) = mantissa.quotientAndRemainder(dividingBy: 10)
            mantissa = tens + (last >= 5 ? 1 : last <= -5 ? -1 : 0)
            places -= 1
        }
        guard places > 0 else { return String(mantissa) }
        let digits = String(mantissa.magnitude)
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return (mantissa < 0 ? "-" : "") + padded.dropLast(places) + "." + padded.suffix(places)
    }
}
