// SPDX-License-Identifier: Apache-2.0

/// A row of the table of problems: the constant part of a problem.
package struct ProblemRow: Sendable {
    package enum Severity: String, Codable, CaseIterable, Comparable, Sendable {
        /// An operator knows of it, and nothing has to be done.
        case notice
        /// Something works less well, or will not work for ever.
        case warning
        /// The gateway cannot do its work.
        case failure

        private var rank: Int {
            switch self {
            case .notice: 0
            case .warning: 1
            case .failure: 2
            }
        }

        package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
    }

    package var code: ProblemCode
    package var severity: Severity
    /// The part with the problem, by the names of the checks of `martlet doctor`.
    package var part: String
    /// A few words. `{subject}` and the names of arguments in braces stand for their values, here and in the other texts.
    package var title: String
    /// One sentence without its full stop.
    package var text: String
    /// The remedy; nil if the text has it, or if there is none.
    package var remedy: Advice?
    /// Second wordings, for conditions with a variant.
    package var variants: [ProblemVariant: ProblemWording] = [:]
    /// Between the phrases of `{parts}`.
    package var separator = "; "
    /// The causes of this problem. While one of them lasts, this problem is not shown.
    package var causes: [ProblemCode] = []
    /// Seconds from the beginning of the condition until the problem is shown.
    package var shownAfter: Int64 = 0
    /// Seconds from the end of the condition until the problem is gone.
    package var goneAfter: Int64 = 60
    /// The condition is a moment, and the problem is shown for ``goneAfter``.
    package var isMoment = false

    /// A text with the values of its arguments. A place without a value stays in the text as it is, in its braces.
    static func filled(_ text: String, _ arguments: [String: String]) -> String {
        var out = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let place = rest[open...close]
            out += rest[..<open] + (arguments[String(place.dropFirst().dropLast())] ?? String(place))
            rest = rest[rest.index(after: close)...]
        }
        return out + rest
    }
}
