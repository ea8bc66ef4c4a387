// SPDX-License-Identifier: Apache-2.0

import Logging
import Synchronization

/// Keeps all lines of a log.
final class LogLines: Sendable {
    private let lines = Mutex<[(level: Logger.Level, line: String)]>([])

    var all: [String] { lines.withLock { $0.map(\.line) } }
    /// With the level before each line.
    var text: String { lines.withLock { $0.map { "\($0.level) \($0.line)" }.joined(separator: "\n") } }
    func clear() { lines.withLock { $0 = [] } }

    var logger: Logger { Logger(label: "test") { [self] _ in Handler(lines: self) } }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
            let line = "\(event.message)" + all.map { " \($0.key)=\($0.value)" }.joined()
            lines.lines.withLock { $0.append((event.level, line)) }
        }
    }
}
