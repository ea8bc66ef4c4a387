// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Configuration
import CoreBluetooth
import Dispatch
import Foundation
import Gateway
import Glibc

struct ScanCommand: ListedCommand {
    static let place = HelpPlace(.sensor, 10)
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Show what advertises nearby.",
        discussion: """
            On a terminal a table that is kept up to date, strongest first; otherwise a line for each device when it is \
            first seen. With --json one JSON object a line for each sighting.
            The controller must be free: a running gateway has it for itself. Without a controller it ends at once, with \
            status 1, and says what to do.
            """,
        examples: [
            "martlet scan": "by hci0, until Ctrl-C",
            "martlet scan --seconds 5 --json": "for programs",
            "martlet scan --controller tcp:127.0.0.1:7400": "a controller elsewhere",
            "martlet scan --controller virtual": "simulated sensors",
        ])

    /// Seconds that the set-up of a controller may take: longer than the retries at a busy adapter.
    private static let patience = 15.0

    @Option(
        help: ArgumentHelp(
            "The controller: hci0, unix:PATH, tcp:HOST:PORT, serial:DEVICE,BAUD, virtual.", valueName: "controller"))
    var controller = "hci0"

    @Option(help: ArgumentHelp("End after so many seconds; without it, when interrupted.", valueName: "seconds"))
    var seconds: Double?

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard ControllerName(controller) != nil else { throw ValidationError("Unknown controller: \(controller)") }
        if let seconds, !(seconds > 0 && seconds <= 1e6) { throw ValidationError("--seconds is more than 0") }
    }

    func run() throws {
        for issue in DecoderFiles.installAll() { Output.error("Warning: \(issue)") }
        let opened = try OpenController(named: controller)
        let host = CBController(transport: opened.transport, stateDirectory: nil, pairing: .neverByItself, words: .here)
        let style: ScanList.Style = json ? .json : Output.isTerminal ? .table : .lines
        let list = ScanList(controller: host, style: style)
        let signals = SignalWatch()
        signals.on(SIGTERM, SIGINT, queue: list.queue) { list.finish() }
        list.start()
        // The time begins with a working controller.
        if list.begun.wait(timeout: .now() + Self.patience) == .success {
            _ = list.finished.wait(timeout: seconds.map { DispatchTime.now() + $0 } ?? .distantFuture)
        } else {
            list.fail(
                "\(controller): no controller has answered in \(Int(Self.patience)) s. Is it one, and does it speak H4?"
            )
        }
        let failure = list.stop()
        withExtendedLifetime((signals, opened)) { host.shutdown() }
        if let failure {
            Output.error(failure)
            throw ExitStatus.failure
        }
    }
}
