// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// How often links of a sensor ended in the last 24 hours, by reason.
package struct LinkEndTally: Equatable, Sendable {
    /// A reason, and the number of links that ended for this reason. Nil stands for all other reasons together.
    package struct Entry: Codable, Equatable, Sendable {
        package var reason: LinkEndReason?
        package var count: Int

        package init(reason: LinkEndReason?, count: Int) {
            self.reason = reason
            self.count = count
        }
    }

    private struct Hour: Equatable {
        let number: Int64
        var counts: [LinkEndReason?: Int] = [:]
    }

    static let hours: Int64 = 24
    /// Limit of distinct reasons for each hour, because a peer may give any reason.
    static let maximumReasons = 8
    private static let hourMs: Int64 = 3_600_000

    private var parts: [Hour] = []

    mutating func count(_ reason: LinkEndReason?, at uptimeMs: Int64) {
        let number = uptimeMs / Self.hourMs
        parts.removeAll { $0.number <= number - Self.hours }
        if parts.last?.number != number { parts.append(Hour(number: number)) }
        guard let last = parts.indices.last else { return }
        let isKnown = parts[last].counts[reason] != nil || parts[last].counts.count < Self.maximumReasons
        parts[last].counts[isKnown ? reason : nil, default: 0] += 1
    }

    /// The most frequent first.
    package func entries(at uptimeMs: Int64) -> [Entry] {
        let number = uptimeMs / Self.hourMs
        var sums: [LinkEndReason?: Int] = [:]
        for part in parts where part.number > number - Self.hours { sums.merge(part.counts, uniquingKeysWith: +) }
        return sums.map { Entry(reason: $0.key, count: $0.value) }.sorted { one, other in
            (-one.count, one.reason?.rawValue ?? .max) < (-other.count, other.reason?.rawValue ?? .max)
        }
    }
}
