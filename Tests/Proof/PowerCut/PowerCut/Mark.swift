// SPDX-License-Identifier: Apache-2.0

/// A promise to the outside, or an event outside, at a moment of a recording.
package enum Mark: Sendable {
    /// The journal has reported these readings as durable. Their sensors may forget them.
    case confirmed([ReadingNumber])
    /// The journal has reported that at least one of these readings will not be durable.
    case refused([ReadingNumber])
    /// The publisher got these rows: they may have gone out with these numbers.
    case handedOut([HandedRow])
    /// The broker has these rows; the journal is told next.
    case acknowledged([Int64])
    /// The publisher gives these rows up; the journal is told next.
    case givenUp([Int64])
    /// The first rows, up to this count, of all acknowledged or given-up rows are durably deleted.
    case settled(Int)
}

/// The number of a reading in its workload: the first eight octets of its value, little endian.
package typealias ReadingNumber = UInt64

package struct HandedRow: Hashable, Sendable {
    package let n: Int64
    package let reading: ReadingNumber
}
