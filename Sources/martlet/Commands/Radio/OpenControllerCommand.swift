// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Gateway
import Glibc
import HCITransport

/// Not for people: `martlet-controller@.service` runs the command.
struct OpenControllerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open-controller",
        abstract: "Open a controller for the service, which has no privileges of its own.",
        discussion: "One question is answered, over the socket that is the standard input.",
        shouldDisplay: false)

    func run() throws {
        do {
            try UserChannelHelper.answer(over: STDIN_FILENO) { index throws(TransportError) in
                try UserChannel.open(index: index, .here)
            }
        } catch {
            // The asking service logs the failure itself, and asks again.
            guard error.kind == .other else { return }
            Output.error("\(error)")
            throw ExitStatus.failure
        }
    }
}
