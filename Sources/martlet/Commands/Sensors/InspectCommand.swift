// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothCore
import Collector
import Configuration
import CoreBluetooth
import Dispatch
import Doctor
import Foundation
import Gateway
import Health
import Operations
import Synchronization

struct InspectCommand: ListedCommand {
    static let place = HelpPlace(.sensor, 30)
    static let configuration = CommandConfiguration(
        commandName: OperationName.inspect.word,
        abstract: "Show the characteristics of a sensor, and print an entry for the sensor.",
        discussion: """
            Listens until the sensor is heard. Connects, unless the sensor advertises its values, and shows services \
            and characteristics, readable values, and the values for a [[sensor]] entry to subscribe to. The entry \
            goes to standard output, everything else to standard error. Nothing is written, and nothing is paired.
            A running gateway answers, beside its collection. Without a gateway, or with --controller, this command \
            opens the controller itself.
            """,
        examples: [
            "martlet inspect C4:7C:8D:00:11:22": "by the running gateway, else by hci0",
            "martlet inspect greenhouse": "a sensor that the gateway knows",
            "martlet inspect C4:7C:8D:00:11:22 --json": "for programs",
            "martlet inspect C4:7C:8D:00:11:04 --controller virtual": "a simulated sensor",
        ])

    @Argument(
        help: "The sensor's address, as martlet scan shows it, or a name that a running gateway knows.",
        completion: SensorCompletion.kind)
    var address: String

    @Option(
        help: ArgumentHelp(
            "Open this controller: hci0, unix:PATH, tcp:HOST:PORT, serial:DEVICE,BAUD, virtual.",
            valueName: "controller"))
    var controller: String?

    @Option(help: ArgumentHelp("How long to listen for the sensor.", valueName: "seconds"))
    var seconds = 30.0

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var control: ControlOptions

    func validate() throws {
        if let controller, ControllerName(controller) == nil {
            throw ValidationError("Unknown controller: \(controller)")
        }
        guard seconds > 0, seconds <= 120 else { throw ValidationError("--seconds is more than 0, and 120 at most") }
    }

    static func normalized(_ text: String) -> String? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy { $0.isASCII && $0.isHexDigit } })
        else { return nil }
        return text.uppercased()
    }

    func run() throws {
        let address = try Self.normalized(address) ?? addressOfNamed(address)
        guard let report = try reportOfGateway(address) ?? ownReport(address) else { throw ExitStatus.failure }
        if json {
            Output.line(String(decoding: try ControlCoding.encode(report), as: UTF8.self))
        } else {
            for line in report.lines { Output.error(line) }
            Output.line(report.entry)
        }
    }

    // MARK: Names

    /// The address of a sensor of a running gateway, of a device near the gateway, or of an entry of the configuration.
    private func addressOfNamed(_ name: String) throws -> String {
        var lister = AdvisedCommand.martlet(.devices)
        var meant: String?
        do throws(ControlError) {
            let status = try ControlClient.ask(OperationTable.status, socket: control.path)
            if let found = try Self.address(of: name, in: status, &meant) { return found }
            let heard = try ControlClient.ask(OperationTable.devices, socket: control.path)
            if let device = heard.first(where: { $0.name == name }) { return device.address }
        } catch {
            guard error.saysThatNobodyListens, control.socket == nil else { throw ControlOptions.failure(error) }
            lister = .martlet(.scan)
            let rules = (try? GatewayConfiguration.load(path: control.config))?.sensors ?? []
            if let address = rules.first(where: { $0.id == name || $0.name == name })?.address {
                return DeviceAddress(kind: .public, value: address).description
            }
        }
        if let meant {
            Output.error(Text.plain("\(name): no sensor is called so here – did you mean \(meant)?"))
            throw ExitStatus.usage
        }
        let advice: Advice =
            "\(Text.plain(name)): no sensor with an address is called so here. An address is like C4:7C:8D:00:11:22; \(lister) shows those that are near."
        Output.error(advice.text(on: .here(configuration: control.config)))
        throw ExitStatus.usage
    }

    /// - Parameter meant: Becomes the probable name of an unknown sensor.
    private static func address(
        of name: String, in status: GatewayStatus, _ meant: inout String?
    ) throws(ControlError) -> String? {
        do throws(DeviceName.Unclear) {
            switch try status.collector.named(name) {
            case .sensor(let sensor): return sensor.address
            case .awaited(let entry): return entry.address
            }
        } catch {
            guard error.isUnknown else { throw .refused(error.description) }
            meant = error.meant
            return nil
        }
    }

    // MARK: By a running gateway

    /// Nil if no gateway runs, or if a controller is named.
    private func reportOfGateway(_ address: String) throws -> InspectionReport? {
        guard controller == nil else { return nil }
        var request = ControlRequest(.inspect, address: address)
        request.seconds = seconds
        do throws(ControlError) {
            var conversation: ControlConversation
            do throws(ControlError) {
                conversation = try ControlConversation.begin(request, socket: control.path)
            } catch {
                // A person who names a socket wants only this gateway.
                if error.saysThatNobodyListens, control.socket == nil { return nil }
                throw error
            }
            while true {
                while let line = conversation.takeLine() {
                    if let report = try reported(by: line, address) { return report }
                }
                try conversation.wait()
            }
        } catch .refused(let reason) {
            Output.error("\(address): \(Text.plain(reason))")
            throw ExitStatus.failure
        } catch {
            throw ControlOptions.failure(error)
        }
    }

    /// The report; nil for a line with a step.
    private func reported(by line: [UInt8], _ address: String) throws(ControlError) -> InspectionReport? {
        let response: ControlResponse<InspectionMessage>
        do {
            response = try ControlCoding.decode(ControlResponse<InspectionMessage>.self, from: line)
        } catch {
            throw .malformedAnswer("\(error)")
        }
        guard response.ok, let message = response.result else {
            throw .refused(response.error ?? "no reason given")
        }
        if let step = message.step { Output.error(step.line(of: address)) }
        return message.report
    }

    // MARK: By a controller of its own

    /// Nil after a failure, which has been printed.
    private func ownReport(_ address: String) throws -> InspectionReport? {
        for issue in DecoderFiles.installAll() { Output.error("Warning: \(issue)") }
        let opened = try OpenController(named: controller ?? "hci0")
        let host = CBController(transport: opened.transport, stateDirectory: nil, pairing: .neverByItself, words: .here)
        defer { withExtendedLifetime(opened) { host.shutdown() } }
        let inspection = SensorInspection(
            of: address, by: host, patience: .seconds(seconds), lister: .martlet(.scan),
            on: .here(configuration: control.config)
        ) {
            Output.error($0.line(of: address))
        }
        let outcome = Mutex<Result<InspectionReport, SensorInspection.Failure>?>(nil)
        let done = DispatchSemaphore(value: 0)
        let task = Task {
            let result: Result<InspectionReport, SensorInspection.Failure>
            do throws(SensorInspection.Failure) {
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
        case .success(let report): return report
        case .failure(let failure): Output.error("\(address): \(failure.text)")
        case nil: Output.error("\(address): it was interrupted")
        }
        return nil
    }
}
