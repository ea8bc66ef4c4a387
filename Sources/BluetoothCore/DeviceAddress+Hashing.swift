// SPDX-License-Identifier: Apache-2.0

/// Addresses are looked up several times for each advertisement, for which the standard library's hash, made for keys of any length,
/// does more than is needed. This is one multiplication of 64 by 64 bits, folded, with a secret that every process draws anew: who
/// chooses addresses to collide, as anybody on the air can, would have to know it. What it brings is in docs/benchmarks/README.md.
extension DeviceAddress {
    private static let secret: (UInt64, UInt64) = (
        UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max) | 1
    )

    /// What dictionaries and sets ask for in place of ``hash(into:)``; `seed` is the table's own.
    @inlinable
    public func _rawHashValue(seed: Int) -> Int { mixed(UInt64(bitPattern: Int64(seed))) }

    @usableFromInline
    func mixed(_ seed: UInt64) -> Int {
        let product = (word ^ Self.secret.0 ^ seed &* 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: Self.secret.1)
        return Int(truncatingIfNeeded: product.high ^ product.low)
    }
}
