// SPDX-License-Identifier: Apache-2.0

/// Counts the events of an enabled set, up to the limit of its host; a value.
struct AdvertisingEvents {
    private(set) var count: UInt8 = 0
    /// Zero: no limit.
    private var maximum: UInt8 = 0

    mutating func begin(maximum: UInt8) { (count, self.maximum) = (0, maximum) }

    /// - Returns: Whether this event was the last.
    mutating func happened() -> Bool {
        count &+= 1
        return maximum > 0 && count >= maximum
    }
}
