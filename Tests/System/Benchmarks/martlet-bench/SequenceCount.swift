// SPDX-License-Identifier: Apache-2.0

/// Counts values, and the values whose sequence number does not follow the one before of the same source.
struct SequenceCount {
    private(set) var callbacks = 0
    private(set) var gaps = 0

    /// `expected` is the source's own state: the next sequence number, 0 at first.
    mutating func count(_ sequence: UInt32, expected: inout UInt32) {
        callbacks += 1
        if sequence != expected { gaps += 1 }
        expected = sequence &+ 1
    }

    /// One JSON line for the harness.
    var report: String { "{\"callbacks\": \(callbacks), \"gaps\": \(gaps)}" }
}
