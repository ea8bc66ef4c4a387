// SPDX-License-Identifier: Apache-2.0

/// A row of the table of problems: the constant facts of one problem.
package struct ProblemRow: Sendable {
    package enum Severity: String, Codable, Comparable, Sendable {
        /// Something works less well, or will not work for ever.
        case warning
        /// The gateway cannot do its work.
        case failure

        package static func < (left: Self, right: Self) -> Bool { left == .warning && right == .failure }
    }

    package var code: ProblemCode
    package var severity: Severity
    /// The part with the problem, by the names of the checks of `martlet doctor`.
    package var part: String
    /// A few words. `{subject}` and the names of arguments in braces stand for their values, here and in the other texts.
    package var title: String
    /// One sentence without its full stop; it names its subject.
    package var text: String
    /// The remedy; nil if the text has it, or if there is none.
    package var remedy: String?
    /// The causes of this problem. While one of them lasts, this problem is not shown.
    package var causes: [ProblemCode] = []
    /// Seconds from the beginning of the problem until surfaces show it.
    package var shownAfter: Int64 = 0
    /// Seconds from the end of the problem until surfaces drop it.
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
