// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Dispatch
import Doctor
import Gateway
import Glibc
import Health
import Operations

struct KeyCommand: ListedCommand {
    static let place = HelpPlace(.sensor, 60)
    static let configuration = CommandConfiguration(
        commandName: OperationName.key.word,
        abstract: "Give a running gateway the key that opens what a sensor advertises.",
        discussion: """
            SENSOR is the id or the address of a sensor that martlet accept or a phone has accepted. Its key, 32 hexadecimal \
            digits, 24 of older ones, or 48 of Encrypted Advertising Data, is read from standard input, which may be a file; a terminal does not show it. docs/sensors.md says \
            where a key is to be had. Spaces, colons and dashes between its digits do not count. To a sensor of a configuration file it is given there, as bindkey_file.
            """,
        examples: [
            "martlet key kitchen": "asks for it",
            "martlet key A4:C1:38:8D:18:B2": "by its address",
        ])

    @Argument(.key, "sensor")
    var sensor: String

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var control: ControlOptions

    func run() throws {
        let signals = SignalWatch()
        signals.on(SIGINT, SIGTERM, queue: DispatchQueue(label: "martlet.signals")) {
            TerminalInput.showTyping()
            Glibc.exit(ExitStatus.failure.rawValue)
        }
        defer { withExtendedLifetime(signals) {} }
        var input = TerminalInput()
        let key = input.ask(isatty(STDIN_FILENO) == 1 ? "Key: " : "", isSecret: true)
        guard let key, !key.isEmpty else {
            Output.error("No key was given.")
            throw ExitStatus.usage
        }
        let name = try control.ask(OperationTable.key, sensor: sensor) { $0.key = key }
        if json { return try Output.json(["sensor": name]) }
        let next: Advice = "\(name) has its key: \(.martlet(.status)) shows its values as they come."
        Output.line(next.text(on: .here(configuration: control.config)))
    }
}
