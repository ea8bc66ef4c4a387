// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Gateway
import Operations

/// Names a characteristic of a sensor linked to a running gateway.
struct CharacteristicOptions: ParsableArguments {
    @Argument(.read, "sensor")
    var sensor: String

    @Argument(.read, "characteristic")
    var characteristic: String
}

struct ReadCommand: ListedCommand {
    static let place = HelpPlace(.sensor, 120)
    static let configuration = CommandConfiguration(
        commandName: OperationName.read.word,
        abstract: "Read a characteristic of a sensor that a running gateway has a link to.",
        discussion: """
            The value goes to the terminal alone: it is no reading. For a sensor that the gateway does not collect from there is \
            martlet inspect.
            """,
        examples: [
            "martlet read kitchen battery_service/battery_level": "by their names",
            "martlet read kitchen 180f/2a19 --json": "by UUIDs, for programs",
        ])

    @OptionGroup var target: CharacteristicOptions

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var control: ControlOptions

    func run() throws {
        let answer = try control.ask(OperationTable.read, sensor: target.sensor) {
            $0.characteristic = target.characteristic
        }
        if json { return Output.line(String(decoding: try ControlCoding.encode(answer), as: UTF8.self)) }
        Output.line(answer.value + (answer.text.map { "  \(Text.plain($0))" } ?? ""))
    }
}

struct WriteCommand: ListedCommand {
    static let place = HelpPlace(.sensor, 130)
    static let configuration = CommandConfiguration(
        commandName: OperationName.write.word,
        abstract: "Write a characteristic of a sensor that a running gateway has a link to.",
        discussion: """
            The sensor is asked to confirm the value where the characteristic can; what it refuses is told with its ATT error. \
            Characteristics of the services 1800 and 1801, and descriptors, are never written.
            """,
        examples: [
            "martlet write kitchen 180d/2a39 01": "one octet",
            "martlet write lamp ffe0/ffe1 6f6e --no-response": "without an answer",
        ])

    @OptionGroup var target: CharacteristicOptions

    @Argument(.write, "value")
    var value: String

    @Flag(
        inversion: .prefixedNo, help: "Have the sensor confirm it, or not; what the characteristic takes, if not given."
    )
    var response: Bool?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var control: ControlOptions

    func run() throws {
        let answer = try control.ask(OperationTable.write, sensor: target.sensor) { request in
            request.characteristic = target.characteristic
            (request.value, request.response) = (value, response)
        }
        if json { return Output.line(String(decoding: try ControlCoding.encode(answer), as: UTF8.self)) }
        Output.line(
            answer.response
                ? "\(answer.sensor) has taken it." : "It was sent to \(answer.sensor), which does not confirm it.")
    }
}
