// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A key of the configuration: its syntax, its range and its meaning.
///
/// The reader, the check for unknown keys and docs/configuration.md all use this description.
struct ConfigurationKey<Root: Sendable>: Sendable {
    let name: String
    /// The allowed values, for a person: `integer, 1…65535`.
    let type: String
    let help: String
    /// The value of an absent key, as TOML; nil: no value.
    let fallback: @Sendable (Root) -> String?
    let apply: @Sendable (ConfigurationValue, inout Root) throws(InvalidValue) -> Void
    /// Whether two configurations have equal values for this key.
    let isSame: @Sendable (Root, Root) -> Bool
    /// Copies the value of this key from the first configuration to the second.
    let copy: @Sendable (Root, inout Root) -> Void
    /// The step that puts a changed value into effect.
    private(set) var effect: ConfigurationEffect = .restart
    private var hasOwnEffect = false
    /// The value is never printed.
    private(set) var isSecret = false

    init<Value: Equatable & Sendable>(
        name: String, type: String, help: String, path: any Path<Value>,
        fallback: @escaping @Sendable (Root) -> String?,
        apply: @escaping @Sendable (ConfigurationValue, inout Root) throws(InvalidValue) -> Void
    ) {
        self.name = name
        self.type = type
        self.help = help
        self.fallback = fallback
        self.apply = apply
        isSame = { $0[keyPath: path] == $1[keyPath: path] }
        copy = { $1[keyPath: path] = $0[keyPath: path] }
    }

    /// The key with an effect of its own.
    func needing(_ effect: ConfigurationEffect) -> Self {
        var key = self
        (key.effect, key.hasOwnEffect) = (effect, true)
        return key
    }

    fileprivate func inSection(needing effect: ConfigurationEffect) -> Self {
        hasOwnEffect ? self : needing(effect)
    }
}

/// A table of the configuration file.
struct ConfigurationSection<Root: Sendable>: Sendable {
    /// `["mqtt", "tls"]` for `[mqtt.tls]`.
    let path: [String]
    let help: String
    let keys: [ConfigurationKey<Root>]
    /// Keys of the release before, which this release reads with a warning and ignores. The next release removes them.
    let former: [String]

    /// - Parameter effect: The effect of keys without an effect of their own.
    init(
        path: [String], help: String, effect: ConfigurationEffect, keys: [ConfigurationKey<Root>], former: [String] = []
    ) {
        self.path = path
        self.help = help
        self.former = former
        self.keys = keys.map { $0.inSection(needing: effect) }
    }
}

extension ConfigurationKey {
    typealias Path<Value> = WritableKeyPath<Root, Value> & Sendable
    /// Gives the fault of a value; nil for a good value.
    typealias Check = @Sendable (String) -> String?

    static func text(_ name: String, _ path: any Path<String>, check: @escaping Check = { _ in nil }, _ help: String)
        -> Self
    {
        Self(name: name, type: "string", help: help, path: path, fallback: { quoted($0[keyPath: path]) }) {
            (value, root) throws(InvalidValue) in
            root[keyPath: path] = try string(value, check)
        }
    }

    static func text(_ name: String, _ path: any Path<String?>, check: @escaping Check = { _ in nil }, _ help: String)
        -> Self
    {
        Self(name: name, type: "string", help: help, path: path, fallback: { $0[keyPath: path].map(quoted) }) {
            (value, root) throws(InvalidValue) in
            root[keyPath: path] = try string(value, check)
        }
    }

    /// The text from `check` must not repeat the value.
    static func secret(
        _ name: String, _ path: any Path<Secret?>, type: String = "string", check: @escaping Check = { _ in nil },
        _ help: String
    ) -> Self {
        var key = Self(name: name, type: type, help: help, path: path, fallback: { _ in nil }) {
            (value, root) throws(InvalidValue) in
            root[keyPath: path] = Secret(try string(value, check))
        }
        key.isSecret = true
        return key
    }

