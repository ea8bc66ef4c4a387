// SPDX-License-Identifier: Apache-2.0

import Logging
import Synchronization

final class LineCollector: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
}

/// Keeps the messages of warnings and errors; `isWhole`: lines of every level, with their metadata.
struct CollectingHandler: LogHandler {
    let lines: LineCollector
    let isWhole: Bool
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level

    init(lines: LineCollector, isWhole: Bool = false) {
        (self.lines, self.isWhole, logLevel) = (lines, isWhole, isWhole ? .trace : .warning)
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        guard isWhole else { return lines.add(event.message.description) }
        let pairs = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        lines.add("\(event.level) \(event.message) \(pairs.joined(separator: " "))")
    }
}
