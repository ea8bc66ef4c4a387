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

    /// - Parameter fill: Writes the arguments beside `sensor`.
    func ask<Arguments, Result>(
        _ operation: TypedOperation<Arguments, Result>, sensor: String? = nil,
        _ fill: (inout ControlRequest) -> Void = { _ in }
    ) throws -> Result {
        var request = ControlRequest(operation.name, sensor: sensor)
        fill(&request)
        do {
            return try ControlClient.ask(operation, request, socket: path)
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
