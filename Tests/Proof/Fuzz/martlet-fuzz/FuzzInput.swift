// SPDX-License-Identifier: Apache-2.0

/// Reads an input as a row of choices, with zeros after its end, so that every input is valid.
struct FuzzInput {
    private let all: [UInt8]
    private var index = 0

    init(_ octets: [UInt8]) { all = octets }

    var isAtEnd: Bool { index >= all.count }

    mutating func u8() -> UInt8 {
        guard index < all.count else { return 0 }
        defer { index += 1 }
        return all[index]
    }

    mutating func u16() -> UInt16 { UInt16(u8()) | UInt16(u8()) << 8 }

    mutating func flag() -> Bool { u8() & 1 == 1 }

    /// 0..<`count`; at most 256 of them.
    mutating func pick(_ count: Int) -> Int { Int(u8()) % count }

    mutating func pick<Element>(_ list: [Element]) -> Element { list[pick(list.count)] }

    /// The next octets, at most `count`.
    mutating func take(_ count: Int) -> [UInt8] {
        let end = min(all.count, index + count)
        defer { index = end }
        return Array(all[min(index, end)..<end])
    }

    /// An octet with a count, then that many octets.
    mutating func counted() -> [UInt8] { take(Int(u8())) }

    mutating func rest() -> [UInt8] { take(all.count) }
}
