// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Readings

extension SensorLimits {
    static let form =
        "{ temperature = { above = 8, for_s = 600, hysteresis = 0.5 }, battery = { below = 15 }, silent_s = 7200 }"

    static let silenceKey = "silent_s"
    /// Seconds of silence.
    private static let silences = 10...2_592_000
    /// Seconds of a delay.
    fileprivate static let delays = 0...86_400
    /// Most quantities of an entry.
    private static let maximum = 32

    /// Reads a table of this form.
    @Sendable init(parsing table: [String: ConfigurationValue]) throws(InvalidValue) {
        self.init()
        for (key, value) in table.sorted(by: { $0.key < $1.key }) {
            if key == Self.silenceKey {
                silence = .seconds(try Self.seconds(value, Self.silenceKey, Self.silences, at: key))
                continue
            }
            guard SensorLimits.quantity(ofKey: key) != nil else {
                throw InvalidValue(DeadBand.complaint(about: key, known: Decoders.numbers), at: key)
            }
            guard case .table(let entries) = value else {
                throw InvalidValue("has \(value.kind) for \(key); wanted is a table like { above = 8 }", at: key)
            }
            bounds[key] = try Bounds(parsing: entries, of: key)
        }
        guard !isEmpty else { throw InvalidValue("is empty; wanted is \(Self.form)") }
        guard bounds.count <= Self.maximum else {
            throw InvalidValue("names \(bounds.count) quantities; allowed are \(Self.maximum)")
        }
    }

    fileprivate static func seconds(
        _ value: ConfigurationValue, _ name: String, _ range: ClosedRange<Int>, at key: String
    ) throws(InvalidValue) -> Int {
        guard case .integer(let number) = value, range.contains(number) else {
            throw InvalidValue(
                "has a \(name) that is no integer from \(range.lowerBound) to \(range.upperBound)", at: key)
        }
        return number
    }
}

extension SensorLimits.Bounds {
    static let keys = ["above", "below", "for_s", "hysteresis"]

    fileprivate init(parsing table: [String: ConfigurationValue], of quantity: String) throws(InvalidValue) {
        self.init()
        for (name, value) in table.sorted(by: { $0.key < $1.key }) {
            switch name {
            case "above": above = try Self.number(value, name, at: quantity)
            case "below": below = try Self.number(value, name, at: quantity)
            case "hysteresis":
                hysteresis = try Self.number(value, name, at: quantity)
                guard hysteresis >= 0 else {
                    throw InvalidValue("has a hysteresis below 0 for \(quantity)", at: quantity)
                }
            case "for_s":
                delay = .seconds(try SensorLimits.seconds(value, "for_s", SensorLimits.delays, at: quantity))
            default:
                let meant = FamiliarWords.key(for: name, among: Self.keys) ?? NearestName.of(name, among: Self.keys)
                let hint = meant.map { " – did you mean \(quoted($0))?" } ?? ""
                throw InvalidValue("has an unknown key \(quoted(name)) for \(quantity)\(hint)", at: quantity)
            }
        }
        guard above != nil || below != nil else {
            throw InvalidValue("has neither above nor below for \(quantity)", at: quantity)
        }
        if let above, let below, below >= above {
            throw InvalidValue("has a below for \(quantity) that is not less than its above", at: quantity)
        }
        if let above, let below, hysteresis > above - below {
            throw InvalidValue("has a hysteresis for \(quantity) that is more than above minus below", at: quantity)
        }
    }

    private static func number(
        _ value: ConfigurationValue, _ name: String, at quantity: String
    ) throws(InvalidValue) -> Double {
        let number: Double? =
            switch value {
            case .integer(let number): Double(number)
            case .real(let number): number
            default: nil
            }
        guard let number, number.isFinite else {
            throw InvalidValue("has for \(quantity) a value of \(name) that is no number", at: quantity)
        }
        return number
    }
}

extension SensorRule {
    /// A quantity of the limits that the sensor's values do not have, and the complaint about it.
    var limitsComplaint: (field: String, text: String)? {
        guard let limits else { return nil }
        let known = numbers
        let unknown = limits.bounds.keys.sorted().first { key in
            SensorLimits.quantity(ofKey: key).map { !known.contains($0) } ?? true
        }
        return unknown.map { ($0, DeadBand.complaint(about: $0, known: known)) }
    }
}
