// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Glibc
import NetworkControl

/// Not for people: `martlet-network@.service` runs the command.
struct NetworkHelperCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "network-helper",
        abstract: "Change the network for the service, which has no privileges of its own.",
        discussion: "Questions are answered over the socket that is the standard input, until its end.",
        shouldDisplay: false)

    func run() throws {
        NetworkHelper(environment: ProcessInfo.processInfo.environment, log: { Output.error($0) })
            .serve(over: STDIN_FILENO)
    }
}
