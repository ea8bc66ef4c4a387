// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A sensor's value for a person to read.
package enum ValueText {
    /// `23.4 °C`, the digits of what no decoder knows, or `–` for what the sensor does not know.
    package static func of(characteristic: String, value: [UInt8]) -> String {
        guard let fields = Decoders.decode(characteristic: characteristic, value: value) else {
            return value.count > 8 ? value.prefix(8).hexadecimal + "…" : value.hexadecimal
        }
        // The first field is what the characteristic is about.
        guard let field = fields.first else { return "–" }
        let unit = field.quantity.details.unit ?? field.quantity.rawValue
        switch field.value {
        case .int(let number): return "\(number) \(unit)"
        case .decimal(let decimal): return "\(decimal.text) \(unit)"
        case .string(let text): return AdvertisedName.clean(text) ?? "–"
        case .array(let values): return "\(values.count) values"
        }
    }
}

extension Field.Decimal {
    fileprivate var text: String {
        guard places > 0 else { return String(mantissa) }
        let digits = String(mantissa.magnitude)
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return (mantissa < 0 ? "-" : "") + padded.dropLast(places) + "." + padded.suffix(places)
    }
}
