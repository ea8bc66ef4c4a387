// SPDX-License-Identifier: Apache-2.0

/// The English texts of a problem, from the templates of the table.
extension Problem {
    /// A problem that has just begun.
    package init(_ condition: Condition, on installation: Installation) {
        self.init(condition, row: ProblemTable.row(condition.code), ageMs: 0, on: installation)
    }

    init(_ condition: Condition, row: ProblemRow, ageMs: Int64, on installation: Installation) {
        let wording = row.wording(condition.variant)
        let values = condition.arguments.map { ($0, Self.sentences.contains($0) ? Self.withoutStop($1) : $1) }
        let named = Dictionary(values) { first, _ in first }.merging(["subject": condition.subject]) { $1 }
        let remedy = wording.remedy?.filled(named)
        let arguments = named.merging(remedy?.lines(on: installation) ?? [:]) { $1 }
        let parts = ["parts": condition.parts.map(\.english).joined(separator: row.separator)]
        func filled(_ template: String) -> String {
            ProblemRow.filled(template, arguments.merging(parts) { $1 })
        }
        let advice = filled(remedy?.template ?? "")
        self.init(
            code: row.code, severity: row.severity, part: row.part,
            sensor: row.part == "sensors" ? condition.subject : nil, title: filled(row.title),
            text: filled(wording.text ?? row.text), remedy: advice.isEmpty ? nil : advice, ageMs: ageMs,
            variant: condition.variant?.rawValue, arguments: arguments,
            parts: condition.parts.isEmpty ? nil : condition.parts)
    }

    /// Places whose values are sentences of other parts of the gateway. More words may follow such a place.
    private static let sentences: Set<String> = [
        "cause", "error", "missing", "notice", "reason", "refusal", "state", "trouble", "what",
    ]

    /// A sentence without its full stop; an ellipsis stays.
    private static func withoutStop(_ text: String) -> String {
        text.hasSuffix(".") && !text.hasSuffix("..") ? String(text.dropLast()) : text
    }

    /// Adds a phrase behind the text.
    mutating func add(_ note: ProblemPhrase) {
        notes = (notes ?? []) + [note]
        text += note.english
    }
}

extension ProblemRow {
    /// The texts of a variant; for an unknown variant the usual texts.
    package func wording(_ variant: ProblemVariant?) -> ProblemWording {
        let other = variant.flatMap { variants[$0] }
        return ProblemWording(text: other?.text ?? text, remedy: other?.remedy ?? remedy)
    }

    /// The names of the places of a template.
    package static func places(of template: String) -> Set<String> {
        Set(template.matches(of: /\{([^{}]+)\}/).map { String($0.1) })
    }
}
