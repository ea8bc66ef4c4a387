// SPDX-License-Identifier: Apache-2.0

/// Something that was promised to the world, or that the world did, at a moment of a recording.
package enum Mark: Sendable {
    /// The journal said that these readings are durable. Their sensors may forget them.
    case confirmed([ReadingNumber])
    /// The journal said that one of them at least will not be.
    case refused([ReadingNumber])
    /// The publisher got these rows: they may have gone out with these numbers.
    case handedOut([HandedRow])
    /// The broker has these rows; the journal is told next.
    case acknowledged([Int64])
    /// The publisher gives these rows up; the journal is told next.
    case givenUp([Int64])
    /// The first so many of all rows that were acknowledged or given up are deleted durably.
    case settled(Int)
}

/// Which reading of a workload it is; the first eight octets of its value, little endian.
package typealias ReadingNumber = UInt64

package struct HandedRow: Hashable, Sendable {
    package let n: Int64
    package let reading: ReadingNumber
}
