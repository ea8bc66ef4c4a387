// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Gateway
import Health

/// The account of health of a running gateway, and the effects that prove the account.
extension Doctor {
    /// Sensors' problems that are listed; the others are counted.
    private static let listed = 8

    /// Problems that a client of the broker shows, too.
    private static let ofConnection: Set<ProblemCode> = [
        .brokerUnreachable, .brokerRefusesReadings, .brokerComplains, .notAcknowledged,
    ]

    /// The account's problems of a part.
    ///
    /// - Parameter hint: A command to try, for problems of the connection.
    func problems(of part: String, hint: Advice? = nil) -> [Finding] {
        (status?.problems ?? []).filter { $0.part == part }.map { problem in
            let remedy = problem.remedy.map { Advice($0) }
            let hint = Self.ofConnection.contains(problem.code) ? hint : nil
            let advice = remedy.map { first in hint.map { first + " " + $0 } ?? first } ?? hint
            return Finding(
                part, Self.verdict(problem.severity), (problem.sensor.map { "\($0): " } ?? "") + problem.text, advice)
        }
    }

    /// A condition that the doctor has found itself, in the words of the account.
    func finding(_ condition: Condition) -> Finding {
        let problem = Problem(condition, on: Installation.here(configuration: path, surroundings))
        let advice = problem.remedy.map { Advice($0) }
        return Finding(problem.part, Self.verdict(problem.severity), problem.text, advice)
    }

    /// The controller of a running gateway, by the account's worst problem of the adapter. The check `radio` has all problems.
    func controller(of status: GatewayStatus) -> Finding {
        let controller = status.controller
        if let problem = adapterProblem {
            return Finding(
                "adapter", Self.verdict(problem.severity), problem.text, adapterAdvice(problem.code))
        }
        guard controller.state == "powered on" else { return Finding("adapter", .note, controller.summary) }
        let slots = controller.slots.flatMap { slots in slots.limit.map { ", \(slots.used) of \($0) links" } } ?? ""
        return Finding("adapter", .fine, "\(controller.name) works for the gateway\(slots)")
    }

    /// The account's worst problem of the adapter.
    private var adapterProblem: Problem? {
        status?.problems?.first { [.radioDown, .radioTrouble, .radioRefuses].contains($0.code) }
    }

    private func adapterAdvice(_ code: ProblemCode) -> Advice {
        switch code {
        // A container without its gateway runs no command.
        case .radioDown where surroundings.isContainer:
            "Start the container anew: \(.machine(.restart)). The container needs an adapter and rights: docs/containers.md"
        case .radioDown:
            "Stop the gateway and ask again, for more than the gateway can see: \(.machine(.stop)); \(.martlet(.doctor))"
        case .radioRefuses:
            "Update the adapter's firmware, or use another adapter; sensors are not to blame. See docs/reliability.md."
        default: "See docs/reliability.md."
        }
    }

    /// The verdict on a switch that blocks the adapter: the account's verdict where a gateway runs, else a failure.
    var blockedVerdict: Finding.Verdict {
        guard status != nil else { return .failure }
        return adapterProblem.map { Self.verdict($0.severity) } ?? .note
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
        let isDown = status.isRadioDown
        func isGood(_ sensor: SensorStatus) -> Bool { sensor.health.isGood && !(isDown && sensor.health.isPresent) }
        let good = collector.sensors.count(where: isGood)
        let all = collector.sensors.count + collector.awaited.count
        let others = collector.sensors.filter { !isGood($0) }.map(\.id) + collector.awaited.map(\.entry)
        let names = others.joined(separator: ", ")
        let sum =
            if others.isEmpty {
                all == 0 ? "there are no sensors yet" : "values come from \(good) of \(all)"
            } else {
                good == 0
                    ? "no values come: not from \(names)"
                    : "values come from \(good) of \(all); not from \(names)"
            }
        // A sensor without an open problem is acknowledged, in maintenance, or the consequence of another problem.
        let worst = status.openProblems.filter { problem in problem.sensor.map { others.contains($0) } ?? false }
        let severity = worst.map(\.severity).max()
        let first = others.first { other in worst.contains { $0.sensor == other } } ?? others.first
        var findings = [
            Finding(
                "sensors", others.isEmpty ? .fine : severity.map(Self.verdict) ?? .note,
                sum,
                first.map { "Why not from the others: \(.martlet(.why, $0))" })
        ]
        let problems = problems(of: "sensors")
        findings += problems.prefix(Self.listed)
        if problems.count > Self.listed {
            let isOpen = problems.dropFirst(Self.listed).contains { $0.verdict != .note }
            findings.append(
                Finding(
                    "sensors", isOpen ? .warning : .note,
                    "there are \(problems.count - Self.listed) more problems of sensors",
                    "All of them: \(.martlet(.status))"))
        }
        if let shortage = collector.shortage {
            let advice: Advice =
                shortage.links > 0
                ? "They take turns: docs/sensors.md, More sensors than links"
                : "A device that does nothing loses its link to a sensor: docs/sensors.md, More sensors than links"
            findings.append(Finding("sensors", .note, shortage.words, advice))
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
