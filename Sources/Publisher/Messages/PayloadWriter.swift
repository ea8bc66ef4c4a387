// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// Writes the payload of a reading: a flat JSON object.
///
/// Foundation's JSONEncoder takes a measured 5 µs for such an object, several times the cost of this writer, and a
/// fifth of a reading's whole budget. It also prints decimals with binary noise. This writer writes exactly this shape
/// into a reused buffer.
package struct PayloadWriter {
    /// The common start of all readings of a device: `{"v":1,"dev":"…","name":"…","gw":"…","n":`.
    ///
    /// - Parameters:
    ///   - name: The sensor's name for people; left out if unknown.
    ///   - offsets: The offsets that the numbers have, as `"offset":{"temperature":-0.5}`; left out without one.
    package static func head(
        device: String, name: String?, gateway: String, offsets: [Quantity: Field.Decimal] = [:]
    ) -> [UInt8] {
        var writer = PayloadWriter()
        writer.literal("{\"v\":1,\"dev\":")
        writer.string(device)
        if let name {
            writer.literal(",\"name\":")
            writer.string(name)
        }
        writer.literal(",\"gw\":")
        writer.string(gateway)
        for (place, offset) in offsets.sorted(by: { $0.key.key < $1.key.key }).enumerated() {
            writer.literal(place == 0 ? ",\"offset\":{" : ",")
            writer.string(offset.key.key)
            writer.literal(":")
            writer.decimal(offset.value)
        }
        if !offsets.isEmpty { writer.literal("}") }
        writer.literal(",\"n\":")
        return writer.octets
    }

    private var buffer = OctetBuffer()
    private var calendar = UTCCalendar()

    package init() {}

    package var octets: [UInt8] { buffer.octets }
    var count: Int { buffer.count }

    package mutating func removeAll() { buffer.removeAll() }

    /// Appends the written octets to other octets.
    func append(to octets: inout [UInt8]) { buffer.append(to: &octets) }

    /// - Parameters:
    ///   - boot: The name of the row's boot.
    ///   - fields: Nil passes the value on as received.
    package mutating func reading(
        _ row: JournalRow, time: ReadingTime, head: [UInt8], boot: String, characteristic: String, fields: [Field]?,
        historical: Bool
    ) {
        append(head)
        integer(row.n)
        if let unix = time.unixMilliseconds {
            literal(",\"ts\":")
            integer(unix)
            literal(",\"time\":")
            self.time(unix)
        }
        literal(",\"clock\":\"")
        buffer.append(time.quality.rawValue)
        literal("\",\"boot\":")
        string(boot)
        literal(",\"up_ms\":")
        integer(row.uptimeMilliseconds)
        literal(",\"src\":\"")
        buffer.append(row.source.rawValue)
        literal("\"")
        if let rssi = row.rssi {
            literal(",\"rssi\":")
            integer(Int64(rssi))
        }
        if let fields {
            for field in fields {
                literal(",\"")
                buffer.append(field.key)
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

    mutating func append(_ octets: [UInt8]) { buffer.append(octets) }

    mutating func literal(_ text: StaticString) { buffer.append(text) }

    mutating func integer(_ number: Int64) {
        if number < 0 { literal("-") }
        buffer.append(number.magnitude)
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
        buffer.append(magnitude, digits: places + 1, places: places)
    }

    /// As a text in UTC.
    mutating func time(_ unixMilliseconds: Int64) {
        literal("\"")
        calendar.write(unixMilliseconds, to: &buffer)
        literal("\"")
    }

    mutating func hexadecimal(_ value: [UInt8]) { buffer.append(hexadecimal: value) }

    mutating func string(_ text: String) {
        literal("\"")
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
            buffer.append(text)
        } else {
            for octet in text.utf8 { escaped(octet) }
        }
        literal("\"")
    }

    private mutating func escaped(_ octet: UInt8) {
        switch octet {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): append([UInt8(ascii: "\\"), octet])
        case 0..<0x20:
            literal("\\u00")
            hexadecimal([octet])
        default: append([octet])
        }
    }
}
