// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Configuration
import CoreBluetooth
import Dispatch
import Foundation
import Gateway
import Glibc
import Provisioning
import Synchronization

struct ConfigureCommand: ListedCommand {
    static let place = HelpPlace(.settingUp, 20)
    static let configuration = CommandConfiguration(
        commandName: "configure",
        abstract: "Set up another gateway over the air, as a phone does.",
        discussion: ConfigureHelp.text,
        examples: [
            "martlet configure": "lists the gateways nearby",
            "martlet configure attic --passkey - --status --log": "the first time, with its passkey",
            "martlet configure attic --broker mqtt.local:8883 --tls": "its broker",
            "martlet configure attic --sensors": "what it hears",
            "martlet configure attic --accept C4:7C:8D:00:11:22=kitchen": "collects from a sensor",
        ])

    @Argument(help: "The gateway's name or address; the only one near if not given.")
    var device: String?

    @OptionGroup(title: "Pairing") var pairing: ConfigurePairingOptions
    @OptionGroup(title: "Settings, which are applied, proved, and then kept") var settings: ConfigureSettingOptions
    @OptionGroup(title: "Sensors and actions") var actions: ConfigureActionOptions

    @Flag(help: "Print JSON, one object a line.")
    var json = false

    @Option(help: ArgumentHelp("Look for gateways, and listen for sensors, for so long.", valueName: "seconds"))
    var seconds = 8.0

    @Option(
        help: ArgumentHelp(
            "The controller of this machine: hci0, unix:PATH, tcp:HOST:PORT, serial:DEVICE,BAUD.",
            valueName: "controller"))
    var controller = "hci0"

    @Option(
        help: ArgumentHelp(
            "The folder for the keys of gateways; $XDG_STATE_HOME/martlet or ~/.local/state/martlet if not given.",
            valueName: "folder"))
    var stateDirectory: String?

    func validate() throws {
        guard ControllerName(controller) != nil else { throw ValidationError("Unknown controller: \(controller)") }
        guard seconds > 0, seconds <= 3600 else { throw ValidationError("--seconds is more than 0, and 3600 at most") }
        let inputs: [String?] =
            [pairing.passkey, pairing.passkeyFile, settings.wifiPasswordFile, settings.passwordFile]
            + actions.passkeyFiles.map(\.file)
        if inputs.contains("-"), device == nil, isatty(STDIN_FILENO) != 1 {
            // Secrets meant for one gateway must not go to any gateway that is near.
            throw ValidationError("Name the gateway when secrets come from standard input")
        }
    }

    func run() throws {
        let signals = SignalWatch()
        signals.on(SIGINT, SIGTERM, queue: DispatchQueue(label: "martlet.signals")) {
            TerminalInput.showTyping()
            Glibc.exit(ExitStatus.failure.rawValue)
        }
        defer { withExtendedLifetime(signals) {} }
        var input = TerminalInput()
        let passkey = try pairing.passkey(&input)
        var plan = try settings.plan(&input)
        try actions.add(to: &plan, &input)
        try check(plan)
        let folder = try makeStateDirectory()
        let opened = try OpenController(named: controller)
        let host = CBController(
            transport: opened.transport, stateDirectory: folder, pairing: .neverByItself, words: .here)
        defer { withExtendedLifetime(opened) { host.shutdown() } }
        let report: any ConfigureReport =
            json
            ? ConfigureJSON(Output.line)
            : ConfigureScreen(columns: Output.size.columns, isLive: Output.isTerminal, Output.raw)
        let session = ConfigureSession(
            controller: host, device: device, plan: plan, passkey: passkey, report: report,
            // A named gateway may be far away. Its search ends once it is heard.
            search: .seconds(device == nil ? seconds : max(seconds, 30)), listening: .seconds(seconds))
        guard session.run() else { throw ExitStatus.failure }
    }

    /// A gateway is named, and nothing is to be done with it: says what to type.
    func check(_ plan: ConfigurePlan) throws {
        guard plan.isEmpty, let device else { return }
        Output.error(ConfigureText.calls(for: device).joined(separator: "\n"))
        throw ExitStatus.usage
    }

    private func makeStateDirectory() throws -> String {
        let environment = ProcessInfo.processInfo.environment
        let base = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let folder = stateDirectory ?? (base ?? NSHomeDirectory() + "/.local/state") + "/martlet"
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            Output.error("\(folder) cannot be made, where the keys of gateways are kept: \(error.localizedDescription)")
            throw ExitStatus.failure
        }
        return folder
    }
}

/// One call, from the search to the end.
///
/// `@unchecked Sendable`: only the task of ``run()`` uses the variables.
final class ConfigureSession: @unchecked Sendable {
    private let controller: CBController
    private let device: String?
    private let plan: ConfigurePlan
    private let passkey: CBPasskey?
    private let report: any ConfigureReport
    /// How long to look for gateways; a named gateway ends the search earlier.
    private let search: Duration
    /// How long to listen for sensors.
    private let listening: Duration

    init(
        controller: CBController, device: String?, plan: ConfigurePlan, passkey: CBPasskey?,
        report: any ConfigureReport, search: Duration, listening: Duration
    ) {
        self.controller = controller
        self.device = device
        self.plan = plan
        self.passkey = passkey
        self.report = report
        self.search = search
        self.listening = listening
    }

    /// Blocks until the end; false after a failure, which has been shown.
    func run() -> Bool {
        let done = DispatchSemaphore(value: 0)
        let isGood = Mutex(false)
        let failure = self
        Task {
            let result = await failure.perform()
            isGood.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        return isGood.withLock { $0 }
    }

    func perform() async -> Bool {
        do throws(ProvisioningClientError) {
            try await performOrFail()
            return true
        } catch {
            if report is ConfigureJSON {
                report.show(.failed(error))
            } else {
                report.flush()
                let advice = ConfigureText.advice(error.reason).map { "\n" + $0 } ?? ""
                Output.error(error.description + advice)
            }
            return false
        }
    }

    private func performOrFail() async throws(ProvisioningClientError) {
        let finder = GatewayFinder(controller: controller)
        try await finder.waitForController()
        guard !plan.isEmpty else { return try await list(finder) }
        let found = try await finder.gateway(called: device, within: search)
        let client = ProvisioningClient(found, controller)
        do throws(ProvisioningClientError) {
            try await open(client)
            try await ConfigureScript(client: client, plan: plan, report: report, listening: listening).run()
            await client.disconnect()
        } catch {
            await client.disconnect()
            throw error
        }
    }

    /// Shows the gateways nearby, and the calls that set one up.
    private func list(_ finder: GatewayFinder) async throws(ProvisioningClientError) {
        let found = await finder.gateways(within: search)
        // Nothing was found: the finder says why.
        guard let first = found.first else { _ = try await finder.gateway(called: nil, within: .zero); return }
        for gateway in found {
            let client = ProvisioningClient(gateway, controller)
            var open: GatewayPresentation?
            // A gateway that does not answer is listed, too.
            if (try? await client.connect()) != nil { open = try? await client.presentation() }
            await client.disconnect()
            report.show(.found(address: gateway.address, name: gateway.name, rssi: gateway.rssi, open))
        }
        report.flush()
        report.show(.calls(device: first.address))
    }

    private func open(_ client: ProvisioningClient) async throws(ProvisioningClientError) {
        var isFirst = true
        try await client.open { trouble in
            defer { isFirst = false }
            // A passkey is good for one attempt.
            return isFirst || trouble?.kind == .bondLost ? passkey : nil
        }
        report.show(.connected(address: client.gateway.address))
    }
}
