// SPDX-License-Identifier: Apache-2.0

/// Steele, Lea and Flood's generator: equal seeds give equal air on every machine and Swift version.
struct SplitMix64 {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// A value in 0 ..< `bound`; 0 when there is no choice. The bias of the remainder does not matter here.
    mutating func below(_ bound: Int64) -> Int64 {
        bound > 1 ? Int64(next() % UInt64(bound)) : 0
    }

    /// True with the given probability; a probability of 0 or 1 draws nothing.
    mutating func strikes(_ probability: Double) -> Bool {
        guard probability > 0 else { return false }
        guard probability < 1 else { return true }
        return Double(next() >> 11) * 0x1p-53 < probability
    }
}