    static func integer<Number: FixedWidthInteger & Sendable>(
        _ name: String, _ path: any Path<Number>, _ range: ClosedRange<Number>, _ help: String
    ) -> Self {
        Self(
            name: name, type: "integer, \(range.lowerBound)…\(range.upperBound)", help: help, path: path,
            fallback: { String($0[keyPath: path]) }
        ) { (value, root) throws(InvalidValue) in
            guard case .integer(let number) = value else { throw wrong(value, wanted: "an integer") }
            guard let exact = Number(exactly: number), range.contains(exact) else {
                throw InvalidValue("is \(number); allowed are \(range.lowerBound) to \(range.upperBound)")
            }
            root[keyPath: path] = exact
        }
    }

    static func optionalInteger<Number: FixedWidthInteger & Sendable>(
        _ name: String, _ path: any Path<Number?>, _ range: ClosedRange<Int>, _ help: String
    ) -> Self {
        Self(
            name: name, type: "integer, \(range.lowerBound)…\(range.upperBound)", help: help, path: path,
            fallback: { _ in nil }
        ) { (value, root) throws(InvalidValue) in
            root[keyPath: path] = Number(clamping: try integer(value, range))
        }
    }

    static func milliseconds(_ name: String, _ path: any Path<Duration>, _ range: ClosedRange<Int>, _ help: String)
        -> Self
    {
        duration(name, path, unit: .milliseconds(1), range, help)
    }

    static func seconds(_ name: String, _ path: any Path<Duration>, _ range: ClosedRange<Int>, _ help: String) -> Self {
        duration(name, path, unit: .seconds(1), range, help)
    }

    private static func duration(
        _ name: String, _ path: any Path<Duration>, unit: Duration, _ range: ClosedRange<Int>, _ help: String
    ) -> Self {
        Self(
            name: name, type: "integer, \(range.lowerBound)…\(range.upperBound)", help: help, path: path,
            fallback: { String(Int(($0[keyPath: path] / unit).rounded())) }
        ) { (value, root) throws(InvalidValue) in
            root[keyPath: path] = unit * (try integer(value, range))
        }
    }

