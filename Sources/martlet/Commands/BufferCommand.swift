// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Gateway

struct BufferCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "buffer", abstract: "Look at the journal of readings.", subcommands: [StatsCommand.self])

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

/// How to reach a running gateway.
struct ControlOptions: ParsableArguments {
    @Option(name: [.short, .long], help: ArgumentHelp("The gateway's configuration file.", valueName: "file"))
    var config: String = GatewayConfiguration.defaultPath

    @Option(
        help: ArgumentHelp("The gateway's control socket; that of the configuration if not given.", valueName: "path"))
    var socket: String?

    func ask<Result: Codable & Sendable>(_ command: ControlRequest.Command, as type: Result.Type) throws -> Result {
        do {
            return try ControlClient.ask(command, socket: path, as: type)
        } catch {
            Output.error("\(error)\(Self.hint(for: error))")
            throw ExitStatus.failure
        }
    }

    private var path: String {
        // Whoever asks may not be allowed to read the configuration, and its secrets are not needed here.
        socket ?? (try? GatewayConfiguration.load(path: config))?.controlSocket
            ?? GatewayConfiguration(gateway: "").controlSocket
    }

    private static func hint(for error: ControlError) -> String {
        switch error {
        case .system(_, _, 2), .system(_, _, 111): " – is the gateway running?"
        case .system(_, _, 13): " – only root and the gateway's group may ask"
        default: ""
        }
    }
}
