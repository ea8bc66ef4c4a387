// SPDX-License-Identifier: Apache-2.0

/// How fast a counter grows, over the last few seconds.
struct RateMeter {
    private static let window: Duration = .seconds(5)
    private var samples: [(count: Int, at: ContinuousClock.Instant)] = []

    /// Notes the counter and returns its growth a second.
    mutating func update(_ count: Int, at now: ContinuousClock.Instant) -> Double {
        samples.append((count, now))
        while let first = samples.first, samples.count > 2, now - first.at > Self.window { samples.removeFirst() }
        guard let first = samples.first, now - first.at > .milliseconds(100) else { return 0 }
        return Double(count - first.count) / ((now - first.at) / .seconds(1))
    }
}
