// SPDX-License-Identifier: Apache-2.0

import Collector
import Health
import Readings

/// Notices readings that are given up and values that do not come, by the counts of each sensor; a value.
///
/// Counts run on for ever. A loss is a problem when it happens, and for as long afterwards as its row says.
struct LossWatch: Sendable {
    private struct Counts: Equatable {
        var missing = 0
        var dropped: [String: Int] = [:]
        var unconfirmed = 0
    }

    private var known: [String: Counts] = [:]
    /// Counts of an earlier run are losses, too.
    private let countsAll: Bool
    private static let wished = Set(DropReason.wished.map(\.rawValue))

    init(countsAll: Bool) { self.countsAll = countsAll }

    mutating func look(_ status: GatewayStatus) -> [Condition] {
        // Without the books of each sensor nothing can be compared.
        guard let books = status.journal.sensors else { return [] }
        var conditions: [Condition] = []
        var new: [String: Counts] = [:]
        for sensor in status.collector.sensors {
            let entry = books[sensor.id]
            var counts = Counts()
            // On the air without a link some packets are always missed. The books run on across restarts.
            if sensor.link != .listening { counts.missing = max(sensor.gap ?? 0, entry?.missing ?? 0) }
            counts.dropped = (entry?.dropped ?? [:]).filter { !Self.wished.contains($0.key) && $0.value > 0 }
            counts.unconfirmed = sensor.unconfirmed
            new[sensor.id] = counts
            let before = known[sensor.id] ?? (countsAll ? Counts() : counts)
            if counts.missing > before.missing {
                conditions.append(Condition(.valuesMissing, sensor.id, ["count": "\(counts.missing)"]))
            }
            let grown = counts.dropped.filter { $0.value > before.dropped[$0.key] ?? 0 }
            if !grown.isEmpty {
                let drops = counts.dropped.sorted { $0.key < $1.key }.map {
                    ProblemPhrase(.dropped, ["count": "\($0.value)", "drop": $0.key])
                }
                conditions.append(
                    Condition(
                        .readingsDropped, sensor.id,
                        ["count": "\(counts.dropped.values.reduce(0, &+))"], parts: drops))
            }
            if counts.unconfirmed > before.unconfirmed {
                conditions.append(Condition(.valuesUnconfirmed, sensor.id, ["count": "\(counts.unconfirmed)"]))
            }
        }
        known = new
        return conditions
    }
}
