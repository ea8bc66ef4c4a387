// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Gateway

struct ForgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: OperationName.forget.word,
        abstract: "Have a running gateway collect no longer from a sensor that was accepted.",
        discussion: """
            SENSOR is its id or its address. Only what martlet accept or a phone has accepted is forgotten: an entry in a \
            configuration file is yours to remove. Its keys stay: martlet unpair forgets those.
            """,
        examples: [
            "martlet forget fridge": "by its id",
            "martlet forget C4:7C:8D:00:11:22": "by its address",
        ])

    @Argument(help: "The sensor.")
    var sensor: String

    @OptionGroup var control: ControlOptions

    func run() throws {
        let name = try control.ask(.forget, sensor: sensor, as: String.self)
        Output.line("\(name) is not collected from any more.")
    }
}
