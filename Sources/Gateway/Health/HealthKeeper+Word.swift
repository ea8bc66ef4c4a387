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
        change { word in
            for (key, text) in facts.identifiers(withPrefix: Self.known) {
                guard let name = ProblemName(String(key.dropFirst(Self.known.count))), let until = ends.until(text)
                else { continue }
                _ = word.acknowledge(name, until: until)
            }
            for (key, text) in facts.identifiers(withPrefix: Self.maintenance) {
                guard case .some(.some(let until)) = ends.until(text) else { continue }
                _ = word.maintain(String(key.dropFirst(Self.maintenance.count)), until: until)
            }
        }
    }

    /// Keeps what has changed, and forgets what has ended.
    func keep(in facts: any FactStore, _ ends: Ends) {
        let word = word
        let present = Dictionary(
            word.acknowledged.map { ("\(Self.known)\($0.key)", ends.text($0.value)) }
                + word.sensorsInMaintenance.map { (Self.maintenance + $0.key, ends.text($0.value)) }
        ) { first, _ in first }
        let kept = facts.identifiers(withPrefix: Self.known).merging(
            facts.identifiers(withPrefix: Self.maintenance)
        ) { first, _ in first }
        for key in kept.keys where present[key] == nil { facts.setIdentifier("", for: key) }
        // The offset of the clock moves by some milliseconds: an end that is kept stays as it is.
        for (key, text) in present where kept[key] == nil || kept[key]?.isEmpty == true || isOther(kept[key], text) {
            facts.setIdentifier(text, for: key)
        }
    }

    private func isOther(_ one: String?, _ other: String) -> Bool {
        guard let one = one.flatMap({ Int64($0) }), let other = Int64(other) else { return one != other }
        return one.subtractingSaturated(other).magnitude > 60_000
    }
}
