// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Health
import Readings

/// The word of operators, which outlives the process: facts of the journal, with ends in milliseconds since 1970.
extension HealthKeeper {
    private static let known = "acknowledged:"
    private static let maintenance = "maintenance:"
    private static let open = "open"

    /// A clock that may be wrong, and is better than none: milliseconds since 1970 minus milliseconds since boot.
    struct Ends: Sendable {
        var offset: Int64

        func text(_ until: Int64?) -> String { until.map { "\($0.addingSaturated(offset))" } ?? HealthKeeper.open }

        /// Nil for a text that is no end.
        func until(_ text: String) -> Int64?? {
            if text == HealthKeeper.open { return .some(nil) }
            guard let unix = Int64(text) else { return nil }
            return .some(unix.subtractingSaturated(offset))
        }
    }

    /// Reads what a former run has kept.
    func load(from facts: any FactSource, _ ends: Ends) {
        let (known, maintenance) = (
            facts.identifiers(withPrefix: Self.known), facts.identifiers(withPrefix: Self.maintenance)
        )
        change { word in
            for (name, text) in known {
                guard let name = ProblemName(name), let until = ends.until(text) else { continue }
                _ = word.acknowledge(name, until: until)
            }
            for (sensor, text) in maintenance {
                guard case .some(.some(let until)) = ends.until(text) else { continue }
                _ = word.maintain(sensor, until: until)
            }
        }
    }

    /// Keeps what has changed, and forgets what has ended.
    func keep(in facts: any FactStore, _ ends: Ends) {
        let word = word
        let known = Dictionary(
            word.acknowledged.map { ($0.key.description, ends.text($0.value)) }
        ) { first, _ in first }
        keep(known, Self.known, in: facts)
        keep(word.sensorsInMaintenance.mapValues { ends.text($0) }, Self.maintenance, in: facts)
    }

    private func keep(_ present: [String: String], _ prefix: String, in facts: any FactStore) {
        let kept = facts.identifiers(withPrefix: prefix)
        for name in kept.keys where present[name] == nil { facts.setIdentifier("", for: prefix + name) }
        for (name, text) in present where isOther(kept[name], text) { facts.setIdentifier(text, for: prefix + name) }
    }

    /// The offset of the clock moves by some milliseconds: an end that is kept stays as it is.
    private func isOther(_ one: String?, _ other: String) -> Bool {
        guard let first = one.flatMap({ Int64($0) }), let second = Int64(other) else { return one != other }
        return first.subtractingSaturated(second).magnitude > 60_000
    }
}