    private static func integer(
        _ value: ConfigurationValue, _ range: ClosedRange<Int>
    ) throws(InvalidValue) -> Int {
        guard case .integer(let number) = value else { throw wrong(value, wanted: "an integer") }
        guard range.contains(number) else {
            throw InvalidValue("is \(number); allowed are \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A duration; may be absent.
    static func optionalMilliseconds(
        _ name: String, _ path: any Path<Duration?>, _ range: ClosedRange<Int>, _ help: String
    ) -> Self {
        optionalDuration(name, path, unit: .milliseconds(1), range, help)
    }

    static func optionalSeconds(
        _ name: String, _ path: any Path<Duration?>, _ range: ClosedRange<Int>, _ help: String
    ) -> Self {
        optionalDuration(name, path, unit: .seconds(1), range, help)
    }

    private static func optionalDuration(
        _ name: String, _ path: any Path<Duration?>, unit: Duration, _ range: ClosedRange<Int>, _ help: String
    ) -> Self {
        Self(
            name: name, type: "integer, \(range.lowerBound)…\(range.upperBound)", help: help, path: path,
            fallback: { _ in nil }
        ) { (value, root) throws(InvalidValue) in
            root[keyPath: path] = unit * (try integer(value, range))
        }
    }

    static func flag(_ name: String, _ path: any Path<Bool>, _ help: String) -> Self {
        Self(name: name, type: "true or false", help: help, path: path, fallback: { String($0[keyPath: path]) }) {
            (value, root) throws(InvalidValue) in
            guard case .boolean(let flag) = value else { throw wrong(value, wanted: "true or false") }
            root[keyPath: path] = flag
        }
    }

    /// A flag; may be absent.
    static func optionalFlag(_ name: String, _ path: any Path<Bool?>, _ help: String) -> Self {
        Self(name: name, type: "true or false", help: help, path: path, fallback: { _ in nil }) {
            (value, root) throws(InvalidValue) in
            guard case .boolean(let flag) = value else { throw wrong(value, wanted: "true or false") }
            root[keyPath: path] = flag
        }
    }

    static func choice<Choice: RawRepresentable<String> & Equatable & Sendable>(
        _ name: String, _ path: any Path<Choice>, _ choices: [Choice], _ help: String
    ) -> Self {
        let listed = choices.map { quoted($0.rawValue) }.joined(separator: " or ")
        return Self(name: name, type: listed, help: help, path: path, fallback: { quoted($0[keyPath: path].rawValue) })
        {
            (value, root) throws(InvalidValue) in
            root[keyPath: path] = try choice(value, choices)
        }
    }

    /// A choice; may be absent.
    static func optionalChoice<Choice: RawRepresentable<String> & Equatable & Sendable>(
        _ name: String, _ path: any Path<Choice?>, _ choices: [Choice], _ help: String
    ) -> Self {
        let listed = choices.map { quoted($0.rawValue) }.joined(separator: " or ")
        return Self(name: name, type: listed, help: help, path: path, fallback: { _ in nil }) {
            (value, root) throws(InvalidValue) in
            root[keyPath: path] = try choice(value, choices)
        }
    }

    private static func choice<Choice: RawRepresentable<String>>(
        _ value: ConfigurationValue, _ choices: [Choice]
    ) throws(InvalidValue) -> Choice {
        let listed = choices.map { quoted($0.rawValue) }.joined(separator: ", ")
        let isSwitch = choices.contains { $0.rawValue == "off" }
        func meant(_ flag: Bool) -> String? {
            isSwitch ? choices.first { ($0.rawValue == "off") != flag }?.rawValue : nil
        }
        if case .boolean(let flag) = value {
            let hint = meant(flag).map { " – did you mean \(quoted($0))?" } ?? ""
            throw InvalidValue("is \(flag); allowed are \(listed)\(hint)")
        }
        guard case .string(let text) = value else { throw InvalidValue("is \(value.kind); allowed are \(listed)") }
        guard let choice = choices.first(where: { $0.rawValue == text }) else {
            let hint =
                FamiliarWords.flag(for: text).flatMap(meant) ?? NearestName.of(text, among: choices.map(\.rawValue))
            let suffix = hint.map { " – did you mean \(quoted($0))?" } ?? ""
            throw InvalidValue("is \(quoted(text)); allowed are \(listed)\(suffix)")
        }
        return choice
    }

    /// A list of strings, each read by `parse`.
    static func list<Element: Equatable & Sendable>(
        _ name: String, _ path: any Path<[Element]>, of type: String,
        parse: @escaping @Sendable (String) throws(InvalidValue) -> Element, _ help: String
    ) -> Self {
        Self(name: name, type: type, help: help, path: path, fallback: { _ in "[]" }) {
            (value, root) throws(InvalidValue) in
            guard case .list(let values) = value else { throw wrong(value, wanted: "a list of strings") }
            var elements: [Element] = []
            for value in values {
                guard case .string(let text) = value else {
                    throw InvalidValue("holds \(value.kind), not only strings")
                }
                elements.append(try parse(text))
            }
            root[keyPath: path] = elements
        }
    }

    /// A string, read by `parse`.
    static func parsed<Value: Equatable & Sendable>(
        _ name: String, _ path: any Path<Value?>, as type: String,
        parse: @escaping @Sendable (String) throws(InvalidValue) -> Value, _ help: String
    ) -> Self {
        Self(name: name, type: type, help: help, path: path, fallback: { _ in nil }) {
            (value, root) throws(InvalidValue) in
            root[keyPath: path] = try parse(try string(value) { _ in nil })
        }
    }

    /// A table, read by `parse`.
    static func table<Value: Equatable & Sendable>(
        _ name: String, _ path: any Path<Value?>, as type: String,
        parse: @escaping @Sendable ([String: ConfigurationValue]) throws(InvalidValue) -> Value, _ help: String
    ) -> Self {
        Self(name: name, type: type, help: help, path: path, fallback: { _ in nil }) {
            (value, root) throws(InvalidValue) in
            guard case .table(let entries) = value else { throw wrong(value, wanted: "a table") }
            root[keyPath: path] = try parse(entries)
        }
    }

    private static func string(_ value: ConfigurationValue, _ check: Check) throws(InvalidValue) -> String {
        guard case .string(let text) = value else { throw wrong(value, wanted: "a string") }
        if let complaint = check(text) { throw InvalidValue(complaint) }
        return text
    }

    static func wrong(_ value: ConfigurationValue, wanted: String) -> InvalidValue {
        InvalidValue("is \(value.kind); wanted is \(wanted)")
    }
}
