// SPDX-License-Identifier: Apache-2.0

/// Little-endian access for the hot path, where a reader's per-field errors would cost too much.
///
/// Callers check `byteCount` first; an offset outside the span is a mistake of ours and stops the process.
extension RawSpan {
    @inlinable
    package func u8(at offset: Int) -> UInt8 {
        unsafeLoadUnaligned(fromByteOffset: offset, as: UInt8.self)
    }

    @inlinable
    package func u16(at offset: Int) -> UInt16 {
        UInt16(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    @inlinable
    package func u48(at offset: Int) -> UInt64 {
        UInt64(UInt32(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)))
            | UInt64(u16(at: offset + 4)) << 32
    }

    /// A copy of the octets in `range`.
    @inlinable
    package func array(_ range: Range<Int>) -> [UInt8] {
        // For an empty array, the initializer below would write its count into the storage that all empty arrays share,
        // from any thread.
        guard !range.isEmpty else { return [] }
        return [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            extracting(range).withUnsafeBytes { UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0) }
            count = range.count
        }
    }
}
