// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Configuration
import Platform
import Synchronization

/// Reads the files with certificates now and then: a list of authorities takes long to read.
final class CertificateWatch: Sendable {
    /// Seconds for which a reading holds.
    private static let period: Int64 = 600

    private struct State {
        var configuration: GatewayConfiguration
        var files: [CertificateStatus] = []
        /// The time of the reading, in seconds since boot; nil: read again.
        var readAt: Int64?
    }

    private let state: Mutex<State>

    init(_ configuration: GatewayConfiguration) { state = Mutex(State(configuration: configuration)) }

    /// The gateway works with another configuration from now on.
    func follow(_ configuration: GatewayConfiguration) {
        state.withLock { $0 = State(configuration: configuration) }
    }

    /// The files as they were at most ten minutes ago; nil for none. May block on the disk.
    ///
    /// - Parameter now: Since boot.
    func files(at now: MonotonicTime) -> [CertificateStatus]? {
        let seconds = now.nanoseconds / 1_000_000_000
        let known = state.withLock { $0 }
        var files = known.files
        if known.readAt.map({ seconds - $0 >= Self.period }) ?? true {
            files = known.configuration.certificates()
            state.withLock { state in
                // A configuration that came meanwhile is read at the next look.
                guard state.readAt == known.readAt, state.configuration == known.configuration else { return }
                (state.files, state.readAt) = (files, seconds)
            }
        }
        return files.isEmpty ? nil : files
    }
}
