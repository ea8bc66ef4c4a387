// SPDX-License-Identifier: Apache-2.0

enum RandomUUID {
    /// A UUID of version 4 in its usual form, lower case.
    static func next() -> String {
        var octets = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        octets[6] = octets[6] & 0x0F | 0x40
        octets[8] = octets[8] & 0x3F | 0x80
        return octets.enumerated().map { index, octet in
            let digits = String(octet, radix: 16)
            return ([4, 6, 8, 10].contains(index) ? "-" : "") + (digits.count == 1 ? "0" : "") + digits
        }.joined()
    }

    static func isValid(_ text: String) -> Bool {
        let octets = Array(text.utf8)
        return octets.count == 36
            && octets.enumerated().allSatisfy { index, octet in
                [8, 13, 18, 23].contains(index)
                    ? octet == UInt8(ascii: "-")
                    : (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet)
                        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(octet)
            }
    }
}
