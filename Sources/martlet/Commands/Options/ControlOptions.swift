// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Configuration
import Gateway
import Operations

/// Options to reach a running gateway.
struct ControlOptions: ParsableArguments {
    @Option(name: [.short, .long], help: ArgumentHelp("The gateway's configuration file.", valueName: "file"))
    var config: String = GatewayConfiguration.defaultPath

    @Option(
        help: ArgumentHelp("The gateway's control socket; that of the configuration if not given.", valueName: "path"))
    var socket: String?

    func ask<Result: Codable & Sendable>(
        _ operation: OperationName, sensor: String? = nil, as type: Result.Type
    ) throws -> Result {
        try ask(ControlRequest(operation, sensor: sensor), as: type)
    }

    func ask<Result: Codable & Sendable>(_ request: ControlRequest, as type: Result.Type) throws -> Result {
        do {
            return try ControlClient.ask(request, socket: path, as: type)
        } catch {
            throw Self.failure(error)
        }
    }

    /// Prints the error, and returns the exit status.
    static func failure(_ error: ControlError) -> ExitCode {
        Output.error("\(error)\(hint(for: error))")
        return ExitStatus.failure
    }

    var path: String { Self.path(socket: socket, config: config) }

    /// The named socket, or the configuration's socket.
    static func path(socket: String?, config: String) -> String {
        // The user may lack the right to read the configuration, whose secrets are not needed here. Then the default
        // path is used.
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
