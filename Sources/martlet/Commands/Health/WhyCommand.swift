// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Collector
import Foundation
import Gateway
import Operations

struct WhyCommand: ListedCommand {
    static let place = HelpPlace(.everyday, 30)
    static let configuration = CommandConfiguration(
        commandName: OperationName.why.word,
        abstract: "Say why a sensor reconnected, is silent, or does not come.",
        discussion: """
            SENSOR is an id, an address, an identifier or a name: of a collected sensor, of an awaited sensor, or of a \
            device in the air. First comes the answer, then the remedy, the number of links that ended in the last 24 \
            hours, and the events, the newest last.
            """,
        examples: [
            "martlet why greenhouse": "by its id in topics",
            "martlet why C4:7C:8D:00:11:22": "by its address",
            "martlet why greenhouse --json": "for programs",
        ])

    @Argument(.why, "sensor")
    var sensor: String

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var control: ControlOptions

    func run() throws {
        let explanation = try control.ask(OperationTable.why, sensor: sensor)
        if json {
            Output.line(String(decoding: try ControlCoding.encode(explanation), as: UTF8.self))
            return
        }
        let columns = Output.isTerminal ? Output.size.columns : nil
        for line in Paint.lines(WhyText.lines(explanation, columns: columns, zone: .current)) { Output.line(line) }
    }
}
