// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Collector
import Foundation
import Gateway
import Operations

struct StatusCommand: ListedCommand {
    static let place = HelpPlace(.everyday, 10)
    static let configuration = CommandConfiguration(
        commandName: OperationName.status.word, abstract: "Show how a running gateway is doing.",
        discussion: """
            Problems come first, with a !; then a row for each sensor, and one for each entry of the \
            configuration that no sensor has answered to. With SENSOR, which is an id, an address, an identifier or a name, all \
            that is known of one sensor. On a narrow terminal the less important columns are left \
            out. With --watch, sensors that there is no room for come on pages, one after the other.
            """,
        examples: [
            "martlet status": "all of it", "martlet status fridge": "one sensor",
            "martlet status --watch": "again every second",
            "martlet status --json": "for programs: values decoded, with unit and age",
        ])

    /// Seconds for each page.
    private static let pageTime = 5

    @Argument(help: "One sensor.", completion: SensorCompletion.kind)
    var sensor: String?

    @OptionGroup var control: ControlOptions

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Again every second, until interrupted.")
    var watch = false

    func run() throws {
        var second = 0
        while true {
            let status = try control.ask(OperationTable.status)
            if let sensor {
                try show(sensor, of: status)
            } else if json {
                try Output.json(status)
            } else if watch, Output.isTerminal {
                let (columns, rows) = Output.size
                // The last row is for the shell's prompt.
                let lines = StatusText.screen(
                    status, columns: columns, rows: rows - 1, turn: second / Self.pageTime)
                let painted = Paint.lines(lines)
                Output.raw((second == 0 ? "\u{1B}[2J" : "") + TextScreen.drawing(painted) + "\r\n")
            } else {
                let lines = StatusText.lines(status, columns: Output.isTerminal ? Output.size.columns : nil)
                Output.line(Paint.lines(lines).joined(separator: "\n"))
            }
            // Without a reader, the output ends.
            guard watch, Output.failure == nil else { return }
            second += 1
            Thread.sleep(forTimeInterval: 1)
        }
    }

    private func show(_ sensor: String, of status: GatewayStatus) throws {
        let named: CollectorStatus.Named
        do throws(DeviceName.Unclear) {
            named = try status.collector.named(sensor)
        } catch {
            Output.error(Text.plain(error.description))
            throw ExitStatus.failure
        }
        guard !json else {
            switch named {
            case .sensor(let sensor): return try Output.json(sensor)
            case .awaited(let entry): return try Output.json(entry)
            }
        }
        let isTerminal = Output.isTerminal
        let lines = SensorText.lines(
            named, problems: status.problems ?? [], columns: isTerminal ? Output.size.columns : nil, zone: .current)
        if watch, isTerminal {
            Output.raw("\u{1B}[2J" + TextScreen.drawing(Paint.lines(lines)) + "\r\n")
        } else {
            Output.line(Paint.lines(lines).joined(separator: "\n"))
        }
    }
}
