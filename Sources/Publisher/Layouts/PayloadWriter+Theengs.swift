// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

extension PayloadWriter {
    /// `{"id":"C4:7C:8D:00:11:22","name":"…"`.
    static func theengsHead(_ name: TheengsName) -> [UInt8] {
        var writer = PayloadWriter()
        writer.literal("{\"id\":")
        writer.string(name.id)
        for (key, text) in [("name", name.name), ("brand", name.brand), ("model", name.model)] {
            guard let text else { continue }
            writer.literal(",\"")
            writer.append(Array(key.utf8))
            writer.literal("\":")
            writer.string(text)
        }
        return writer.octets
    }

    /// A reading with the keys of OpenMQTTGateway and Theengs, and Martlet's `n` and `ts`.
    mutating func theengs(
        _ row: JournalRow, time: ReadingTime, head: [UInt8], characteristic: String, fields: [Field]?
    ) {
        append(head)
        if let rssi = row.rssi {
            literal(",\"rssi\":")
            integer(Int64(rssi))
        }
        if let fields {
            for (place, field) in fields.enumerated() {
                // Several Martlet quantities may share a Theengs key: the second in a packet keeps its Martlet name.
                let isTaken = fields[..<place].contains {
                    $0.index == field.index && $0.quantity.details.theengsKey == field.quantity.details.theengsKey
                }
                theengs(field, keepsName: isTaken && field.quantity.details.theengsKey != nil)
            }
        } else {
            literal(",\"characteristic\":")
            string(characteristic)
            literal(",\"raw\":\"")
            hexadecimal(row.value)
            literal("\"")
        }
        literal(",\"n\":")
        integer(row.n)
        if let unix = time.unixMilliseconds {
            literal(",\"ts\":")
            integer(unix)
        }
        literal("}")
    }

    static func theengsKey(of quantity: Quantity, index: UInt8) -> String {
        let key = quantity.details.theengsKey ?? quantity.key
        return quantity == .temperature ? numbered(key, index) : index == 0 ? key : "\(key)_\(index)"
    }

    /// Probes are `tempc`, `tempc2`, `tempc3`, …
    private static func numbered(_ key: String, _ index: UInt8) -> String { index <= 1 ? key : "\(key)\(index)" }

    private mutating func theengs(_ field: Field, keepsName: Bool) {
        write(keepsName ? field.key : Self.theengsKey(of: field.quantity, index: field.index), field.value)
        if field.quantity == .temperature, let fahrenheit = field.value.fahrenheit {
            write(Self.numbered("tempf", field.index), fahrenheit)
        }
    }

    private mutating func write(_ key: String, _ value: Field.Value) {
        literal(",\"")
        append(Array(key.utf8))
        literal("\":")
        self.value(value)
    }
}

extension Field.Value {
    /// Degrees Celsius as degrees Fahrenheit; nil for a value that is no number, or does not fit.
    fileprivate var fahrenheit: Field.Value? {
        let (mantissa, places): (Int64, Int)
        switch self {
        case .int(let number): (mantissa, places) = (number, 0)
        case .decimal(let number): (mantissa, places) = (number.mantissa, number.places)
        case .string, .array: return nil
        }
        guard places < 17 else { return nil }
        // × 9/5 is × 18 with an additional decimal place; 32 is 320 of these.
        let (product, overflow) = mantissa.multipliedReportingOverflow(by: 18)
        let offset = (0..<places).reduce(Int64(320)) { value, _ in value * 10 }
        let (sum, sumOverflow) = product.addingReportingOverflow(offset)
        return overflow || sumOverflow ? nil : .decimal(Field.Decimal(mantissa: sum, places: places + 1))
    }
}
