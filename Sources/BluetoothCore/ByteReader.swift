// SPDX-License-Identifier: Apache-2.0

/// Reads little-endian fields from unchecked octets; every failure names the field.
package struct ByteReader: Sendable {
    private let octets: ArraySlice<UInt8>
    private var index: Int

    package init(_ octets: [UInt8]) { self.init(octets[...]) }

    package init(_ octets: ArraySlice<UInt8>) {
        self.octets = octets
        index = octets.startIndex
    }

    /// Octets not read yet.
    package var remaining: Int { octets.endIndex - index }

    package mutating func u8(_ field: StaticString) throws(DecodeError) -> UInt8 {
        guard remaining >= 1 else { throw .truncated(field: field) }
        defer { index += 1 }
        return octets[index]
    }

    package mutating func i8(_ field: StaticString) throws(DecodeError) -> Int8 {
        Int8(bitPattern: try u8(field))
    }

    package mutating func u16(_ field: StaticString) throws(DecodeError) -> UInt16 {
        guard remaining >= 2 else { throw .truncated(field: field) }
        defer { index += 2 }
        return UInt16(octets[index]) | UInt16(octets[index + 1]) << 8
    }

    package mutating func i16(_ field: StaticString) throws(DecodeError) -> Int16 {
        Int16(bitPattern: try u16(field))
    }

    package mutating func u24(_ field: StaticString) throws(DecodeError) -> UInt32 {
        guard remaining >= 3 else { throw .truncated(field: field) }
        defer { index += 3 }
        return UInt32(octets[index]) | UInt32(octets[index + 1]) << 8 | UInt32(octets[index + 2]) << 16
    }

    package mutating func u32(_ field: StaticString) throws(DecodeError) -> UInt32 {
        guard remaining >= 4 else { throw .truncated(field: field) }
        let low = UInt32(try u16(field))
        return low | UInt32(try u16(field)) << 16
    }

    package mutating func u48(_ field: StaticString) throws(DecodeError) -> UInt64 {
        guard remaining >= 6 else { throw .truncated(field: field) }
        let low = UInt64(try u32(field))
        return low | UInt64(try u16(field)) << 32
    }

    package mutating func u64(_ field: StaticString) throws(DecodeError) -> UInt64 {
        guard remaining >= 8 else { throw .truncated(field: field) }
        let low = UInt64(try u32(field))
        return low | UInt64(try u32(field)) << 32
    }

    package mutating func bytes(_ count: Int, _ field: StaticString) throws(DecodeError) -> ArraySlice<UInt8> {
        guard count >= 0, remaining >= count else { throw .truncated(field: field) }
        defer { index += count }
        return octets[index..<(index + count)]
    }

    /// All remaining octets, possibly none.
    package mutating func rest() -> ArraySlice<UInt8> {
        defer { index = octets.endIndex }
        return octets[index...]
    }

    /// Fails unless every octet was read.
    package func finish() throws(DecodeError) {
        guard remaining == 0 else { throw .trailing(octets: remaining) }
    }
}
