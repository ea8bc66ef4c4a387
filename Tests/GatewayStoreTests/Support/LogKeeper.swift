// SPDX-License-Identifier: Apache-2.0

import Logging
import Synchronization

/// Keeps what is logged.
final class LogKeeper: Sendable {
    private let lines = Mutex<[String]>([])

    var text: String { lines.withLock { $0.joined(separator: "\n") } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }

    var logger: Logger { Logger(label: "test") { _ in Handler(keeper: self) } }

    private struct Handler: LogHandler {
        let keeper: LogKeeper
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.notice

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let values = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            keeper.add("\(event.level) \(event.message) \(values.joined(separator: " "))")
        }
    }
}
