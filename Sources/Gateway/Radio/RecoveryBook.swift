// SPDX-License-Identifier: Apache-2.0

import Configuration
import Foundation

/// Steps of the last day that ended the process. A step is on disk before the gateway takes it, so that a gateway with
/// a broken radio does not restart for ever.
struct RecoveryBook: Codable, Equatable, Sendable {
    private static let day: Int64 = 86_400
    /// Entries for each step.
    private static let capacity = 32

    /// By step, in seconds since 1970 by the wall clock, right or wrong.
    private var taken: [String: [Int64]] = [:]

    init() {}

    /// How often a step was taken in the last day. A time in the future counts, because the clock was set back by an
    /// unknown amount.
    func count(_ step: String, at now: Int64) -> Int {
        taken[step]?.count { now.subtractingReportingOverflow($0).partialValue < Self.day } ?? 0
    }

    mutating func record(_ step: String, at now: Int64) {
        let recent = taken[step]?.filter { now.subtractingReportingOverflow($0).partialValue < Self.day } ?? []
        taken[step] = Array(recent.suffix(Self.capacity - 1)) + [now]
    }

    /// Reads the book from disk; empty if the file is unreadable.
    init(_ disk: any ConfigurationDisk, _ path: String) {
        guard let octets = try? disk.read(path, limit: 65_536),
            let book = try? JSONDecoder().decode(RecoveryBook.self, from: Data(octets))
        else { return }
        self = book
    }
}
