// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Gateway
import Operations

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: OperationName.status.word, abstract: "Show how a running gateway is doing.",
        discussion: """
            A row for each sensor, and one for each entry of the configuration that no sensor has answered to; below them, \
            with a !, what somebody has to do something about. On a narrow terminal the less important columns are left \
            out. With --watch, sensors that there is no room for come on pages, one after the other.
            """,
        examples: [
            "martlet status": "all of it", "martlet status --watch": "again every second",
            "martlet status --json": "for programs: values decoded, with unit and age",
        ])

    /// Seconds for each page.
    private static let pageTime = 5

    @OptionGroup var control: ControlOptions

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Again every second, until interrupted.")
    var watch = false

    func run() throws {
        var second = 0
        while true {
            let status = try control.ask(.status, as: GatewayStatus.self)
            if json {
                Output.line(String(decoding: try ControlCoding.encode(status), as: UTF8.self))
            } else if watch, Output.isTerminal {
                let (columns, rows) = Output.size
                // The last row is for the shell's prompt.
                let lines = StatusText.screen(
                    status, columns: columns, rows: rows - 1, turn: second / Self.pageTime)
                Output.raw((second == 0 ? "\u{1B}[2J" : "") + TextScreen.drawing(lines) + "\r\n")
            } else {
                let lines = StatusText.lines(status, columns: Output.isTerminal ? Output.size.columns : nil)
                Output.line(lines.joined(separator: "\n"))
            }
            // Without a reader, the output ends.
            guard watch, Output.failure == nil else { return }
            second += 1
            Thread.sleep(forTimeInterval: 1)
        }
    }
}
