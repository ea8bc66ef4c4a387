// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Gateway
import Glibc

@main
struct Martlet: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "martlet",
        abstract: "A Bluetooth LE sensor gateway.",
        discussion: """
            Keeps links to sensors, writes every reading to a journal, and delivers it to an MQTT broker.
            To see it at work without any hardware: martlet demo

            Exit status: 0 success, 1 failure, 2 wrong usage, 78 mistake in the configuration.
            """,
        version: GatewayVersion.current,
        subcommands: [
            OpenControllerCommand.self, NetworkHelperCommand.self, UpdateHelperCommand.self, RadioHelperCommand.self,
            OpenPortsCommand.self, AdviceCommand.self,
        ],
        groups: HelpPlace.Group.allCases.map { CommandGroup(name: $0.rawValue, subcommands: $0.commands) },
        examples: [
            "martlet demo": "the gateway at work, without hardware",
            "martlet scan": "which sensors are near",
            "martlet run": "the gateway, with /etc/martlet/martlet.toml",
            "martlet status --watch": "how it is doing, sensor by sensor",
            "martlet watch": "the readings as they come",
            "martlet why kitchen": "why a sensor reconnected, or is silent",
        ])

    static func main() {
        // A reader that stops reading our output must not end the program at a random place.
        signal(SIGPIPE, SIG_IGN)
        // The parent process may have blocked signals, and children would inherit the block.
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
        if let complaint = UnknownVerb.complaint(Array(CommandLine.arguments.dropFirst()), in: Self.self) {
            Output.error(complaint)
            Glibc.exit(ExitStatus.usage.rawValue)
        }
        do {
            var command = try parseAsRoot()
            try command.run()
            Output.checkArrival()
        } catch {
            exit(withStatusOf: error)
        }
    }

    private static func exit(withStatusOf error: any Error) -> Never {
        let text = fullMessage(for: error)
        let code = exitCode(for: error)
        if code == .success {
            Output.line(text)
            Output.checkArrival()
        } else if !text.isEmpty {
            Output.error(text)
        }
        // The parser ends with 64 of sysexits; our status is 2, as in shells.
        Glibc.exit(code == .validationFailure ? ExitStatus.usage.rawValue : code.rawValue)
    }
}
