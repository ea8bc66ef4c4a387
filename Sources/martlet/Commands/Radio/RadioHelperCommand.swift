// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Gateway
import Glibc

/// Not for people: `martlet-radio@.service` runs the command.
struct RadioHelperCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "radio-helper",
        abstract: "Bring an adapter back for the service, which has no privileges of its own.",
        discussion: "The line that comes over the socket that is the standard input says how.",
        shouldDisplay: false)

    func run() throws {
        RadioHelper.answer(over: STDIN_FILENO, reboot: UpdateCommand.restart)
    }
}
