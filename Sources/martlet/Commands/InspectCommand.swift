// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreBluetooth
import Dispatch
import Foundation
import Gateway
import Synchronization

struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show what a sensor has, and print the entry that collects it.",
        discussion: """
            Listens until the sensor is heard. One that advertises its values is not connected to; of another, the services \
            and characteristics are shown, with the values that it gives to read, and those that a [[sensor]] entry would \
            subscribe to. The entry goes to standard output, everything else to standard error.
            The controller must be free: a running gateway has it for itself (systemctl stop martlet). Nothing is written, \
            and nothing is paired.
            """,
        examples: [
            "martlet inspect C4:7C:8D:00:11:22": "by hci0",
            "martlet inspect C4:7C:8D:00:11:22 --json": "for programs",
            "martlet inspect C4:7C:8D:00:11:04 --controller virtual": "a simulated sensor",
        ])

    @Argument(help: "The sensor's address, as martlet scan shows it.")
    var address: String

    @Option(
        help: ArgumentHelp(
            "The controller: hci0, unix:PATH, tcp:HOST:PORT, serial:DEVICE,BAUD, virtual.", valueName: "controller"))
    var controller = "hci0"

    @Option(help: ArgumentHelp("How long to listen for the sensor.", valueName: "seconds"))
    var seconds = 30.0

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard ControllerName(controller) != nil else { throw ValidationError("Unknown controller: \(controller)") }
        guard seconds > 0, seconds <= 3_600 else { throw ValidationError("--seconds is more than 0, and 3600 at most") }
        guard Self.normalized(address) != nil else {
            throw ValidationError("An address is like C4:7C:8D:00:11:22; martlet scan shows those that are near.")
        }
    }

    static func normalized(_ text: String) -> String? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy { $0.isASCII && $0.isHexDigit } })
        else { return nil }
        return text.uppercased()
    }

    func run() throws {
        for issue in DecoderFiles.installAll() { Output.error("Warning: \(issue)") }
        let opened = try OpenController(named: controller)
        let host = CBController(transport: opened.transport, stateDirectory: nil)
        defer { withExtendedLifetime(opened) { host.shutdown() } }
        let inspection = Inspection(
            address: Self.normalized(address) ?? address, controller: host, patience: .seconds(seconds))
        let outcome = Mutex<Result<Inspection.Report, Inspection.Failure>>(.failure(.init("it was interrupted")))
        let done = DispatchSemaphore(value: 0)
        let task = Task {
            let result: Result<Inspection.Report, Inspection.Failure>
            do throws(Inspection.Failure) {
                result = .success(try await inspection.run())
            } catch {
                result = .failure(error)
            }
            outcome.withLock { $0 = result }
            done.signal()
        }
        let signals = SignalWatch()
        signals.on(SIGTERM, SIGINT, queue: DispatchQueue(label: "martlet.inspect")) {
            task.cancel()
            done.signal()
        }
        done.wait()
        withExtendedLifetime(signals) {}
        switch outcome.withLock({ $0 }) {
        case .success(let report):
            if json {
                Output.line(String(decoding: try ControlCoding.encode(report), as: UTF8.self))
            } else {
                for line in report.lines { Output.error(line) }
                Output.line(report.entry)
            }
        case .failure(let failure):
            Output.error("\(address): \(failure.text)")
            throw ExitStatus.failure
        }
    }
}
