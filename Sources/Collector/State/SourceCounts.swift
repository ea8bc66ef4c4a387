// SPDX-License-Identifier: Apache-2.0

import Readings

/// Readings of a sensor by source.
struct SourceCounts: Equatable, Sendable {
    private var adverts = 0
    private var notifications = 0
    private var indications = 0
    private var reads = 0

    mutating func count(_ source: Reading.Source) {
        switch source {
        case .advert: adverts += 1
        case .notify: notifications += 1
        case .indicate: indications += 1
        case .read: reads += 1
        }
    }

    var total: Int { adverts + notifications + indications + reads }

    /// By the names of ``Reading/Source``, without zero counts.
    var named: [String: Int] {
        let all: [(Reading.Source, Int)] = [
            (.advert, adverts), (.notify, notifications), (.indicate, indications), (.read, reads),
        ]
        return Dictionary(uniqueKeysWithValues: all.filter { $0.1 > 0 }.map { ($0.0.rawValue, $0.1) })
    }
}
