// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Configuration
import Gateway
import Journal
import Platform

/// Names the journal to read, without asking the gateway.
struct JournalOptions: ParsableArguments {
    @Option(name: [.short, .long], help: ArgumentHelp("The gateway's configuration file.", valueName: "file"))
    var config: String = GatewayConfiguration.defaultPath

    @Option(help: ArgumentHelp("The journal; that of the configuration if not given.", valueName: "path"))
    var journal: String?

    /// The configuration. If it has mistakes and a journal was named, the default configuration with this journal.
    func load() throws -> GatewayConfiguration {
        do {
            var configuration = try GatewayConfiguration.load(path: config)
            if let journal { configuration.journal.path = journal }
            return configuration
        } catch {
            guard let journal else {
                Output.error(error.description)
                throw ExitStatus.configuration
            }
            var configuration = GatewayConfiguration(gateway: "")
            configuration.journal.path = journal
            return configuration
        }
    }

    /// Works at a path with the rights of its owner, or prints the reason for a failure.
    static func withRights<Result>(to path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try PathOwner.run(at: path, body)
        } catch let error as PathOwner.Failure {
            Output.error("\(path): \(error)")
            throw ExitStatus.failure
        }
    }

    /// Prints the journal's error, and returns the exit status.
    static func failure(_ error: JournalError) -> ExitCode {
        Output.error("\(error)")
        return ExitStatus.failure
    }
}
