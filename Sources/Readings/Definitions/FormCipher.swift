// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The encryption of a part of a value, with AES-128 and the sensor's key.
package struct FormCipher: Equatable, Sendable {
    package enum Mode: Equatable, Sendable {
        /// With a tag of `tag` octets, at this offset.
        case ccm(tag: Int, at: Int)
        /// The first counter block is the nonce, filled up with zeros.
        case ctr
    }

    /// A piece of the nonce or of the additional data.
    package enum Part: Equatable, Sendable {
        case octets([UInt8])
        /// Octets of the value: from where, and how many.
        case value(offset: Int, count: Int)
        case address(isReversed: Bool)
    }

    package var mode: Mode
    /// The first and the last encrypted octet. Below zero, they count from the end.
    package var first: Int
    package var last: Int
    package var nonce: [Part]
    package var additionalData: [Part]

    package init(_ mode: Mode, first: Int, last: Int, nonce: [Part], additionalData: [Part] = []) {
        (self.mode, self.first, self.last) = (mode, first, last)
        (self.nonce, self.additionalData) = (nonce, additionalData)
    }

    func range(in value: [UInt8]) -> Range<Int>? { range(in: value.count) }

    /// The encrypted octets of a value with `count` octets; nil if the value is too short.
    package func range(in count: Int) -> Range<Int>? {
        let start = first < 0 ? count + first : first
        let end = last < 0 ? count + last : last
        return start >= 0 && end < count && start <= end ? start..<(end + 1) : nil
    }

    /// Without header and counter, which the form adds. Nil if the value is too short.
    func sealed(_ value: [UInt8], address: UInt64, model: String?) -> SealedPacket? {
        guard let range = range(in: value), let nonce = joined(nonce, value, address),
            let additionalData = joined(additionalData, value, address)
        else { return nil }
        let cipher: SealedPacket.Cipher
        switch mode {
        case .ctr:
            guard nonce.count <= 16 else { return nil }
            cipher = .ctr(block: nonce + Array(repeating: 0, count: 16 - nonce.count))
        case .ccm(let count, let offset):
            let number = OctetNumber(offset: offset, octets: count)
            guard (7...13).contains(nonce.count), (4...8).contains(count), let tag = number.range(of: value.count)
            else { return nil }
            cipher = .ccm(nonce: nonce, additionalData: additionalData, tag: Array(value[tag]))
        }
        var sealed = SealedPacket(cipher, ciphertext: Array(value[range]), model: model)
        sealed.isAnybodys = mode == .ctr
        return sealed
    }

    private func joined(_ parts: [Part], _ value: [UInt8], _ address: UInt64) -> [UInt8]? {
        var joined: [UInt8] = []
        for part in parts {
            switch part {
            case .octets(let octets): joined += octets
            case .address(let isReversed):
                let octets = (0..<6).map { UInt8(truncatingIfNeeded: address >> (40 - 8 * $0)) }
                joined += isReversed ? octets.reversed() : octets
            case .value(let offset, let count):
                let start = offset < 0 ? value.count + offset : offset
                guard start >= 0, count >= 0, count <= value.count, start <= value.count - count else { return nil }
                joined += value[start..<(start + count)]
            }
            guard joined.count <= 64 else { return nil }
        }
        return joined
    }
}
