// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Gateway

struct VersionCommand: ListedCommand {
    static let place = HelpPlace(.machine, 70)
    static let configuration = CommandConfiguration(
        commandName: "version", abstract: "Print the version.",
        examples: ["martlet version": "the version, for a report"])

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        if json { return try Output.json(["version": GatewayVersion.current]) }
        Output.line("martlet \(GatewayVersion.current)")
    }
}
