// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Configuration
import Platform
import Synchronization

/// Reads the files with certificates now and then: a list of authorities takes long to read.
final class CertificateWatch: Sendable {
    /// Seconds for which what was read holds.
    private static let period: Int64 = 600

    private struct Reading {
        var files: [CertificateStatus]
        /// Seconds since boot.
        var at: Int64
    }

    private let read: @Sendable () -> [CertificateStatus]
    private let newest = Mutex<Reading?>(nil)

    /// - Parameter read: Reads the files; may block.
    init(_ read: @escaping @Sendable () -> [CertificateStatus]) { self.read = read }

    /// The files as they were at most ten minutes ago; nil for none.
    ///
    /// - Parameter now: Since boot.
    func files(at now: MonotonicTime) -> [CertificateStatus]? {
        let seconds = now.nanoseconds / 1_000_000_000
        let known = newest.withLock { $0 }
        if let known, seconds - known.at < Self.period { return known.files.isEmpty ? nil : known.files }
        let files = read()
        newest.withLock { $0 = Reading(files: files, at: seconds) }
        return files.isEmpty ? nil : files
    }
}
