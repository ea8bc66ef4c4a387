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
}

/// A condition as a list of alternatives; all tests of an alternative must hold.
struct TheengsCondition: Equatable {
    private(set) var alternatives: [[TheengsTest]]

    static let always = TheengsCondition(alternatives: [[]])
    private static let maximumAlternatives = 16
    private static let maximumTests = 32

    private init(alternatives: [[TheengsTest]]) { self.alternatives = alternatives }

    /// Terms with `|` and `&` between them, evaluated from left to right; a term may be a nested list of terms.
    init(_ list: [TheengsValue], depth: Int = 0) throws(TheengsError) {
        guard depth < 8 else { throw TheengsError("its condition is nested deeper than eight times") }
        var rest = list[...]
        var result = try Self.term(&rest, depth)
        while let connective = rest.popFirst() {
            let next = try Self.term(&rest, depth)
            switch connective.text {
            case "|": result.alternatives += next.alternatives
            case "&":
                result.alternatives = result.alternatives.flatMap { one in next.alternatives.map { one + $0 } }
            default: throw TheengsError("its condition has \(connective.toml ?? "a list") where | or & belongs")
            }
            guard result.alternatives.count <= Self.maximumAlternatives,
                result.alternatives.allSatisfy({ $0.count <= Self.maximumTests })
            else { throw TheengsError("its condition has more than \(Self.maximumAlternatives) alternatives") }
        }
        alternatives = result.alternatives
    }

    private static func term(_ rest: inout ArraySlice<TheengsValue>, _ depth: Int) throws(TheengsError) -> Self {
        guard let first = rest.popFirst() else { throw TheengsError("its condition ends too early") }
        if case .list(let inner) = first { return try Self(inner, depth: depth + 1) }
        guard let word = first.text, let source = TheengsTest.Source(rawValue: word) else {
            throw TheengsError("its condition is about \(first.toml ?? "a table"), which decoders.d cannot say")
        }
        var tests: [TheengsTest] = []
        if let comparison = rest.first?.text, [">", ">=", "=", "<", "<="].contains(comparison) {
            rest.removeFirst()
            guard let count = rest.popFirst()?.digits else {
                throw TheengsError("its condition has a length that is none")
            }
            tests.append(TheengsTest(source: source, kind: .length(comparison: comparison, digits: count)))
            // A length test may stand alone.
            if rest.isEmpty || ["|", "&"].contains(rest.first?.text) { return Self(alternatives: [tests]) }
        }
        tests.append(try test(of: source, &rest))
        return Self(alternatives: [tests])
    }

    private static func test(
        of source: TheengsTest.Source, _ rest: inout ArraySlice<TheengsValue>
    ) throws(TheengsError) -> TheengsTest {
        let next = rest.popFirst()
        switch next?.text {
        case "contain":
            let (text, isNegated) = try operand(&rest)
            return TheengsTest(source: source, kind: .contains(text), isNegated: isNegated)
        case "mac@index", "revmac@index":
            guard let place = rest.popFirst()?.digits else {
                throw TheengsError("its condition has no place of the address")
            }
            return TheengsTest(source: source, kind: .address(at: place, isReversed: next?.text == "revmac@index"))
        case "index":
            guard let place = rest.popFirst()?.digits else { throw TheengsError("its condition has no place") }
            let (text, isNegated) = try operand(&rest)
            return TheengsTest(source: source, kind: .digits(text, at: place), isNegated: isNegated)
        default:
            // A property's condition has the place alone.
            guard let place = next?.digits else { throw TheengsError("its condition has no test that is known") }
            if rest.first?.text == "bit" {
                rest.removeFirst()
                guard let bit = rest.popFirst()?.digits, bit <= 3, let state = rest.popFirst()?.digits else {
                    throw TheengsError("its condition has a bit that is none")
                }
                return TheengsTest(source: source, kind: .bit(bit, at: place, isSet: state == 1))
            }
            let (text, isNegated) = try operand(&rest)
            return TheengsTest(source: source, kind: .digits(text, at: place), isNegated: isNegated)
        }
    }

    private static func operand(_ rest: inout ArraySlice<TheengsValue>) throws(TheengsError) -> (String, Bool) {
        let isNegated = rest.first?.text == "!"
        if isNegated { rest.removeFirst() }
        guard let text = rest.popFirst()?.text, !text.isEmpty, text.utf8.count <= 64 else {
            throw TheengsError("its condition has nothing to compare with")
        }
        return (text, isNegated)
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

extension TheengsTest {
    /// The test as an entry of `when`; nil if the test is about a name or a service, or has no equivalent.
    var when: String? {
        switch kind {
        case .length(let comparison, let digits):
            let octets = digits / 2
            return switch comparison {
            case "=": "{ length = \(octets) }"
            case ">=": "{ length = [\(octets), 511] }"
            case ">": "{ length = [\(octets + 1), 511] }"
            case "<=": "{ length = [1, \(max(octets, 1))] }"
            default: "{ length = [1, \(max(octets - 1, 1))] }"
            }
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
