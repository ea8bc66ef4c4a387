// SPDX-License-Identifier: Apache-2.0

import TestMaterials

/// Repeatable random numbers.
package typealias Dice = SeededGenerator

extension Dice {
    /// For one part of a run: each part has its own numbers.
    package init(seed: UInt64, part: Int) {
        var dice = SeededGenerator(seed: seed &+ 0xD1B5_4A32_D192_ED03 &* UInt64(truncatingIfNeeded: part))
        self.init(seed: dice.next())
    }

    /// True in `percent` of 100 throws.
    package mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
}
