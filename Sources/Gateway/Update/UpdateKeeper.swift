// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Journal
import Operations
import Platform
import Readings
import Synchronization

/// The gateway's knowledge of updates of its image. The source is `martlet update`, which runs as root. The last
/// version seen outlives the process.
final class UpdateKeeper: Sendable {
    private static let fact = "update:available"
    /// Longest version and longest reason, in octets: more than real texts need.
    private static let longestVersion = 64
    private static let longestError = 500
    /// An installation without news for this time is over: its process was killed.
    private static let patience: Duration = .seconds(900)

    private struct Known {
        var update: ImageUpdate
        var heard: MonotonicTime
    }

    private let state: Mutex<Known>
    private let journal: Journal

    /// - Parameter installed: The version of the image.
    init(installed: String, journal: Journal) {
        self.journal = journal
        state = Mutex(Known(update: ImageUpdate(installed: installed), heard: .zero))
        journal.whenOpen { [weak self, weak journal] in
            guard let words = journal?.identifier(for: Self.fact)?.split(separator: " "), words.count == 2 else {
                return
            }
            self?.remember(String(words[1]), besides: String(words[0]))
        }
    }

    /// An update seen by another version of the image no longer counts.
    private func remember(_ available: String, besides installed: String) {
        state.withLock { known in
            guard known.update.installed == installed, known.update.available == nil else { return }
            known.update.available = available
        }
    }

    func update(at now: MonotonicTime) -> ImageUpdate {
        state.withLock { known in
            if known.update.isUnderway, now - known.heard > Self.patience {
                known.update.state = .failed
                known.update.progress = nil
                known.update.error = "the update ended without a word"
            }
            return known.update
        }
    }

    /// A client asks for an update; false while an update is in progress.
    func begin(at now: MonotonicTime) -> Bool {
        guard !update(at: now).isUnderway else { return false }
        record(UpdateReport(.checking), at: now)
        return true
    }

    func record(_ report: UpdateReport, at now: MonotonicTime) {
        let version = report.version.flatMap { Self.isVersion($0) ? $0 : nil }
        let installed = state.withLock { known in
            known.heard = now
            known.update.state = report.state
            if let version { known.update.available = version }
            known.update.progress =
                report.state == .installing ? report.percentage.map { Double(min(max($0, 0), 100)) / 100 } : nil
            known.update.error =
                report.state == .failed ? report.error.map { String($0.prefix(Self.longestError)) } : nil
            return known.update.installed
        }
        if let version { journal.setIdentifier("\(installed) \(version)", for: Self.fact) }
    }

    /// A version in Debian's syntax.
    static func isVersion(_ text: String) -> Bool {
        (1...longestVersion).contains(text.utf8.count)
            && text.utf8.allSatisfy { octet in
                switch octet {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"):
                    true
                default: ".+~:-_".utf8.contains(octet)
                }
            }
    }
}
