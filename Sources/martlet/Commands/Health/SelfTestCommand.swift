// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Configuration
import CoreBluetooth
import Doctor
import Foundation
import Gateway
import Glibc
import Health
import Journal
import Operations

struct SelfTestCommand: ListedCommand {
    static let place = HelpPlace(.machine, 60)
    static let configuration = CommandConfiguration(
        commandName: "selftest", abstract: "Measure this board and its adapter, for a report that you may post.",
        discussion: """
            Measures the board, its temperature and power; the time of the disk for one write; the adapter, and its \
            number of advertisements a second. With --connect also the number of links, and the speed of a link: the \
            test connects to sensors of yours, and reads them. No address and no name is in the report. The adapter \
            must be free: a running gateway has it for itself. docs/boards.md says where reports are collected.
            """,
        examples: [
            "sudo martlet selftest": "half a minute",
            "sudo martlet selftest --connect C4:7C:8D:00:11:01": "a link, too",
            "martlet selftest --controller virtual --seconds 2": "without hardware",
            "sudo martlet selftest --json": "for programs",
        ])

    @OptionGroup var control: ControlOptions

    @Option(
        help: ArgumentHelp(
            "The controller: hci0, unix:PATH, tcp:HOST:PORT, serial:DEVICE,BAUD, virtual; the configured controller, or hci0, "
                + "if not given.", valueName: "controller"))
    var controller: String?

    @Option(help: ArgumentHelp("Listen for so many seconds: 1 to 3600.", valueName: "seconds"))
    var seconds = 30

    @Option(
        help: ArgumentHelp(
            "Connect to this sensor and measure links; give it once for each. martlet scan shows addresses.",
            valueName: "address"))
    var connect: [String] = []

    @Option(help: ArgumentHelp("Measure the disk of this folder; that of the journal if not given.", valueName: "path"))
    var folder: String?

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        if let controller, ControllerName(controller) == nil {
            throw ValidationError("Unknown controller: \(controller)")
        }
        guard connect.allSatisfy({ InspectCommand.normalized($0) != nil }), connect.count <= 64 else {
            throw ValidationError("--connect takes an address like C4:7C:8D:00:11:22, at most 64 times")
        }
        guard (1...3_600).contains(seconds) else { throw ValidationError("--seconds is 1 to 3600") }
    }

    func run() throws {
        let configuration = try configuration()
        let name = controller ?? configuration.bluetooth.controller
        if controller == nil, (try? ControlClient.ask(OperationTable.status, socket: control.path)) != nil {
            let stop = AdvisedCommand.machine(.stop).line(on: .here(configuration: control.config))
            Output.error(
                "a gateway runs, and has \(name) for itself: stop it for as long as this takes (\(stop)), "
                    + "or name another adapter with --controller")
            throw ExitStatus.failure
        }
        let opened = try OpenController(named: name)
        let place = folder ?? Self.folder(for: configuration.journal.path)
        let test = SelfTest(
            controller: name, transport: opened.transport, folder: place, time: .seconds(seconds),
            sensors: Set(connect.compactMap(InspectCommand.normalized)))
        let showsProgress = !json && Output.isTerminal
        let report = withExtendedLifetime(opened) {
            test.run { step in if showsProgress { Output.raw("\r\u{1B}[K\(step)…") } }
        }
        if showsProgress { Output.raw("\r\u{1B}[K") }
        if json {
            Output.line(String(decoding: try ControlCoding.encode(report), as: UTF8.self))
        } else {
            Output.line(SelfTestText.lines(report, folder: place).joined(separator: "\n"))
        }
        if report.adapter == nil || report.disk == nil { throw ExitStatus.failure }
    }

    /// The configuration. Defaults if the standard file does not exist yet.
    private func configuration() throws -> GatewayConfiguration {
        do throws(ConfigurationError) {
            return try GatewayConfiguration.load(path: control.config)
        } catch {
            if control.config == GatewayConfiguration.defaultPath, access(control.config, F_OK) != 0 {
                return GatewayConfiguration(gateway: "")
            }
            Output.error(error.description)
            throw ExitStatus.configuration
        }
    }

    /// The journal's folder. Before the first start, the nearest existing parent, on the same disk.
    static func folder(for journal: String) -> String {
        var folder = (journal as NSString).standardizingPath
        while folder.count > 1 {
            folder = (folder as NSString).deletingLastPathComponent
            if folder.isEmpty { folder = "." }
            if access(folder, F_OK) == 0 { break }
        }
        // A user without the right to write there measures in the temporary folder.
        return access(folder, W_OK) == 0 ? folder : NSTemporaryDirectory()
    }
}
