// SPDX-License-Identifier: Apache-2.0

import Readings

/// Writes the payload of one reading: one flat JSON object.
///
/// Foundation's JSONEncoder was measured at 5 µs for one such object, several times what this takes and a fifth of
/// all that a reading may cost, and it prints decimals with binary noise. This writes exactly this shape into a buffer
/// that is used again.
package struct PayloadWriter {
    /// What is the same for all readings of a device: `{"v":1,"dev":"…","name":"…","gw":"…","n":`.
    ///
    /// - Parameter name: What the sensor calls itself; left out when that is not known.
    package static func head(device: String, name: String?, gateway: String) -> [UInt8] {
        var writer = PayloadWriter()
        writer.literal("{\"v\":1,\"dev\":")
        writer.string(device)
        if let name {
            writer.literal(",\"name\":")
            writer.string(name)
        }
        writer.literal(",\"gw\":")
        writer.string(gateway)
        writer.literal(",\"n\":")
        return writer.octets
    }

    package private(set) var octets: [UInt8] = []
    private var calendar = UTCCalendar()

    package init() {}

    package mutating func removeAll() { octets.removeAll(keepingCapacity: true) }

    /// - Parameters:
    ///   - boot: The name of the row's boot.
    ///   - fields: Nil passes the value on as it was received.
    package mutating func reading(
        _ row: JournalRow, time: ReadingTime, head: [UInt8], boot: String, characteristic: String, fields: [Field]?,
        historical: Bool
    ) {
        octets.append(contentsOf: head)
        integer(row.n)
        if let unix = time.unixMilliseconds {
            literal(",\"ts\":")
            integer(unix)
            literal(",\"time\":\"")
            calendar.write(unix, to: &octets)
            literal("\"")
        }
        literal(",\"clock\":\"")
        octets.append(contentsOf: time.quality.rawValue.utf8)
        literal("\",\"boot\":")
        string(boot)
        literal(",\"up_ms\":")
        integer(row.uptimeMilliseconds)
        literal(",\"src\":\"")
        octets.append(contentsOf: row.source.rawValue.utf8)
        literal("\"")
        if let rssi = row.rssi {
            literal(",\"rssi\":")
            integer(Int64(rssi))
        }
        if let fields {
            for field in fields {
                literal(",\"")
                octets.append(contentsOf: field.key.utf8)
                literal("\":")
                value(field.value)
            }
        } else {
            literal(",\"characteristic\":")
            string(characteristic)
            literal(",\"raw\":\"")
            hexadecimal(row.value)
            literal("\"")
        }
        if historical { literal(",\"historical\":true") }
        literal("}")
    }

    mutating func value(_ value: Field.Value) {
        switch value {
        case .int(let number): integer(number)
        case .decimal(let number): decimal(number)
        case .string(let text): string(text)
        case .array(let values):
            literal("[")
            for (index, element) in values.enumerated() {
                if index > 0 { literal(",") }
                self.value(element)
            }
            literal("]")
        }
    }

    mutating func append(_ octets: [UInt8]) { self.octets.append(contentsOf: octets) }

    mutating func literal(_ text: StaticString) {
        octets.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func integer(_ number: Int64) {
        if number < 0 { literal("-") }
        octets.append(digitsOf: number.magnitude, atLeast: 1)
    }

    /// Without zeros at the end: 2430 hundredths are `24.3`.
    mutating func decimal(_ number: Field.Decimal) {
        var magnitude = number.mantissa.magnitude
        var places = number.places
        while places > 0, magnitude.isMultiple(of: 10) {
            magnitude /= 10
            places -= 1
        }
        if number.mantissa < 0 { literal("-") }
        octets.append(digitsOf: magnitude, atLeast: places + 1)
        if places > 0 { octets.insert(UInt8(ascii: "."), at: octets.count - places) }
    }

    mutating func hexadecimal(_ value: [UInt8]) {
        for octet in value {
            hexadecimal(digit: octet >> 4)
            hexadecimal(digit: octet & 15)
        }
    }

    private mutating func hexadecimal(digit: UInt8) {
        octets.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }

    mutating func string(_ text: String) {
        literal("\"")
        for octet in text.utf8 {
            switch octet {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                octets.append(UInt8(ascii: "\\"))
                octets.append(octet)
            case 0..<0x20:
                literal("\\u00")
                hexadecimal([octet])
            default:
                octets.append(octet)
            }
        }
        literal("\"")
    }
}

extension [UInt8] {
    /// Decimal digits, with zeros in front up to `count`.
    mutating func append(digitsOf number: UInt64, atLeast count: Int) {
        var length = 1
        var rest = number
        while rest >= 10 {
            rest /= 10
            length += 1
        }
        let start = self.count
        append(contentsOf: repeatElement(UInt8(ascii: "0"), count: Swift.max(length, count)))
        var index = self.count
        rest = number
        while rest > 0, index > start {
            index -= 1
            self[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }
}
