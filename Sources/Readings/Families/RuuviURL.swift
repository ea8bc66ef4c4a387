// SPDX-License-Identifier: Apache-2.0

/// Values of a RuuviTag with old firmware, behind the # of its link: formats 2 and 4 (docs.ruuvi.com, "Data format 2,
/// 4: Eddystone-URL").
enum RuuviURL {
    private static let head = "ruu.vi/#"
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Empty for other links.
    static func fields(_ url: String) -> [Field] {
        guard let start = url.range(ofRuuvi: head) else { return [] }
        let octets = decoded(url.utf8[start...].prefix(8))
        guard octets.count == 6, octets[0] == 2 || octets[0] == 4 else { return [] }
        // Whole degrees with the highest bit for a sign; the fraction is in hundredths, and always 0.
        let whole = Int64(octets[2] & 0x7F)
        let pressure = Int64(octets[4]) << 8 | Int64(octets[5])
        return [
            .int(.temperature, octets[2] & 0x80 == 0 ? whole : -whole),
            .decimal(.humidity, Int64(octets[1]) * 5, places: 1), .decimal(.pressure, pressure + 50_000, places: 2),
        ]
    }

    /// Base64 of URLs (RFC 4648, 5). Bits that do not fill an octet are dropped.
    private static func decoded(_ text: some Sequence<UInt8>) -> [UInt8] {
        var (octets, bits, count) = ([UInt8](), UInt32(0), 0)
        for character in text {
            guard let digit = digits.firstIndex(of: character) else { return [] }
            (bits, count) = (bits << 6 & 0xFFFF | UInt32(digit), count + 6)
            if count >= 8 {
                count -= 8
                octets.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return octets
    }
}

extension String {
    /// The index after `head`; nil if the text does not begin with a scheme and `head`.
    fileprivate func range(ofRuuvi head: String) -> String.Index? {
        for scheme in ["https://", "http://"] where hasPrefix(scheme + head) {
            return utf8.index(utf8.startIndex, offsetBy: scheme.utf8.count + head.utf8.count, limitedBy: utf8.endIndex)
        }
        return nil
    }
}
