// SPDX-License-Identifier: Apache-2.0

import Foundation
import Gateway
import Logging

/// Keeps the newest messages as lines, for clients that read the log over the air.
struct RingLogHandler: LogHandler {
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    private let ring: LogRing

    /// - Parameter level: At least `info`: details would displace important lines.
    init(_ ring: LogRing, level: Logger.Level) {
        self.ring = ring
        logLevel = max(level, .info)
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { write(event, at: .now) }

    func write(_ event: LogEvent, at time: Date) {
        ring.append(
            LineLogHandler.beginning(event, at: time) + LineLogHandler.text(event, metadata),
            isWarning: event.level >= .warning)
    }
}
