// SPDX-License-Identifier: Apache-2.0

import Collector
import Gateway
import Health

/// The account of health of a running gateway, and the effects that prove the account.
extension Doctor {
    /// Sensors' problems that are listed; the others are counted.
    private static let listed = 8

    /// The account's problems of a part.
    ///
    /// - Parameter hint: A command to try, for those that have a remedy.
    func problems(of part: String, hint: Advice? = nil) -> [Finding] {
        (status?.problems ?? []).filter { $0.part == part }.map { problem in
            let remedy = problem.remedy.map { Advice($0) }
            let advice = remedy.map { first in hint.map { first + " " + $0 } ?? first } ?? hint
            return Finding(
                part, Self.verdict(problem.severity), (problem.sensor.map { "\($0): " } ?? "") + problem.text, advice)
        }
    }

    private static func verdict(_ severity: ProblemRow.Severity) -> Finding.Verdict {
        switch severity {
        case .notice: .note
        case .warning: .warning
        case .failure: .failure
        }
    }

    /// Whether the radio of a running gateway hears something.
    func radio() -> [Finding] {
        guard let status else { return [] }
        let problems = problems(of: "radio")
        guard problems.isEmpty else { return problems }
        guard let age = status.proofs?.heardAgeMs else {
            return [
                Finding("radio", .note, "nothing was heard yet, in the \(status.uptimeS) s since the gateway started")
            ]
        }
        return [Finding("radio", .fine, "something was heard \(SpokenTime.of(age)) ago")]
    }

    /// The sensors of a running gateway.
    func sensors() -> [Finding] {
        guard let status else { return [] }
        let collector = status.collector
        let good = collector.sensors.count { $0.health.isGood }
        let all = collector.sensors.count + collector.awaited.count
        let others = collector.sensors.filter { !$0.health.isGood }.map(\.id) + collector.awaited.map(\.entry)
        let names = others.isEmpty ? "" : "; not from " + others.joined(separator: ", ")
        var findings = [
            Finding(
                "sensors", others.isEmpty ? .fine : .warning, "values come from \(good) of \(all)\(names)",
                others.first.map { "Why not from the others: \(.martlet(.why, $0))" })
        ]
        let problems = problems(of: "sensors")
        findings += problems.prefix(Self.listed)
        if problems.count > Self.listed {
            findings.append(
                Finding(
                    "sensors", .warning, "there are \(problems.count - Self.listed) more problems of sensors",
                    "All of them: \(.martlet(.status))"))
        }
        if let shortage = collector.shortage {
            findings.append(
                Finding("sensors", .note, shortage.words, "They take turns: docs/sensors.md, More sensors than links"))
        }
        return findings
    }

    /// Settings and bonds that the gateway keeps.
    func settled() -> [Finding] { problems(of: "configuration") + problems(of: "bonds") }

    /// Whether the disk takes readings.
    func writes() -> [Finding] {
        guard let status else { return [] }
        let problems = problems(of: "disk")
        guard problems.isEmpty else { return problems }
        guard let age = status.proofs?.writtenAgeMs else {
            return [Finding("disk", .note, "no reading was written since the gateway started, and none waits")]
        }
        return [Finding("disk", .fine, "readings were written \(SpokenTime.of(age)) ago, and none waits for longer")]
    }
}
