// SPDX-License-Identifier: Apache-2.0

/// A part's report of a problem: the code, the subject, and the arguments for the texts of its row.
package struct Condition: Equatable, Sendable {
    package var code: ProblemCode
    /// The sensor, the entry or the part; empty for a problem with only one possible subject.
    package var subject: String
    package var arguments: [String: String]

    package init(_ code: ProblemCode, _ subject: String = "", _ arguments: [String: String] = [:]) {
        (self.code, self.subject, self.arguments) = (code, subject, arguments)
    }
}

/// A problem as every surface shows it.
package struct Problem: Codable, Equatable, Sendable {
    package var code: ProblemCode
    package var severity: ProblemRow.Severity
    /// The name of a check of `martlet doctor`: `radio`, `disk`, `broker`, `sensors`…
    package var part: String
    /// The sensor, or the entry without a sensor; nil for other problems.
    package var sensor: String?
    package var title: String
    /// A sentence without its full stop.
    package var text: String
    package var remedy: String?
    /// Milliseconds since the problem began.
    package var ageMs: Int64

    /// The title and the text in one line: `title: text`.
    package var line: String { "\(title): \(text)" }
}
