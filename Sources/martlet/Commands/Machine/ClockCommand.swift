// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Gateway
import Operations
import Platform

struct ClockCommand: ListedCommand {
    static let place = HelpPlace(.settingUp, 60)
    static let configuration = CommandConfiguration(
        commandName: OperationName.clock.word,
        abstract: "Show or set the time that a running gateway gives its readings.",
        subcommands: [ShowCommand.self, SetCommand.self], defaultSubcommand: ShowCommand.self,
        examples: [
            "martlet clock": "the clock's time and its source",
            "martlet clock set --now": "this machine's clock is right",
        ])

    struct ShowCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show the clock's time and its source.",
            examples: ["martlet clock show --json": "for programs"])

        @OptionGroup var control: ControlOptions

        @Flag(help: "Print JSON.")
        var json = false

        func run() throws {
            let status = try control.ask(OperationTable.clock)
            Output.line(json ? try ClockText.json(status) : ClockText.lines(status).joined(separator: "\n"))
        }
    }

    struct SetCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: OperationName.clockSet.word,
            abstract: "Tell the gateway the time, where no time service does.",
            discussion: """
                TIME is like 2026-01-31T12:00:00Z, or @ and seconds since 1970. Readings without a time get their \
                times from TIME. The gateway uses TIME until a time service sets the system's clock; martlet does not \
                touch the system's clock. A synchronised clock stays. The gateway refuses a time more than a day \
                before or a year after the time of the system's clock.
                """,
            examples: [
                "martlet clock set 2026-01-31T12:00:00Z": "UTC",
                "martlet clock set --now": "the time of this machine's clock",
            ])

        @Argument(help: "The time.")
        var time: String?

        @Flag(help: "Take the time of this machine's clock.")
        var now = false

        @Flag(help: "Take the time in spite of any distance to the gateway's time.")
        var force = false

        @OptionGroup var control: ControlOptions

        @Flag(help: "Print JSON.")
        var json = false

        func validate() throws {
            guard (time != nil) != now else { throw ValidationError("Give either a TIME or --now.") }
            if let time, ClockText.parse(time) == nil {
                throw ValidationError("\(time) is no time like 2026-01-31T12:00:00Z or @1769860800.")
            }
        }

        func run() throws {
            let unix = time.flatMap(ClockText.parse) ?? Int64(Date().timeIntervalSince1970 * 1_000)
            let status = try control.ask(OperationTable.clockSet) {
                ($0.unixMs, $0.force) = (unix, force ? true : nil)
            }
            Output.line(json ? try ClockText.json(status) : ClockText.lines(status).joined(separator: "\n"))
        }
    }
}

/// The clock in words.
enum ClockText {
    static func json(_ status: ClockStatus) throws -> String {
        String(decoding: try ControlCoding.encode(status), as: UTF8.self)
    }

    static func lines(_ status: ClockStatus) -> [String] {
        var lines = ["clock       \(summary(status))"]
        if let unix = status.unixMs { lines.append("time        \(text(unix))") }
        lines.append("system      \(text(status.systemUnixMs))" + difference(status))
        lines.append(
            "kernel      \(status.kernelSynchronized ? "synchronised" : "not synchronised")"
                + ", error up to \(duration(status.kernelErrorMs))")
        switch status.leapSecond {
        case .none: break
        case .insert: lines.append("leap        the UTC day ends with a second more")
        case .delete: lines.append("leap        the UTC day ends with a second less")
        case .inProgress: lines.append("leap        now")
        }
        if let step = status.lastStepMs {
            lines.append("set         \(status.steps)× since the start, last by \(duration(step))")
        }
        lines.append("boot        \(status.boot), up \(StatusText.duration(Int(status.uptimeMs / 1_000)))")
        return lines
    }

    /// `synced by the kernel, off by 12 ms at most`.
    static func summary(_ status: ClockStatus) -> String {
        var text = status.state
        switch status.source {
        case .kernel: text += " by the kernel"
        case .timeService: text += " by systemd-timesyncd"
        case .trusted: text += ", set by a phone or by hand"
        case .system: text += ", as the system's clock shows it"
        case .journal: text += ", as an earlier run knew it"
        case nil: break
        }
        if let error = status.errorMs { text += ", off by \(duration(error)) at most" }
        if status.state == "holdover", let age = status.ageS {
            text += ", last confirmed \(StatusText.duration(Int(age))) ago"
        }
        return text
    }

    private static func difference(_ status: ClockStatus) -> String {
        guard let unix = status.unixMs, abs(status.systemUnixMs - unix) >= 100 else { return "" }
        return ", off by \(duration(status.systemUnixMs - unix))"
    }

    static func duration(_ milliseconds: Int64) -> String {
        switch milliseconds.magnitude {
        case ..<10_000: "\(milliseconds) ms"
        case ..<100_000_000: "\(milliseconds / 1_000) s"
        default: "\(milliseconds / 86_400_000) d"
        }
    }

    private static func text(_ unix: Int64) -> String {
        Date(timeIntervalSince1970: Double(unix) / 1_000).formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Milliseconds since 1970 of `2026-01-31T12:00:00Z`, with or without a fraction, or `@1769860800`.
    static func parse(_ text: String) -> Int64? {
        let seconds: Double
        if text.first == "@" {
            guard let number = Double(text.dropFirst()) else { return nil }
            seconds = number
        } else {
            let forms = [false, true].map { Date.ISO8601FormatStyle(includingFractionalSeconds: $0) }
            // The parser makes the 1st of December of the 31st of November.
            let wall = text.prefix(19) + "Z"
            guard let date = forms.lazy.compactMap({ try? $0.parse(text) }).first,
                let utc = try? forms[0].parse(String(wall)), utc.formatted(forms[0]) == wall
            else { return nil }
            seconds = date.timeIntervalSince1970
        }
        return Int64(exactly: (seconds * 1_000).rounded())
    }
}
