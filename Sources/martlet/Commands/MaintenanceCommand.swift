// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Collector
import Gateway
import Operations

struct MaintenanceCommand: ListedCommand {
    static let place = HelpPlace(.everyday, 60)
    static let configuration = CommandConfiguration(
        commandName: OperationName.maintenance.word,
        abstract: "Put a sensor into maintenance for a time, or end that.",
        discussion: """
            While a sensor is in maintenance, its problems are hidden on every surface behind a notice. Its values are collected as ever, \
            and its availability is told as it is.
            """,
        examples: [
            "martlet maintenance fridge --for 2h": "its battery is being changed",
            "martlet maintenance fridge --end": "it is back",
        ])

    @Argument(.maintenance, "sensor")
    var sensor: String

    @Option(name: .customLong("for"), help: ArgumentHelp("For how long: 90s, 10m, 2h, 3d.", valueName: "duration"))
    var length: DurationArgument?

    @Flag(help: "End the maintenance.")
    var end = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var control: ControlOptions

    func validate() throws {
        guard end != (length != nil) else { throw ValidationError("say for how long (--for 2h), or --end") }
    }

    func run() throws {
        let answer = try control.ask(OperationTable.maintenance, sensor: sensor) { $0.seconds = length?.seconds }
        if json { return Output.line(String(decoding: try ControlCoding.encode(answer), as: UTF8.self)) }
        let sensor = Text.plain(answer.sensor)
        Output.line(
            answer.forMs.map { "\(sensor) is in maintenance for \(SpokenTime.of($0))." }
                ?? "\(sensor) is not in maintenance any more.")
    }
}
