// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Which steps that end the process were taken in the last day: on disk before they are taken, so that a gateway whose radio is
/// broken for good does not start anew for ever.
struct RecoveryBook: Codable, Equatable, Sendable {
    private static let day: Int64 = 86_400
    /// Of each step.
    private static let capacity = 32

    /// By step, in seconds since 1970 by whatever clock there was.
    private var taken: [String: [Int64]] = [:]

    init() {}

    /// How often a step was taken in the last day. What is in the future counts: the clock was set back, and nobody knows by how much.
    func count(_ step: String, at now: Int64) -> Int {
        taken[step]?.count { now.subtractingReportingOverflow($0).partialValue < Self.day } ?? 0
    }

    mutating func note(_ step: String, at now: Int64) {
        let recent = taken[step]?.filter { now.subtractingReportingOverflow($0).partialValue < Self.day } ?? []
        taken[step] = Array(recent.suffix(Self.capacity - 1)) + [now]
    }

    /// What is on disk; nothing where that cannot be read.
    init(_ disk: any ConfigurationDisk, _ path: String) {
        guard let octets = try? disk.read(path, limit: 65_536),
            let book = try? JSONDecoder().decode(RecoveryBook.self, from: Data(octets))
        else { return }
        self = book
    }
}
