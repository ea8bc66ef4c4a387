// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import Replay

/// A replay for a person.
enum ReplayText {
    static func lines(_ report: ReplayReport) -> [String] {
        var lines = [head(report)]
        if report.isTruncated { lines.append("The file ends in the middle of a packet, which is left out.") }
        if !report.beginsWithSetUp, report.packets > 0 {
            lines.append(
                "The recording begins after the set-up of the controller: the set-up is that of an ordinary controller."
            )
        }
        lines.append("")
        var isOver = false
        for event in report.events {
            if event.atMs > report.durationMs, !isOver {
                isOver = true
                lines.append("\(time(report.durationMs))  the recording ends; if nothing more came:")
            }
            lines.append("\(time(event.atMs))  \(word(event.kind)) \(event.text)")
        }
        if report.eventsLeftOut > 0 { lines.append("… and \(report.eventsLeftOut) more") }
        lines.append("")
        for command in report.unanswered.prefix(20) {
            lines.append("Command \(command.opcode), sent at \(seconds(command.atMs)), was not answered.")
        }
        return lines + decisions(report)
    }

    private static func head(_ report: ReplayReport) -> String {
        var head = "\(report.packets) packets in \(seconds(report.durationMs))"
        if let start = report.startedMs {
            let date = Date(timeIntervalSince1970: TimeInterval(start) / 1_000)
            head += ", from \(date.formatted(.iso8601)) on"
        }
        head +=
            ": \(report.advertisements) advertisements, \(report.dataPackets) packets of data, \(report.links) links"
        if report.hardwareErrors > 0 { head += ", hardware errors: \(report.hardwareErrors)" }
        if report.malformedPackets > 0 { head += ", packets that cannot be read: \(report.malformedPackets)" }
        return head
    }

    private static func decisions(_ report: ReplayReport) -> [String] {
        let within = report.decisions.filter { $0.atMs <= report.durationMs }
        var lines: [String] = []
        if within.isEmpty { lines.append("The radio gives no reason to do anything in it.") }
        for decision in within {
            let comparison =
                switch decision.isRecorded {
                case true: "as in the recording"
                case false: "in the recording this was not done"
                case nil: "the recording ends here"
                }
            lines.append("\(decision.step) at \(seconds(decision.atMs)): \(decision.reason); \(comparison)")
        }
        if let next = report.decisions.first(where: { $0.atMs > report.durationMs }) {
            let later = seconds(next.atMs - report.durationMs)
            lines.append("If nothing more came: \(next.step) \(later) after its end: \(next.reason)")
        }
        return lines
    }

    private static func word(_ kind: ReplayReport.Event.Kind) -> String {
        switch kind {
        case .state: "controller "
        case .linkUp: "link up    "
        case .linkDown: "link down  "
        case .decision: "STEP       "
        case .cured: "cured      "
        case .restart: "restart    "
        case .trouble: "trouble    "
        }
    }

    private static func time(_ milliseconds: Int64) -> String {
        let text = seconds(milliseconds)
        return String(repeating: " ", count: max(0, 12 - text.count)) + text
    }

    private static func seconds(_ milliseconds: Int64) -> String {
        String(format: "%.3f s", Double(milliseconds) / 1_000)
    }
}
