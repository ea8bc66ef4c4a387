// SPDX-License-Identifier: Apache-2.0

import Platform
import TestMaterials
import Testing

struct RandomnessTests {
    @Test func `one seed gives the same numbers again, within their range`() {
        func numbers(_ seed: UInt64) -> [Double] {
            var randomness = Randomness(SeededGenerator(seed: seed))
            return (0..<64).map { _ in randomness.number(in: 0.5...1.5) }
        }
        #expect(numbers(1) == numbers(1) && numbers(1) != numbers(2))
        #expect(numbers(1).allSatisfy { (0.5...1.5).contains($0) } && Set(numbers(1)).count == 64)
    }

    @Test func `the system's random numbers differ each time`() {
        var (one, other) = (Randomness.system, Randomness.system)
        #expect(one.bits() != other.bits())
    }
}
