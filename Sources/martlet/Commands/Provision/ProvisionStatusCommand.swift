// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Gateway
import Operations
import Provisioning

struct ProvisionStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: WindowAction.status.rawValue,
        abstract: "Print whether phones can pair, with which passkey, and which are known.",
        examples: ["martlet provision status --json": "for programs"])

    @Flag(help: "Print it as JSON.")
    var json = false

    @OptionGroup var control: ControlOptions

    func run() throws {
        let report = try control.ask(OperationTable.provision, WindowRequest(.status))
        if json {
            Output.line(String(decoding: try ControlCoding.encode(report), as: UTF8.self))
        } else {
            for line in report.lines { Output.line(line) }
        }
    }
}
