// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Times from a message to its acknowledgement, in buckets of at most 3 % width. The histogram takes equal room for any
/// number of times.
package struct LatencyHistogram: Equatable, Sendable {
    /// Buckets of each power of two.
    private static let steps = 32
    private static let powers = 32

    /// Microseconds below 32 have a bucket each; above, each power of two has 32. The last bucket takes all times above
    /// 19 hours.
    private var buckets = [Int](repeating: 0, count: (powers + 1) * steps)
    package private(set) var count = 0
    package private(set) var longest = Duration.zero

    package init() {}

    package mutating func add(_ duration: Duration) {
        let microseconds = max(duration.wholeNanoseconds / 1_000, 0)
        buckets[Self.bucket(of: microseconds)] += 1
        count += 1
        longest = max(longest, duration)
    }

    package mutating func add(_ other: LatencyHistogram) {
        for index in buckets.indices { buckets[index] += other.buckets[index] }
        count += other.count
        longest = max(longest, other.longest)
    }

    /// The times since an earlier state of this histogram. The longest time since then is unknown; the result has the
    /// longest of all.
    package func since(_ earlier: LatencyHistogram) -> LatencyHistogram {
        var rest = self
        for index in rest.buckets.indices { rest.buckets[index] -= earlier.buckets[index] }
        rest.count -= earlier.count
        return rest
    }

    /// The time that this share of all times did not exceed, as the upper end of its bucket; nil if there are no times.
    ///
    /// - Parameter share: 0…1.
    package func quantile(_ share: Double) -> Duration? {
        guard count > 0 else { return nil }
        let wanted = max(Int((Double(count) * min(max(share, 0), 1)).rounded(.up)), 1)
        var seen = 0
        for (index, number) in buckets.enumerated() {
            seen += number
            if seen >= wanted { return min(.microseconds(Self.end(of: index)), longest) }
        }
        return longest
    }

    private static func bucket(of microseconds: Int64) -> Int {
        guard microseconds >= steps else { return Int(microseconds) }
        let power = 63 - microseconds.leadingZeroBitCount
        let step = Int(microseconds >> (power - 5)) - steps
        return min((power - 4) * steps + step, (powers + 1) * steps - 1)
    }

    private static func end(of bucket: Int) -> Int64 {
        guard bucket >= steps else { return Int64(bucket) }
        let (power, step) = (bucket / steps - 1, bucket % steps)
        return Int64(steps + step + 1) << power - 1
    }
}
