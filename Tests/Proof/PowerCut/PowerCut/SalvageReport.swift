// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

/// The findings of a campaign of interrupted salvages.
package struct SalvageReport: Codable, Sendable {
    package var damage: SalvageCampaign.Damage
    package var seed: UInt64
    /// Salvageable rows.
    package var kept: Int
    /// An undisturbed salvage's dropped rows, by reason.
    package var dropped: [String: Int]
    /// Points at which power could go.
    package var possible = 0
    /// Points of the power cuts.
    package var points = 0
    /// Points of a second power cut, in the recovery.
    package var twice = 0
    package var failures: [String] = []

    init(damage: SalvageCampaign.Damage, seed: UInt64, kept: Int, dropped: [String: Int]) {
        self.damage = damage
        self.seed = seed
        self.kept = kept
        self.dropped = dropped
    }

    mutating func record(_ place: Int, _ survival: Survival, _ problems: [String]) {
        guard !problems.isEmpty else { return }
        failures.append("point \(place), survival: \(survival): " + problems.joined(separator: "; "))
    }
}

extension SalvageReport: CustomStringConvertible {
    package var description: String {
        let lost = dropped.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        let head =
            "power-cut, salvage, damage \(damage.rawValue), seed \(seed): \(kept) rows to be kept, dropped: \(lost); cut at "
            + "\(points) of \(possible) points, \(twice) of them again in what followed: "
            + (failures.isEmpty ? "none failed" : "\(failures.count) FAILED")
        return ([head] + failures.map { "    \($0)" }).joined(separator: "\n")
    }
}

/// A salvaged journal's content, read with plain SQL.
struct SalvageContent: Equatable {
    var rows: [Int64: Data] = [:]
    var integrity = ""
    var received = 0
    var delivered = 0
    var dropped: [String: Int] = [:]
    var facts: [String: String] = [:]

    init(_ path: String) throws {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        try queue.read { db in
            integrity = try String.fetchAll(db, sql: "PRAGMA integrity_check").prefix(3).joined(separator: "; ")
            for row in try Row.fetchAll(db, sql: "SELECT n, value FROM reading") { rows[row[0]] = row[1] }
            received = try Int.fetchOne(db, sql: "SELECT SUM(received) FROM ledger") ?? 0
            delivered = try Int.fetchOne(db, sql: "SELECT SUM(delivered) FROM ledger") ?? 0
            for row in try Row.fetchAll(db, sql: "SELECT reason, SUM(count) FROM loss GROUP BY reason") {
                dropped[row[0]] = row[1]
            }
            for row in try Row.fetchAll(db, sql: "SELECT key, value FROM identifier") { facts[row[0]] = row[1] }
        }
    }

    func differences(from other: SalvageContent) -> [String] {
        var problems: [String] = []
        if other.integrity != "ok" { problems.append("integrity_check: \(other.integrity)") }
        if rows != other.rows {
            let missing = rows.keys.filter { other.rows[$0] != rows[$0] }.sorted()
            let strange = other.rows.keys.filter { rows[$0] == nil }.sorted()
            problems.append(
                "\(missing.count) rows are missing: \(missing.prefix(5)), \(strange.count) strange: \(strange.prefix(5))"
            )
        }
        if (received, delivered) != (other.received, other.delivered) || dropped != other.dropped {
            problems.append(
                "received \(other.received), not \(received); delivered \(other.delivered), not \(delivered); dropped "
                    + "\(other.dropped), not \(dropped)")
        }
        if facts != other.facts { problems.append("facts \(other.facts), not \(facts)") }
        return problems
    }
}
