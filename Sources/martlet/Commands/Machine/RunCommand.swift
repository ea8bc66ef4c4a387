// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Configuration
import CoreBluetooth
import Dispatch
import Doctor
import Foundation
import Gateway
import Glibc
import Health
import Journal
import Logging
import Page
import Provisioning
import Synchronization
import VirtualRadio

struct RunCommand: ListedCommand {
    static let place = HelpPlace(.machine, 10)
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the gateway.",
        discussion: """
            SIGTERM and SIGINT end the gateway within five seconds: undelivered readings stay in the journal.
            SIGHUP reads the configuration again without dropping links. Under systemd the gateway reports its readiness
            and its life, and takes over the control socket.
            """,
        examples: [
            "martlet run": "with /etc/martlet/martlet.toml",
            "martlet run martlet.toml --controller virtual": "no hardware",
            "martlet run --log-level debug --capture hci.btsnoop": "with every detail",
        ])

    @OptionGroup var named: FileArgument
    @OptionGroup var configured: ConfigurationOptions
    @OptionGroup var log: LogOptions
    private var options: ConfigurationOptions { named.applied(to: configured) }

    @Option(
        help: ArgumentHelp(
            "Use this controller instead of the configured one: hci0, unix:PATH, tcp:HOST:PORT, serial:DEVICE,BAUD, virtual.",
            valueName: "controller"))
    var controller: ControllerArgument?

    @Option(help: ArgumentHelp("Write every HCI packet to this file, in the btsnoop format.", valueName: "file"))
    var capture: String?

    func run() throws {
        let ring = LogRing()
        let logger = log.makeLogger(ring)
        let environment = ServiceEnvironment(ProcessInfo.processInfo.environment)
        let supervisor = Supervisor(environment, logger: logger)
        // One random name for all reads of the configuration.
        let source = makeSource(freshName: GatewayName.random())
        var configuration = try load(source, supervisor)
        // A restore in progress replaces files, so the configuration is read again.
        if try finishRestore(of: configuration, supervisor, logger) { configuration = try load(source, supervisor) }
        let reset = FactoryReset(stateDirectory: configuration.bluetooth.stateDirectory)
        // A factory reset in progress removes files, so the configuration is read again.
        if finish(reset, logger) { configuration = try load(source, supervisor) }
        leap(configuration, logger)
        let opened = try OpenController(named: configuration.bluetooth.controller)
        let gateway: GatewayService
        do {
            gateway = try GatewayService(
                configuration, transport: opened.transport,
                controlSocket: InheritedSocket.control(environment, path: configuration.controlSocket, logger: logger),
                source: source, log: ring, installation: .here(configuration: options.config), logger: logger)
        } catch {
            logger.critical("cannot start", metadata: ["error": "\(error)"])
            supervisor?.failed("cannot start: \(error)")
            throw ExitStatus.failure
        }
        let end = DispatchSemaphore(value: 0)
        let isRestart = Atomic(false)
        gateway.onRestart {
            isRestart.store(true, ordering: .relaxed)
            end.signal()
        }
        // Only an image has updates.
        if let version = try? ImageSystem().version() {
            let helper = ProcessInfo.processInfo.environment[UpdateHelper.variable]
            gateway.keepUpdates(ofImage: version, helper: helper.flatMap { $0.isEmpty ? nil : $0 })
        }
        // Signals during the start wait for its end.
        let queue = DispatchQueue(label: "martlet.signals")
        queue.suspend()
        let signals = SignalWatch()
        signals.on(SIGTERM, SIGINT, queue: queue) { end.signal() }
        signals.on(SIGHUP, queue: queue) { reload(gateway, source, supervisor, logger) }
        let led = LED(
            name: configuration.provisioning.led, memory: configuration.bluetooth.stateDirectory + "/" + LED.memoryName)
        if let led { gateway.onFailure { led.show(hasFailure: $0) } }
        gateway.start()
        let phones = PhoneSetup(configuration, of: gateway, led: led, logger: logger)
        phones?.start()
        let page = PageService(
            configuration, of: gateway, extras: PageExtras(window: phones?.pageWindow), logger: logger)
        page?.start()
        if let supervisor { gateway.report(to: supervisor) }
        queue.resume()
        end.wait()
        supervisor?.stopping()
        withExtendedLifetime((signals, opened)) {
            page?.stop()
            phones?.stop()
            gateway.stop()
        }
        led?.end()
        supervisor?.end()
        // The files are complete now, and no process has them open.
        _ = finish(reset, logger)
        guard isRestart.load(ordering: .relaxed) else { return }
        // Without a service manager, by hand or in a container, the process starts itself anew.
        if supervisor == nil { execv("/proc/self/exe", CommandLine.unsafeArgv) }
        // The service manager restarts only a failed process.
        throw ExitStatus.failure
    }

    /// Every read of the configuration uses this name and the options of the command line.
    private func makeSource(freshName: String) -> ConfigurationSource {
        .files(path: options.config, freshName: freshName) { [controller, capture] in
            if let controller { $0.bluetooth.controller = controller.text }
            if let capture { $0.bluetooth.capture = capture }
        }
    }

    private func load(_ source: ConfigurationSource, _ supervisor: Supervisor?) throws -> GatewayConfiguration {
        do {
            return try source.load()
        } catch {
            Output.error(error.description)
            let advice: Advice = "the configuration has mistakes: \(.martlet(.checkConfig))"
            supervisor?.failed(advice.text(on: .here(configuration: options.config)))
            throw ExitStatus.configuration
        }
    }

    /// Finishes an interrupted restore; false without an interrupted restore. With half of a restore no gateway starts.
    private func finishRestore(
        of configuration: GatewayConfiguration, _ supervisor: Supervisor?, _ logger: Logger
    ) throws -> Bool {
        let restore = PendingRestore(
            stateDirectory: configuration.bluetooth.stateDirectory, journal: configuration.journal.path)
        guard restore.isThere else { return false }
        do {
            try restore.finish()
            logger.notice("an interrupted restore was finished")
            return true
        } catch {
            logger.critical("an interrupted restore cannot be finished", metadata: ["error": "\(error)"])
            supervisor?.failed("an interrupted restore cannot be finished: \(error)")
            throw ExitStatus.failure
        }
    }

    /// Leaps over the numbers of a board that this gateway was in before. A failure keeps no gateway from its work.
    private func leap(_ configuration: GatewayConfiguration, _ logger: Logger) {
        do {
            let now = Int64(Date().timeIntervalSince1970 * 1_000)
            let number = try NumberLeap.finish(
                stateDirectory: configuration.bluetooth.stateDirectory, journal: configuration.journal.path, at: now)
            guard let number else { return }
            logger.notice("the gateway goes on in a new board", metadata: ["reading.n": "\(number)"])
        } catch {
            logger.error(
                "readings may get numbers of the former board; the next start tries again",
                metadata: ["error": "\(error)"])
        }
    }

    /// Removes the files of a factory reset in progress; false if no reset is in progress.
    private func finish(_ reset: FactoryReset, _ logger: Logger) -> Bool {
        guard reset.isUnderway else { return false }
        do {
            try reset.removeFiles(logger: logger)
            return true
        } catch {
            logger.error("files could not be removed: the next start tries again", metadata: ["error": "\(error)"])
            return false
        }
    }

    private func reload(
        _ gateway: GatewayService, _ source: ConfigurationSource, _ supervisor: Supervisor?, _ logger: Logger
    ) {
        supervisor?.reloading()
        do {
            gateway.reload(try source.load())
            supervisor?.reloaded()
        } catch {
            for issue in error.issues {
                logger.error("configuration not taken, the old one stays", metadata: ["mistake": "\(issue)"])
            }
            supervisor?.reloaded(mistake: error.issues.first.map { "\($0)" } ?? "it cannot be read")
        }
    }
}

/// A controller's transport, and its virtual radio, if any.
struct OpenController {
    let transport: CBController.Transport
    private let radio: VirtualRadio?

    init(named text: String) throws {
        switch ControllerName(text) {
        case .virtual:
            let radio = VirtualRadio()
            for sensor in VirtualSensor.demonstration { radio.addSensor(sensor) }
            for sensor in VirtualBroadcaster.demonstration { _ = radio.addBroadcaster(sensor.configuration) }
            transport = .descriptor(try radio.makeController(address: .demonstrationController))
            self.radio = radio
        case .transport(let text):
            guard let transport = CBController.Transport(text) else { throw ExitStatus.usage }
            self.transport = transport
            radio = nil
        case nil:
            throw ExitStatus.usage
        }
    }
}
