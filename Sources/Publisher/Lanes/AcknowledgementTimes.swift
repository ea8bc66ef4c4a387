// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The broker's times for the acknowledgement of messages with readings: a histogram of seconds.
package struct AcknowledgementTimes: Codable, Equatable, Sendable {
    /// Upper ends of the buckets, in seconds; longer times are only in the count.
    package static let bounds: [Double] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

    /// Messages by bucket: their times are up to the bucket's end, and longer than the end of the bucket before.
    package private(set) var buckets = [Int](repeating: 0, count: bounds.count)
    package private(set) var count = 0
    /// Seconds, of all messages together.
    package private(set) var sum = 0.0

    package init() {}

    mutating func add(_ duration: Duration) {
        let seconds = Double(duration.wholeNanoseconds) / 1e9
        count += 1
        sum += seconds
        if let bucket = Self.bounds.firstIndex(where: { seconds <= $0 }) { buckets[bucket] += 1 }
    }
}
