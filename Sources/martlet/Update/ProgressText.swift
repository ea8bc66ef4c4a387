// SPDX-License-Identifier: Apache-2.0

/// Finds percentages in a program's progress output: ` 40% Copying image to rootfs.1`.
struct ProgressText {
    /// The digits just before the next octet, at most three; nil after more digits.
    private var digits: [UInt8]? = []
    private var highest = -1

    /// The new percentage, if higher than before.
    mutating func receive(_ octets: some Sequence<UInt8>) -> Int? {
        let before = highest
        for octet in octets {
            switch octet {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits?.append(octet)
                if let digits, digits.count > 3 { self.digits = nil }
            case UInt8(ascii: "%"):
                let number = digits.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
                if let number, number <= 100 { highest = max(highest, number) }
                digits = []
            default: digits = []
            }
        }
        return highest > before ? highest : nil
    }
}
