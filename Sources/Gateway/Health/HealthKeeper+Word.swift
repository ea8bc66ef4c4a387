// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Health
import Readings
import Synchronization

/// The word of operators, which outlives the process: facts of the journal. Within one boot, an end is a time since boot. After another
/// boot it is a time since 1970, and the word lasts no longer than it was to last: the clock may be wrong at first.
extension HealthKeeper {
    private static let known = "acknowledged:"
    private static let maintenance = "maintenance:"
    private static let open = "open"
    /// The clock drifts: an end that moves by less is the same end. In milliseconds.
    private static let slack: Int64 = 60_000

    /// How ends are kept at a moment.
    struct Ends: Sendable {
        /// Milliseconds since 1970 minus milliseconds since boot.
        var offset: Int64
        var boot = ""
        /// Milliseconds since boot.
        var now: Int64 = 0

        func text(_ until: Int64?) -> String {
            guard let until else { return HealthKeeper.open }
            return "\(until.addingSaturated(offset))/\(max(0, until.subtractingSaturated(now)))/\(until)@\(boot)"
        }

        /// Nil for a text that is no end.
        func until(_ text: String) -> Int64?? {
            if text == HealthKeeper.open { return .some(nil) }
            let parts = text.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
            guard let unix = HealthKeeper.unix(text) else { return nil }
            if parts.count > 2 {
                let words = parts[2].split(separator: "@", maxSplits: 1)
                if words.count == 2, words[1] == boot, let until = Int64(words[0]) { return .some(until) }
            }
            let end = unix.subtractingSaturated(offset)
            guard parts.count > 1, let length = Int64(parts[1]) else { return .some(end) }
            return .some(min(end, now.addingSaturated(length)))
        }
    }

    /// The end in milliseconds since 1970; nil for a text without one.
    private static func unix(_ text: String) -> Int64? {
        text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).first.flatMap { Int64($0) }
    }

    /// A clock that was set moves the kept ends: words of an earlier boot end when their clock says, and words of this boot when they did.
    func mind(_ ends: Ends, in facts: any FactStore) {
        let isOld = offset.withLock { known in
            defer { known = ends.offset }
            return known.map { $0.subtractingSaturated(ends.offset).magnitude > Self.slack } ?? false
        }
        guard isOld else { return }
        forget(in: facts)
        load(from: facts, ends)
        keep(in: facts, ends)
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
        forget(in: facts)
        let word = word
        for (name, until) in word.acknowledged { keep(Self.known + name.description, ends.text(until), in: facts) }
        for (sensor, until) in word.sensorsInMaintenance {
            keep(Self.maintenance + sensor, ends.text(until), in: facts)
        }
    }

    /// Forgets what has ended.
    private func forget(in facts: any FactStore) {
        let word = word
        let present = Set(word.acknowledged.keys.map { Self.known + $0.description })
            .union(word.sensorsInMaintenance.keys.map { Self.maintenance + $0 })
        for prefix in [Self.known, Self.maintenance] {
            for name in facts.identifiers(withPrefix: prefix).keys where !present.contains(prefix + name) {
                facts.setIdentifier("", for: prefix + name)
            }
        }
    }

    private func keep(_ key: String, _ text: String, in facts: any FactStore) {
        let kept = facts.identifier(for: key)
        guard let first = kept.flatMap(Self.unix), let second = Self.unix(text) else {
            if kept != text { facts.setIdentifier(text, for: key) }
            return
        }
        if first.subtractingSaturated(second).magnitude > Self.slack { facts.setIdentifier(text, for: key) }
    }
}
