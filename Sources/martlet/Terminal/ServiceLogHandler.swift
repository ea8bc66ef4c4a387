// SPDX-License-Identifier: Apache-2.0

import Foundation
import Gateway
import Logging

/// Writes messages to standard error and to a ring, as one line with one time.
struct ServiceLogHandler: LogHandler {
    private var lines: LineLogHandler
    private var ring: RingLogHandler

    init(_ ring: LogRing, level: Logger.Level) {
        lines = LineLogHandler(level: level)
        self.ring = RingLogHandler(ring, level: level)
    }

    var logLevel: Logger.Level {
        get { lines.logLevel }
        set {
            lines.logLevel = newValue
            ring.logLevel = max(newValue, .info)
        }
    }

    var metadata: Logger.Metadata {
        get { lines.metadata }
        set { (lines.metadata, ring.metadata) = (newValue, newValue) }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { lines.metadata[key] }
        set {
            lines.metadata[key] = newValue
            ring.metadata[key] = newValue
        }
    }

    func log(event: LogEvent) {
        let now = Date.now
        lines.write(event, at: now)
        if event.level >= ring.logLevel { ring.write(event, at: now) }
    }
}
