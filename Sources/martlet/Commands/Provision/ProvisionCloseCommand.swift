// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Operations
import Provisioning

struct ProvisionCloseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: WindowAction.close.rawValue,
        abstract: "Let no phone pair any more.",
        examples: ["martlet provision close": "phones that are known can still come back"])

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var control: ControlOptions

    func run() throws {
        let report = try control.ask(OperationTable.provision, WindowRequest(.close))
        if json { return try Output.json(report) }
        Output.line("The window is closed.")
    }
}
