// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Gateway
import Glibc
import Operations
import Readings

/// Not for people: `martlet-update@.service` runs the command.
struct UpdateHelperCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update-helper",
        abstract: "Look for an update, or install it, for the service, which has no privileges of its own.",
        discussion: "The word that comes over the socket that is the standard input says which of the two.",
        shouldDisplay: false)

    @OptionGroup var control: ControlOptions

    func run() throws {
        guard let action = UpdateHelper.action(from: STDIN_FILENO) else {
            Output.error("a question is one word, check or install")
            throw ExitStatus.failure
        }
        do {
            try Self.serve(
                action, source: { try UpdateCommand.configuredSource(control.config) }, on: ImageSystem(),
                UpdateReporter(socket: control.path), restart: UpdateCommand.restart)
        } catch {
            Output.error("\(error)")
            throw ExitStatus.failure
        }
    }

    /// Reports every failure to the gateway, too.
    static func serve(
        _ action: UpdateAction, source: () throws -> String, on image: ImageSystem, _ reporter: UpdateReporter,
        restart: () throws -> Void
    ) throws {
        let url: String
        do {
            url = try source()
        } catch {
            reporter.tell(UpdateReport(.failed, error: "\(error)"))
            reporter.finish()
            throw error
        }
        switch action {
        case .check: _ = try UpdateCommand.look(at: url, on: image, force: false, reporter)
        case .install:
            try UpdateCommand.install(url, on: image, force: false, reporter)
            try restart()
        }
    }
}
