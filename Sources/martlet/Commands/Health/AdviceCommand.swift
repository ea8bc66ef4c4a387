// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Doctor
import Health

/// Prints the commands of advice on this machine. `make test-advice` runs these commands.
struct AdviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advice", abstract: "Print the commands that advice names here, as JSON.", shouldDisplay: false)

    @OptionGroup var options: ConfigurationOptions

    private struct Line: Encodable {
        /// `martlet why`, `machine restart`
        var name: String
        var line: String
        /// False where words stand in the place of a command.
        var isCommand: Bool
    }

    func run() throws {
        let installation = Installation.here(configuration: options.config)
        try Output.json(
            AdvisedCommand.all.map { command in
                Line(
                    name: command.name, line: command.line(on: installation),
                    isCommand: command.isCommand(on: installation))
            })
    }
}
