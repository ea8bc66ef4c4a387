// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// A condition as a list of alternatives; all tests of an alternative must hold.
struct TheengsCondition: Equatable {
    private(set) var alternatives: [[TheengsTest]]

    static let always = TheengsCondition(alternatives: [[]])
    private static let maximumAlternatives = 2 * SensorDefinition.maximumForms
    private static let maximumTests = 32
    private static let maximumDepth = 8

    private init(alternatives: [[TheengsTest]]) { self.alternatives = alternatives }

    /// The condition of a sensor. Terms with `|` between them are a group, and one of the group must hold; `&` stands
    /// between groups, and all groups must hold. A nested list at the beginning, before `|`, is a condition of its own.
    init(_ list: [TheengsValue], depth: Int = 0) throws(TheengsError) {
        guard depth < Self.maximumDepth else { throw TheengsError("its condition is nested deeper than eight times") }
        var rest = list[...]
        var groups: [Self] = []
        var group = Self(alternatives: [])
        while true {
            let isNested = rest.first?.list != nil
            let term = try Self.term(&rest, depth) { inner, depth throws(TheengsError) in try Self(inner, depth: depth)
            }
            let connective = rest.popFirst()
            guard isNested, connective?.text == "|", group.alternatives.isEmpty, groups.isEmpty else {
                group = try group.or(term)
                switch connective?.text {
                case "|": continue
                case "&":
                    groups.append(group)
                    group.alternatives = []
                    continue
                default:
                    guard connective == nil else {
                        throw TheengsError("its condition has \(connective?.toml ?? "a list") where | or & belongs")
                    }
                }
                var all = group
                for other in groups.reversed() { all = try other.and(all) }
                self = all
                return
            }
            self = try term.or(try Self(Array(rest), depth: depth + 1))
            return
        }
    }

    /// The condition of a property: everything behind a connective belongs to its right side.
    init(ofProperty list: [TheengsValue], depth: Int = 0) throws(TheengsError) {
        guard depth < Self.maximumDepth else { throw TheengsError("its condition is nested deeper than eight times") }
        var rest = list[...]
        let term = try Self.term(&rest, depth) { inner, depth throws(TheengsError) in
            try Self(ofProperty: inner, depth: depth)
        }
        switch rest.popFirst() {
        case nil: self = term
        case .text("|"): self = try term.or(try Self(ofProperty: Array(rest), depth: depth + 1))
        case .text("&"): self = try term.and(try Self(ofProperty: Array(rest), depth: depth + 1))
        case let other?: throw TheengsError("its condition has \(other.toml ?? "a list") where | or & belongs")
        }
    }

    // MARK: Sets of packets

    private func or(_ other: Self) throws(TheengsError) -> Self {
        try Self.bounded(alternatives + other.alternatives)
    }

    func and(_ other: Self) throws(TheengsError) -> Self {
        _ = try (Self.bounded(alternatives), Self.bounded(other.alternatives))
        var found: [[TheengsTest]] = []
        for one in alternatives {
            found += other.alternatives.compactMap { Self.joined(one, $0) }
            // Before the next step of work.
            _ = try Self.bounded(found)
        }
        return Self(alternatives: found)
    }

    /// The packets of this condition without the other's. No packet is in two of the alternatives.
    func without(_ other: Self) throws(TheengsError) -> Self {
        var left = alternatives
        for excluded in other.alternatives {
            var next: [[TheengsTest]] = []
            for alternative in left {
                if alternative.contains(where: { test in excluded.contains { $0.excludes(test) } }) {
                    next.append(alternative)
                    continue
                }
                var before = alternative
                for test in excluded where !alternative.contains(test) {
                    guard let opposites = test.opposites else {
                        throw TheengsError("whose condition has no opposite: \(test.words)")
                    }
                    next += opposites.compactMap { Self.joined(before, [$0]) }
                    before.append(test)
                }
            }
            left = try Self.bounded(next).alternatives
        }
        return Self(alternatives: left)
    }

    /// This condition with alternatives apart: no packet is in two of them.
    func apart() throws(TheengsError) -> Self {
        var found: [[TheengsTest]] = []
        for alternative in alternatives {
            let new = try Self(alternatives: [alternative]).without(Self(alternatives: found))
            found += new.alternatives
        }
        return try Self.bounded(found)
    }

    /// The condition among packets that pass these tests.
    func inside(_ form: [TheengsTest]) -> Self {
        Self(
            alternatives: alternatives.filter { alternative in
                !alternative.contains { test in form.contains { $0.excludes(test) } }
            }.map { $0.filter { !form.contains($0) } })
    }

    /// Nil if no packet has both.
    private static func joined(_ one: [TheengsTest], _ other: [TheengsTest]) -> [TheengsTest]? {
        guard !one.contains(where: { test in other.contains { $0.excludes(test) } }) else { return nil }
        return one + other.filter { !one.contains($0) }
    }

    private static func bounded(_ alternatives: [[TheengsTest]]) throws(TheengsError) -> Self {
        guard alternatives.count <= maximumAlternatives, alternatives.allSatisfy({ $0.count <= maximumTests }) else {
            throw TheengsError("its condition has more than \(maximumAlternatives) alternatives")
        }
        return Self(alternatives: alternatives)
    }

    // MARK: Terms

    private static func term(
        _ rest: inout ArraySlice<TheengsValue>, _ depth: Int,
        _ nested: ([TheengsValue], Int) throws(TheengsError) -> Self
    ) throws(TheengsError) -> Self {
        guard let first = rest.popFirst() else { throw TheengsError("its condition ends too early") }
        if case .list(let inner) = first { return try nested(inner, depth + 1) }
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
