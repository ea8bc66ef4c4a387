// SPDX-License-Identifier: Apache-2.0

/// A problem as a part of the gateway has found it: the code, the subject, and the arguments of the texts.
package struct Condition: Equatable, Sendable {
    package var code: ProblemCode
    /// The sensor, the entry or the part; empty for a problem of the whole gateway.
    package var subject: String
    package var arguments: [String: String]
    /// Other texts than the code's usual ones.
    package var variant: ProblemVariant?
    /// The list in the place `{parts}`.
    package var parts: [ProblemPhrase]
    /// Milliseconds since the condition began, from a part that knows; nil: since the account noticed the condition.
    package var ageMs: Int64?

    package init(
        _ code: ProblemCode, _ subject: String = "", _ arguments: [String: String] = [:],
        variant: ProblemVariant? = nil, parts: [ProblemPhrase] = [], ageMs: Int64? = nil
    ) {
        (self.code, self.subject, self.arguments) = (code, subject, arguments)
        (self.variant, self.parts, self.ageMs) = (variant, parts, ageMs)
    }
}

/// A problem for every surface: the English texts, and the values from which a surface makes them in another language.
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
    /// A ``ProblemVariant``; nil for the usual texts of the code. This and the following are nil from a gateway of an earlier version.
    package var variant: String?
    /// The values of the places of title, text and remedy, by the names of the places. Commands are among them.
    package var arguments: [String: String]?
    /// The list in the place `{parts}`; nil without a list.
    package var parts: [ProblemPhrase]?
    /// The end of the text; nil for none.
    package var notes: [ProblemPhrase]?

    /// One line, `title: text`.
    package var line: String { "\(title): \(text)" }
}
