// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Configuration

/// Not for people: `martlet-ports.service` of the flashed image runs the command.
struct OpenPortsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open-ports",
        abstract: "Print the ports that the administrator's files open to the network.",
        discussion: "One port a line; none for a page that this machine alone reaches.",
        shouldDisplay: false)

    @Option(name: [.short, .long], help: ArgumentHelp("The configuration file.", valueName: "file"))
    var config: String = GatewayConfiguration.defaultPath

    func run() throws {
        do {
            for port in try OpenPorts.named(by: config) { Output.line("\(port)") }
        } catch {
            Output.error("\(error)")
            throw ExitStatus.configuration
        }
    }
}
