// SPDX-License-Identifier: Apache-2.0

/// Chance that can be repeated: SplitMix64 from a seed.
package struct Dice: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// For one part of a run: other parts throw other numbers.
    package init(seed: UInt64, part: Int) {
        state = seed &+ 0xD1B5_4A32_D192_ED03 &* UInt64(truncatingIfNeeded: part)
        state = next()
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// True in `percent` of 100 throws.
    package mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
}
