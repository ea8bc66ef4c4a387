// SPDX-License-Identifier: Apache-2.0

/// A problem as a part of the gateway has found it: the code, the subject, and the arguments of the texts.
package struct Condition: Equatable, Sendable {
    package var code: ProblemCode
    /// The sensor, the entry or the part; empty where there is only one.
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
    /// As the checks of `martlet doctor` are called: `radio`, `disk`, `broker`, `sensors`…
    package var part: String
    /// The sensor, or the entry that none has answered to; nil where the problem is of none.
    package var sensor: String?
    package var title: String
    /// A sentence without its full stop.
    package var text: String
    package var remedy: String?
    /// Milliseconds since the problem began.
    package var ageMs: Int64

    /// In one line: `title: text`.
    package var line: String { "\(title): \(text)" }
}
