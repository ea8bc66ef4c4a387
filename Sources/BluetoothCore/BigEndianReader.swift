// SPDX-License-Identifier: Apache-2.0

/// Reads big-endian fields from unchecked octets; every failure names the field.
package struct BigEndianReader: Sendable {
    private var reader: ByteReader

    package init(_ octets: [UInt8]) { reader = ByteReader(octets) }
    package init(_ octets: ArraySlice<UInt8>) { reader = ByteReader(octets) }

    /// Octets not read yet.
    package var remaining: Int { reader.remaining }

    package mutating func u8(_ field: StaticString) throws(DecodeError) -> UInt8 { try reader.u8(field) }
    package mutating func i8(_ field: StaticString) throws(DecodeError) -> Int8 { try reader.i8(field) }
    package mutating func u16(_ field: StaticString) throws(DecodeError) -> UInt16 { try reader.u16(field).byteSwapped }
    package mutating func i16(_ field: StaticString) throws(DecodeError) -> Int16 { try reader.i16(field).byteSwapped }

    package mutating func u24(_ field: StaticString) throws(DecodeError) -> UInt32 {
        try reader.u24(field).byteSwapped >> 8
    }

    package mutating func u32(_ field: StaticString) throws(DecodeError) -> UInt32 { try reader.u32(field).byteSwapped }

    package mutating func bytes(_ count: Int, _ field: StaticString) throws(DecodeError) -> ArraySlice<UInt8> {
        try reader.bytes(count, field)
    }

    /// All remaining octets, possibly none.
    package mutating func rest() -> ArraySlice<UInt8> { reader.rest() }

    /// Fails unless every octet was read.
    package func finish() throws(DecodeError) { try reader.finish() }
}
