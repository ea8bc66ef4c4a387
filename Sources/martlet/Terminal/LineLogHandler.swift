// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Logging

/// Writes each message as a line to standard error: time, level, part, message, metadata.
///
/// Under systemd, the journal adds the time, and the level is in systemd's format.
struct LineLogHandler: LogHandler {
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    private let isForJournal: Bool

    init(level: Logger.Level, environment: [String: String] = ProcessInfo.processInfo.environment) {
        logLevel = level
        isForJournal = environment["JOURNAL_STREAM"] != nil
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { write(event, at: .now) }

    func write(_ event: LogEvent, at time: Date) {
        let beginning = isForJournal ? "<\(event.level.priority)>" : Self.beginning(event, at: time)
        Output.error(beginning + Self.text(event, metadata))
    }

    /// Time and level. The time is in UTC, and has a Z.
    static func beginning(_ event: LogEvent, at time: Date) -> String {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true, timeZone: .gmt)
        return "\(time.formatted(style)) \(event.level.padded) "
    }

    /// Part, message and metadata.
    static func text(_ event: LogEvent, _ metadata: Logger.Metadata) -> String {
        var all = metadata
        if let own = event.metadata { all.merge(own) { $1 } }
        let part = all.removeValue(forKey: "part").map { "\($0): " } ?? ""
        var line = part + flat("\(event.message)")
        for (key, value) in all.sorted(by: { $0.key < $1.key }) { line += " \(key)=\(quoted(flat("\(value)")))" }
        return line
    }

    /// In quotation marks if the text has blanks, quotation marks or backslashes, so that no text looks like a further
    /// field.
    static func quoted(_ text: String) -> String {
        guard text.isEmpty || text.contains(where: { $0 == " " || $0 == "\"" || $0 == "\\" }) else { return text }
        return "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// Names and reasons come from sensors and brokers: no line breaks, no terminal control.
    private static func flat(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: Text.isControl) else { return text }
        var flat = ""
        for scalar in text.unicodeScalars {
            flat.unicodeScalars.append(Text.isControl(scalar) ? " " : scalar)
        }
        return flat
    }
}

extension Logger.Level {
    /// The number of the level in syslog.
    fileprivate var priority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }

    fileprivate var padded: String { rawValue.padding(toLength: 8, withPad: " ", startingAt: 0) }
}
