// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Gateway

struct BufferCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "buffer", abstract: "Look at the journal of readings, and at how it goes out.",
        subcommands: [
            StatsCommand.self, ExportCommand.self, PurgeCommand.self, CompactCommand.self, PauseCommand.self,
            ResumeCommand.self, DrainCommand.self,
        ])

    struct StatsCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stats", abstract: "Show how many readings came in, went out, and wait.")

        @OptionGroup var control: ControlOptions

        @Flag(help: "Print JSON.")
        var json = false

        func run() throws {
            let books = try control.ask(.bufferStats, as: JournalStatistics.self)
            Output.line(json ? try Self.json(books) : StatusText.journal(books).joined(separator: "\n"))
        }

        private static func json(_ books: JournalStatistics) throws -> String {
            String(decoding: try ControlCoding.encode(books), as: UTF8.self)
        }
    }
}
