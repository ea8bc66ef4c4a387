// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Gateway
import Operations

/// Options for commands about the readings that wait to go out as history.
struct HistoryOptions: ParsableArguments {
    @OptionGroup var control: ControlOptions

    @Flag(help: "Print JSON.")
    var json = false

    func ask(_ command: TypedOperation<OperationTable.Nothing, HistoryAnswer>, _ done: String) throws {
        let answer = try control.ask(command)
        if json {
            Output.line(String(decoding: try ControlCoding.encode(answer), as: UTF8.self))
        } else {
            Output.line("\(done); \(answer.buffered) readings wait in the journal")
        }
    }
}

struct PauseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: OperationName.bufferPause.word, abstract: "Hold back what waits; live values go on.",
        discussion: "Holds until `martlet buffer resume` or `drain`, or until the gateway is restarted.",
        examples: ["martlet buffer pause": "until martlet buffer resume"])

    @OptionGroup var options: HistoryOptions

    func run() throws { try options.ask(OperationTable.bufferPause, "history is paused") }
}

struct ResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: OperationName.bufferResume.word, abstract: "Let what waits go out again, at its rate.",
        examples: ["martlet buffer resume": "at the rate of the configuration"])

    @OptionGroup var options: HistoryOptions

    func run() throws { try options.ask(OperationTable.bufferResume, "history goes out at its rate") }
}

struct DrainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: OperationName.bufferDrain.word, abstract: "Send what waits as fast as the broker takes it.",
        discussion: "The rate of mqtt.history_rows_per_second holds again when everything has gone out.",
        examples: ["martlet buffer drain": "without a rate, until all is sent"])

    @OptionGroup var options: HistoryOptions

    func run() throws { try options.ask(OperationTable.bufferDrain, "history is being drained") }
}
