// SPDX-License-Identifier: Apache-2.0

/// A row of the table of problems: the constant facts of a problem.
package struct ProblemRow: Sendable {
    package enum Severity: String, Codable, Comparable, Sendable {
        /// A part works less well, or will fail later.
        case warning
        /// The gateway cannot do its work.
        case failure

        package static func < (left: Self, right: Self) -> Bool { left == .warning && right == .failure }
    }

    package var code: ProblemCode
    package var severity: Severity
    /// The part with the problem, by the name of its check in `martlet doctor`.
    package var part: String
    /// A few words. `{subject}` and the names of arguments in braces stand for their values, here and in the other texts.
    package var title: String
    /// One sentence with its subject, without its full stop.
    package var text: String
    /// The remedy; nil where the text has the remedy, or there is none.
    package var remedy: String?
    /// While one of these problems lasts, this problem is its consequence and is hidden.
    package var causes: [ProblemCode] = []
    /// Seconds from the start to the display.
    package var shownAfter: Int64 = 0
    /// Seconds from the end to the removal.
    package var goneAfter: Int64 = 60

    /// A text with the values of its arguments.
    static func filled(_ text: String, _ arguments: [String: String]) -> String {
        var out = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            out += rest[..<open] + (arguments[String(rest[rest.index(after: open)..<close])] ?? "")
            rest = rest[rest.index(after: close)...]
        }
        return out + rest
    }
}
