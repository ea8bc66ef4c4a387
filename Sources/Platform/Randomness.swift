// SPDX-License-Identifier: Apache-2.0

/// Random numbers for parts that make none of their own. The caller hands a generator in. A seeded generator repeats
/// its numbers, so that a run of a gateway can be repeated.
package struct Randomness: Sendable {
    private var generator: any RandomNumberGenerator & Sendable

    package init(_ generator: any RandomNumberGenerator & Sendable) { self.generator = generator }

    /// The system's random numbers, different in each run.
    package static var system: Randomness { Randomness(SystemRandomNumberGenerator()) }

    /// A number of the range; all numbers are equally likely.
    package mutating func number(in range: ClosedRange<Double>) -> Double { .random(in: range, using: &generator) }

    /// 64 random bits.
    package mutating func bits() -> UInt64 { generator.next() }
}
