// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Collector
import Gateway
import Operations

struct AcknowledgeCommand: ListedCommand {
    static let place = HelpPlace(.everyday, 50)
    static let configuration = CommandConfiguration(
        commandName: OperationName.acknowledge.word,
        abstract: "Tell a running gateway that you know of a problem.",
        discussion: """
            PROBLEM is the word behind the ! in martlet status (a sensor, or a part of the gateway), or the name of one problem, like \
            sensor-silent:fridge (the code in martlet status --json, and the sensor). The problem stays on every surface, as a notice: \
            it raises no alarm, and martlet doctor ends with 0. Without --for the acknowledgement ends with the problem.
            """,
        examples: [
            "martlet acknowledge fridge": "until its problems are over",
            "martlet acknowledge disk-low --for 7d": "and then it is a problem again",
            "martlet acknowledge disk-low --end": "at once",
        ])

    @Argument(.acknowledge, "problem")
    var problem: String

    @Option(name: .customLong("for"), help: ArgumentHelp("For how long: 90s, 10m, 2h, 3d.", valueName: "duration"))
    var length: DurationArgument?

    @Flag(help: "Take it back.")
    var end = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var control: ControlOptions

    func validate() throws {
        guard !end || length == nil else { throw ValidationError("--end and --for exclude each other") }
    }

    func run() throws {
        let answer = try control.ask(OperationTable.acknowledge) { request in
            (request.problem, request.seconds, request.end) = (problem, length?.seconds, end ? true : nil)
        }
        if json { return Output.line(String(decoding: try ControlCoding.encode(answer), as: UTF8.self)) }
        let names = answer.problems.map { Text.plain($0) }.joined(separator: ", ")
        if answer.isEnded == true { return Output.line("Not acknowledged any more: \(names).") }
        let time = answer.forMs.map { "for " + SpokenTime.of($0) } ?? "until it is over"
        Output.line("Acknowledged \(time): \(names).")
    }
}
