// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Configuration
import Gateway
import Glibc
import Journal
import Operations
import Platform
import Readings

extension BufferCommand {
    struct StatsCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: OperationName.bufferStats.word,
            abstract: "Show how many readings came in, went out, and wait.",
            discussion: """
                Asks the running gateway. Without one, reads the journal's file, and says so; the gateway's own figures are \
                missing then.
                """,
            examples: [
                "martlet buffer stats": "from the running gateway",
                "martlet buffer stats --journal copy.db --json": "from a file, for programs",
            ])

        @OptionGroup var control: ControlOptions

        @Option(help: ArgumentHelp("Read this journal, without asking the gateway.", valueName: "path"))
        var journal: String?

        @Flag(help: "Print JSON.")
        var json = false

        func run() throws {
            let books = try books()
            let lines = StatusText.journal(books) + StatusText.sensors(books)
            Output.line(
                json
                    ? String(decoding: try ControlCoding.encode(books), as: UTF8.self) : lines.joined(separator: "\n"))
        }

        private func books() throws -> JournalStatistics {
            if let journal { return try Self.read(journal) }
            do {
                return try ControlClient.ask(OperationTable.bufferStats, socket: control.path)
            } catch let error where control.socket == nil && error.meansNoGateway {
                var options = ConfigurationOptions()
                options.config = control.config
                return try Self.read(try options.load().journal.path)
            } catch {
                throw ControlOptions.failure(error)
            }
        }

        private static func read(_ path: String) throws -> JournalStatistics {
            do {
                return try JournalOptions.withRights(to: path) {
                    try JournalStatistics(readingFrom: path, clock: .system)
                }
            } catch let error as JournalError {
                throw JournalOptions.failure(error)
            }
        }
    }
}

extension ControlError {
    /// No process listens on the socket.
    var meansNoGateway: Bool {
        switch self {
        case .system(_, _, ENOENT), .system(_, _, ECONNREFUSED): true
        default: false
        }
    }
}
