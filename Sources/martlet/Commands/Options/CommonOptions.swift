// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Configuration
import Gateway
import Logging

struct ConfigurationOptions: ParsableArguments {
    @Option(name: [.short, .long], help: ArgumentHelp("The configuration file.", valueName: "file"))
    var config: String = GatewayConfiguration.defaultPath

    /// Reads the configuration. After a mistake, prints it and throws the exit status for configurations.
    func load(isCheck: Bool = false, freshName: String? = nil) throws -> GatewayConfiguration {
        do {
            return try GatewayConfiguration.load(path: config, isCheck: isCheck, freshName: freshName)
        } catch {
            Output.error(error.description)
            throw ExitStatus.configuration
        }
    }
}

struct LogOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How much to log: trace, debug, info, notice, warning, error, critical.", valueName: "level"))
    var logLevel: Logger.Level = .info

    func makeLogger() -> Logger {
        Logger(label: "martlet") { [logLevel] _ in LineLogHandler(level: logLevel) }
    }

    /// A logger that also fills a ring.
    func makeLogger(_ ring: LogRing) -> Logger {
        Logger(label: "martlet") { [logLevel] _ in ServiceLogHandler(ring, level: logLevel) }
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}

/// A controller, as named by `--controller`.
struct ControllerArgument: ExpressibleByArgument, Equatable {
    let text: String
    let name: ControllerName

    init?(argument: String) {
        guard let name = ControllerName(argument) else { return nil }
        text = argument
        self.name = name
    }
}
