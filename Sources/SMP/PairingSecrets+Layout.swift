// SPDX-License-Identifier: Apache-2.0

/// How the octets are used up, numbers most significant octet first:
///
///     0..<320    20 nonces of 16 octets: one a round of Passkey Entry; the first is the only one otherwise
///     320..<328  the passkey, modulo 1 000 000
///     328..<344  the Long Term Key that LE legacy pairing distributes
///     344..<346  its EDIV
///     346..<354  its Rand
extension PairingSecrets {
    /// `round`: 0…19; other numbers come around.
    func nonce(_ round: Int) -> [UInt8] {
        let start = 16 * (round % 20)
        return Array(octets[start..<(start + 16)])
    }

    /// 0…999999; from 64 bits, so that all digits are equally likely.
    var passkey: UInt32 { UInt32(number(320..<328) % 1_000_000) }

    /// The key that we distribute, cut to `size` octets.
    func legacyKey(size: UInt8) -> LegacyKey {
        let key = (SecretKey(octets[328..<344]) ?? .zero).masked(to: size)
        return LegacyKey(key: key, ediv: UInt16(truncatingIfNeeded: number(344..<346)), rand: number(346..<354))
    }

    private func number(_ range: Range<Int>) -> UInt64 { octets[range].reduce(0) { $0 << 8 | UInt64($1) } }
}
