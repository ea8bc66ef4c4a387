// SPDX-License-Identifier: Apache-2.0

/// A problem as a part of the gateway has found it: the code, the subject, and the arguments of the texts.
package struct Condition: Equatable, Sendable {
    package var code: ProblemCode
    /// The sensor, the entry or the part; empty for a problem of the whole gateway.
    package var subject: String
    package var arguments: [String: String]

    package init(_ code: ProblemCode, _ subject: String = "", _ arguments: [String: String] = [:]) {
        (self.code, self.subject, self.arguments) = (code, subject, arguments)
    }
}

/// A problem for every surface.
package struct Problem: Codable, Equatable, Sendable {
    package var code: ProblemCode
    package var severity: ProblemRow.Severity
    /// The name of a check of `martlet doctor`: `radio`, `disk`, `broker`, `sensors`…
    package var part: String
    /// The sensor, or the entry without a sensor; nil for a problem of no sensor.
    package var sensor: String?
    package var title: String
    /// A sentence without its full stop.
    package var text: String
    package var remedy: String?
    /// Milliseconds since the problem began.
    package var ageMs: Int64

    /// One line, `title: text`.
    package var line: String { "\(title): \(text)" }
}
