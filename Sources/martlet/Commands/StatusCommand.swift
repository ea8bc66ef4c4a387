// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Gateway

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show how a running gateway is doing.")

    @OptionGroup var control: ControlOptions

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Again every second, until interrupted.")
    var watch = false

    func run() throws {
        while true {
            let status = try control.ask(.status, as: GatewayStatus.self)
            if json {
                Output.line(String(decoding: try ControlCoding.encode(status), as: UTF8.self))
            } else {
                let text = StatusText.lines(status).joined(separator: "\n")
                Output.line(watch && Output.isTerminal ? "\u{1B}[H\u{1B}[2J" + text : text)
            }
            guard watch else { return }
            Thread.sleep(forTimeInterval: 1)
        }
    }
}
