// SPDX-License-Identifier: Apache-2.0

import Gateway

@testable import Journal

/// A campaign's findings.
package struct CampaignReport: Codable, Sendable {
    package struct Failure: Codable, Sendable {
        /// Number of the recording's entry before which power went.
        package var point: Int
        package var phase: CutPoints.Phase
        package var survival: String
        package var problems: [String]
        /// Folder with the files as the cut has left them.
        package var image: String?
    }

    package var seed: UInt64
    package var durability: JournalConfiguration.Durability
    /// In the recorded run: readings received, delivered, and dropped by reason.
    package var readings = 0
    package var delivered = 0
    package var dropped: [String: Int] = [:]
    package var syncs = 0
    package var checkpoints = 0
    /// Points at which power could go in the recorded run.
    package var possible = 0
    /// Points of the power cuts.
    package var points = 0
    /// The points of each phase.
    package var phases: [String: Int] = [:]
    /// Points of a second power cut, in the recovery.
    package var twice = 0
    package var failures: [Failure] = []

    init(seed: UInt64, durability: JournalConfiguration.Durability) {
        self.seed = seed
        self.durability = durability
    }

    mutating func add(_ phase: CutPoints.Phase) {
        points += 1
        phases[phase.rawValue, default: 0] += 1
    }
}

extension CampaignReport: CustomStringConvertible {
    package var description: String {
        let share = CutPoints.Phase.allCases.map { "\(phases[$0.rawValue] ?? 0) in a \($0.rawValue)" }
        let drops = dropped.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        var lines = [
            """
            power-cut, durability \(durability.rawValue), seed \(seed): \
            \(readings) readings, \(delivered) delivered, dropped: \(drops); \(syncs) syncs, \
            \(checkpoints) checkpoints; cut at \(points) of \(possible) points (\(share.joined(separator: ", "))), \
            \(twice) of them again in the recovery: \(failures.isEmpty ? "none failed" : "\(failures.count) FAILED")
            """
        ]
        for failure in failures {
            lines.append("point \(failure.point), in a \(failure.phase.rawValue), survival: \(failure.survival)")
            lines += failure.problems.map { "    \($0)" }
            if let image = failure.image { lines.append("    image: \(image)") }
        }
        return lines.joined(separator: "\n")
    }
}
