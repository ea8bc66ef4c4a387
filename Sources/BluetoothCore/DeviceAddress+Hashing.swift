// SPDX-License-Identifier: Apache-2.0

/// The gateway looks an address up several times for each advertisement, and the standard library's hash, made for keys
/// of any length, does more than is needed. This hash is one multiplication of 64 by 64 bits, folded, with a secret
/// that every process draws anew. A sender on the air can choose its addresses, but without the secret it cannot make
/// them collide. The gain is in docs/benchmarks/README.md.
extension DeviceAddress {
    private static let secret: (UInt64, UInt64) = (
        UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max) | 1
    )

    /// The hash that dictionaries and sets call in place of ``hash(into:)``; `seed` is the table's own.
    @inlinable
    public func _rawHashValue(seed: Int) -> Int { mixed(UInt64(bitPattern: Int64(seed))) }

    @usableFromInline
    func mixed(_ seed: UInt64) -> Int {
        let product = (word ^ Self.secret.0 ^ seed &* 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: Self.secret.1)
        return Int(truncatingIfNeeded: product.high ^ product.low)
    }
}
