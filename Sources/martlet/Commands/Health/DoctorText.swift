// SPDX-License-Identifier: Apache-2.0

import Doctor

/// The texts of `martlet doctor` for people.
enum DoctorText {
    private static let indent = 4

    /// With `columns`, for a terminal of this width.
    static func lines(_ diagnosis: Diagnosis, columns: Int? = nil) -> [String] {
        let widest = diagnosis.findings.map(\.check.count).max() ?? 0
        var lines: [(text: String, indent: Int)] = []
        for finding in diagnosis.findings {
            let check = Text.fit(finding.check, widest)
            let place = widest + indent
            lines.append(("\(mark(finding.verdict)) \(check)  \(Text.plain(finding.found, limit: 1_024))", place))
            if let remedy = finding.remedy {
                let space = String(repeating: " ", count: place)
                lines.append((space + "→ " + Text.plain(remedy, limit: 1_024), place + 2))
            }
        }
        lines.append(("", 0))
        lines.append((summary(diagnosis), 0))
        guard let columns else { return lines.map(\.text) }
        return lines.flatMap { Text.wrapped($0.text, columns, indent: $0.indent) }
    }

    private static func mark(_ verdict: Finding.Verdict) -> String {
        switch verdict {
        case .fine: "✓"
        case .note: "·"
        case .warning: "!"
        case .failure: "✗"
        case .unknown: "?"
        }
    }

    private static func summary(_ diagnosis: Diagnosis) -> String {
        func count(_ verdict: Finding.Verdict) -> Int { diagnosis.findings.count { $0.verdict == verdict } }
        let (failures, warnings) = (count(.failure), count(.warning))
        let rest = warnings == 0 ? "" : "; \(warnings) \(warnings == 1 ? "thing" : "things") should be looked at (!)"
        return switch failures {
        case 0: "Nothing keeps the gateway from its work\(rest)."
        case 1: "One thing keeps the gateway from its work (✗)\(rest)."
        default: "\(failures) things keep the gateway from its work (✗)\(rest)."
        }
    }
}
