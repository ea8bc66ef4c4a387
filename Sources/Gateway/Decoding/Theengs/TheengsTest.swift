// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// One test of a definition's condition. Places count hexadecimal digits.
struct TheengsTest: Equatable {
    enum Source: String { case service = "servicedata", manufacturer = "manufacturerdata", name, uuid }
    enum Kind: Equatable {
        case length(comparison: String, digits: Int)
        case contains(String)
        case digits(String, at: Int)
        case address(at: Int, isReversed: Bool)
        case bit(Int, at: Int, isSet: Bool)
    }

    var source: Source
    var kind: Kind
    var isNegated = false

    /// The tests for all other packets; no packet passes two of them. Nil if no test says the opposite.
    var opposites: [TheengsTest]? {
        var other = self
        switch kind {
        case .digits, .contains:
            other.isNegated.toggle()
            return [other]
        case .bit(let bit, let place, let isSet):
            other.kind = .bit(bit, at: place, isSet: !isSet)
            return [other]
        case .length(let comparison, let digits):
            let inverse = ["=": ["<", ">"], ">=": ["<"], ">": ["<="], "<=": [">"], "<": [">="]][comparison] ?? []
            return inverse.map { TheengsTest(source: source, kind: .length(comparison: $0, digits: digits)) }
        case .address: return nil
        }
    }

    /// True if no packet passes both tests.
    func excludes(_ other: TheengsTest) -> Bool {
        guard source == other.source else { return false }
        switch (kind, other.kind) {
        case (.digits(let text, let place), .digits(let others, let otherPlace)) where place == otherPlace:
            if isNegated != other.isNegated { return text == others }
            return !isNegated && zip(text, others).contains { $0 != $1 }
        case (.bit(let bit, let place, let isSet), .bit(let otherBit, let otherPlace, let isOtherSet)):
            return bit == otherBit && place == otherPlace && isSet != isOtherSet
        case (.length(let comparison, let digits), .length(let otherComparison, let others)):
            let (one, two) = (Self.lengths(comparison, digits), Self.lengths(otherComparison, others))
            return max(one.least, two.least) > min(one.most, two.most)
        default: return false
        }
    }

    /// Digits that pass a length test, from 0 on; none if the least is above the most.
    private static func lengths(_ comparison: String, _ digits: Int) -> (least: Int, most: Int) {
        switch comparison {
        case "=": (max(digits, 0), digits)
        case ">=": (max(digits, 0), .max)
        case ">": (digits < 0 ? 0 : digits == .max ? .max : digits + 1, .max)
        case "<=": (0, digits)
        default: (0, digits == .min ? .min : digits - 1)
        }
    }

    /// Octets of a length test: the least and the most, with `nil` for no bound.
    static func octets(_ comparison: String, _ digits: Int) -> (least: Int?, most: Int?) {
        switch comparison {
        case "=": (digits / 2, digits / 2)
        case ">=": ((digits + 1) / 2, nil)
        case ">": (digits / 2 + 1, nil)
        case "<=": (nil, digits / 2)
        default: (nil, (digits - 1) / 2)
        }
    }

    /// The test in words, for a note on what could not be converted.
    var words: String {
        switch kind {
        case .length(let comparison, let digits): "\(source.rawValue) \(comparison) \(digits)"
        case .contains(let text): "\(source.rawValue) contain \(isNegated ? "! " : "")\(text)"
        case .digits(let text, let place): "\(source.rawValue) index \(place) \(isNegated ? "! " : "")\(text)"
        case .address(let place, _): "\(source.rawValue) mac@index \(place)"
        case .bit(let bit, let place, let isSet): "\(source.rawValue) \(place) bit \(bit) \(isSet ? 1 : 0)"
        }
    }

    /// The test as an entry of `when`; nil if the test is about a name or a service, or has no equivalent.
    var when: String? {
        switch kind {
        case .length(let comparison, let digits):
            let (least, most) = Self.octets(comparison, digits)
            if let least, least == most { return "{ length = \(least) }" }
            return "{ length = [\(least ?? 1), \(max(most ?? 511, 1))] }"
        case .digits(let text, let place):
            guard let span = DigitSpan(at: place, count: text.count), let number = UInt64(text, radix: 16) else {
                return nil
            }
            return "{ \(span.toml), \(isNegated ? "not" : "equals") = 0x\(String(number, radix: 16, uppercase: true)) }"
        case .bit(let bit, let place, let isSet):
            let mask = 1 << (bit + 4 * (1 - place % 2))
            return "{ offset = \(place / 2), mask = \(mask), equals = \(isSet ? 1 : 0) }"
        case .contains, .address: return nil
        }
    }
}

/// A run of hexadecimal digits as a number: its octets, and their bits.
struct DigitSpan: Equatable {
    var offset: Int
    var octets: Int
    /// Nil takes all bits.
    var mask: UInt64?

    /// Nil if the digits are no number of up to seven octets.
    init?(at place: Int, count: Int) {
        let (first, last) = (place / 2, (place + count - 1) / 2)
        guard count >= 1, place >= 0, last - first < 7, last < 512 else { return nil }
        (offset, octets) = (first, last - first + 1)
        let bits = 8 * octets - 4 * (place % 2) - 4 * ((place + count) % 2)
        let all = UInt64(1) << UInt64(bits) - 1
        mask = bits == 8 * octets ? nil : all << UInt64(4 * ((place + count) % 2))
    }

    /// The keys of decoders.d.
    var toml: String {
        "offset = \(offset)" + (octets > 1 ? ", type = \"u\(8 * octets)\", order = \"big\"" : "")
            + (mask.map { ", mask = 0x\(String($0, radix: 16, uppercase: true))" } ?? "")
    }
}
