// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Readings

/// Values in words.
struct ValueTextTests {
    /// Characteristics that are texts by their specification.
    static let texts: [(characteristic: String, value: String, shown: String)] = [
        ("2a26", "1.4.2", "1.4.2"), ("2a29", "Möbel & Söhne", "Möbel & Söhne"), ("2a24", "RT-1\0\0\0\0", "RT-1"),
        ("2a28", "a\u{1B}[31m\nb", "a[31mb"), ("2a27", " 7 ", "7"), ("2a25_2", "0815", "0815"),
        ("2a00", "Fridge \u{202E}egdirF", "Fridge egdirF"),
        ("2a26", String(repeating: "x", count: 65), String(repeating: "x", count: 64)),
    ]

    @Test(arguments: texts)
    func `a text of a device is shown as text, without control characters`(
        characteristic: String, value: String, shown: String
    ) {
        #expect(ValueText.of(characteristic: characteristic, value: Array(value.utf8)) == shown)
        #expect(ValueText.string(of: characteristic, value: Array(value.utf8)) == shown)
    }

    @Test func `other octets without a decoder are shown in hexadecimal`() {
        #expect(ValueText.of(characteristic: "fff1", value: Array("1.4".utf8)) == "312e34")
        #expect(ValueText.string(of: "fff1", value: Array("1.4".utf8)) == nil)
        // Nothing is left of this text.
        #expect(ValueText.of(characteristic: "2a26", value: [0, 0x31]) == "0031")
    }
}
