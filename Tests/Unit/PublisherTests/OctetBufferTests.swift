// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Publisher

@Suite("Octet buffer")
struct OctetBufferTests {
    private struct Digits: Sendable {
        var number: UInt64
        var digits = 1
        var places = 0
        var text: String
    }

    @Test(
        "numbers have the requested digits, and a point in its place",
        arguments: [
            Digits(number: 0, text: "0"), Digits(number: 9, text: "9"), Digits(number: 10, text: "10"),
            Digits(number: 99, text: "99"), Digits(number: 100, text: "100"), Digits(number: 999, text: "999"),
            Digits(number: 1_000, text: "1000"), Digits(number: .max, text: "18446744073709551615"),
            Digits(number: 7, digits: 3, text: "007"), Digits(number: 1_234, digits: 3, text: "1234"),
            Digits(number: 243, digits: 2, places: 1, text: "24.3"),
            Digits(number: 5, digits: 3, places: 2, text: "0.05"),
            Digits(number: 1, digits: 19, places: 18, text: "0.000000000000000001"),
            Digits(number: .max, digits: 19, places: 18, text: "18.446744073709551615"),
        ])
    private func digits(_ row: Digits) {
        var buffer = OctetBuffer()
        buffer.append(row.number, digits: row.digits, places: row.places)
        #expect(String(decoding: buffer.octets, as: UTF8.self) == row.text)
    }

    @Test("pieces of all kinds and lengths follow each other, whatever came before")
    func pieces() {
        var buffer = OctetBuffer()
        for length in [0, 1, 511, 512, 513, 5_000, 3] {
            buffer.removeAll()
            let octets = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
            buffer.append("<" as StaticString)
            buffer.append(octets)
            buffer.append(hexadecimal: octets)
            buffer.append(String(repeating: "ö", count: length))
            buffer.append(UInt64(length))
            let digits = octets.map { octet in
                let text = String(octet, radix: 16)
                return text.count == 1 ? "0" + text : text
            }
            let rest = digits.joined() + String(repeating: "ö", count: length) + String(length)
            let expected = Array("<".utf8) + octets + Array(rest.utf8)
            #expect(buffer.octets == expected)
            #expect(buffer.count == expected.count)
            var others: [UInt8] = [1]
            buffer.append(to: &others)
            #expect(others == [1] + expected)
        }
    }
}
