// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Collector
import Configuration
import CoreBluetooth
import Dispatch
import Foundation
import Health
import Journal
import Limits
import Logging
import Operations
import Platform
import Publisher
import Readings
import StateFiles
import Synchronization

/// A whole gateway: controller, collector, journal, publisher and control socket, built from a configuration.
///
/// The name `Gateway` would hide the module.
package final class GatewayService: Sendable {
    private struct State {
        var configuration: GatewayConfiguration
        var control: ControlServer?
        var isStopped = false
        var restart: (@Sendable () -> Void)?
    }

    /// The parts of the five seconds allowed for a stop: first the links end, then acknowledgements and the controller
    /// are awaited at the same time.
    package struct StopLimits: Sendable {
        package var disconnect: Duration = .seconds(1)
        package var drain: Duration = .milliseconds(2_500)
        /// For the controller, after the end of the links.
        package var controller: Duration = .seconds(3)

        package init() {}
    }

    package let controller: CBController
    let recovery: GatewayRecovery
    let journal: Journal
    let clockKeeper: ClockKeeper
    let collector: Collector
    let slot = GatewayPublisherSlot()
    private let information: GatewayInformation
    let logger: Logger
    /// The start of this run.
    let firstStamp: TimeStamp
    /// The newest lines of the log. The maker of the logger fills the ring.
    var log: LogRing { inquiries.log }
    /// Advice names the commands of this installation.
    package var installation: Installation { inquiries.health.installation }
    /// Commands over MQTT.
    let commands = RemoteCommands()
    let providers = OperationProviders()
    /// The layer of the configuration that the gateway writes itself; nil without a layer.
    let settings: MachineSettings?
    let inquiries: GatewayInquiries
    let exclusive = ExclusiveWork()
    /// Updates of the image; nil if the gateway was not flashed.
    let updates = Mutex<UpdatePart?>(nil)
    private let answers: ControlAnswers
    let disk: any ConfigurationDisk
    private let state: Mutex<State>
    /// Starts, stops and reloads, one at a time.
    private let changes = DispatchQueue(label: "martlet.gateway")

    /// Takes the journal and the control socket, or throws: so a second gateway notices the first. Only then takes the
    /// controller, because a second gateway would reset the first gateway's controller in use. The controller opens in
    /// the background. All other parts wait for ``start()``.
    ///
    /// - Parameters:
    ///   - controlSocket: a socket that already listens on the configured path, and stays there after us.
    ///   - source: The source of the configuration; nil for a configuration that cannot change.
    ///   - disk: The disk of the gateway's own part of the configuration.
    ///   - log: The ring that `logger` fills, for clients that read the log.
    ///   - installation: Advice names the commands of this installation.
    ///   - makeController: makes the controller, instead of opening `transport`; tests have slow disks.
    package init(
        _ configuration: GatewayConfiguration, transport: CBController.Transport, controlSocket: Int32? = nil,
        source: ConfigurationSource? = nil, disk: any ConfigurationDisk = SystemConfigurationDisk(),
        log: LogRing = LogRing(), installation: Installation = .package,
        makeController: ((CBController.Transport) -> CBController)? = nil, logger: Logger
    ) throws {
        self.logger = logger
        self.disk = disk
        for warning in configuration.warnings { logger.warning("\(warning)") }
        let clock = SystemClock(configuration.clock)
        firstStamp = clock.stamp()
        var taker = configuration.journal
        taker.gateway = configuration.gateway
        journal = try Journal(
            taker, clock: .system, patience: .seconds(2), logger: logger.labelled("journal"))
        let answers = ControlAnswers()
        self.answers = answers
        let control: ControlServer
        do {
            control = try ControlServer(
                path: configuration.controlSocket, inherited: controlSocket, logger: logger.labelled("control"),
                dialogues: { answers.dialogue($0) }, handler: { await answers.answer($0) })
        } catch {
            journal.close()
            throw error
        }
        clockKeeper = ClockKeeper(clock: clock, journal: journal, logger: logger.labelled("clock"))
        information = GatewayInformation.ofThisMachine(
            version: GatewayVersion.current, adapters: [.init(name: configuration.bluetooth.controller)],
            capabilities: ["central"])
        recovery = GatewayRecovery(
            controller: configuration.bluetooth.controller,
            limit: RecoveryStep(rawValue: configuration.bluetooth.recoverUpTo.rawValue) ?? .reopen,
            socket: ProcessInfo.processInfo.environment[RadioHelper.variable],
            stateDirectory: configuration.bluetooth.stateDirectory, disk: disk)
        controller =
            makeController?(transport)
            ?? CBController(
                transport: transport, stateDirectory: configuration.bluetooth.stateDirectory,
                privacy: CBPrivacy(configuration.bluetooth.privacy), pairing: .neverByItself,
                capture: configuration.bluetooth.capture,
                recorder: configuration.bluetooth.flightRecorderKiB << 10,
                recentLog: { log.tail(LogRing.capacity) },
                helper: recovery, words: .here, files: DiskFileSystem(), logger: logger.labelled("bluetooth"))
        settings = source.map {
            MachineSettings(
                $0,
                MachineLayerStore(
                    stateDirectory: configuration.bluetooth.stateDirectory, disk: disk, texts: $0.texts))
        }
        let limits = LimitPart(
            configuration, journal: journal, clock: clock, logger: logger.labelled("webhook"))
        let sensors = SensorTable { [slot, journal] device, description in
            SensorNames(journal).keep(description.name, of: device)
            limits.keeper.apply(description.limits, to: device)
            slot.described(device)
        }
        let outlet = CollectorOutlet(
            append: { [journal, sensors] in
                limits.keeper.took($0, sensors)
                journal.append($0)
            },
            appendWhenDurable: { [journal, sensors] in
                limits.keeper.took($0, sensors)
                journal.append($0, whenDurable: $1)
            },
            waitForRoom: { [journal] in journal.waitForRoom($0, until: $1) },
            countGap: { [journal] in journal.countGap(of: $0, missing: $1) },
            setAvailability: { [slot] in slot.setAvailability(of: $0, online: $1) },
            sensors: sensors,
            recordSignal: { [slot] in slot.recordSignal(of: $0, rssi: $1) },
            sharesSensors: { [slot] in slot.sharesSensors },
            forget: { [slot] in
                limits.keeper.apply(nil, to: $0)
                slot.forget($0)
            },
            announced: { [journal] in RetainedTopics.sensors(in: journal) },
            identifier: { [journal] in journal.identifier(for: $0) },
            keep: { [journal] in journal.setIdentifier($0, for: $1) },
            facts: { [journal] in journal.identifiers(withPrefix: $0) },
            ownsEntry: { [settings] in settings?.current.index(ofSensor: $0) != nil },
            whenKnown: { [journal] in journal.whenOpen($0) })
        collector = Collector(
            controller: controller, rules: configuration.sensors, security: configuration.security,
            confirmationLimit: configuration.confirmationLimit,
            readsInformation: configuration.mqtt.namesMakers, installation: installation, clock: clock,
            time: DispatchTime.now, randomness: .system,
            outlet: outlet, logger: logger.labelled("collector"))
        inquiries = GatewayInquiries(
            controller: controller, collector: collector, journal: journal,
            memory: MemoryKeeper(logger: logger.labelled("memory")),
            health: HealthKeeper(on: installation, logger: logger.labelled("health")),
            log: log, warnings: WarningFile(log, folder: configuration.bluetooth.stateDirectory),
            limits: limits, certificates: CertificateWatch(configuration),
            folder: URL(fileURLWithPath: configuration.journal.path).deletingLastPathComponent().path)
        state = Mutex(State(configuration: configuration, control: control))
        finishFactoryReset(FactoryReset(stateDirectory: configuration.bluetooth.stateDirectory, disk: disk))
        answers.install { [weak self] line in
            await self?.answer(line) ?? []
        } dialogues: { [weak self] line in
            self?.dialogue(line)
        }
    }

    var clock: SystemClock { clockKeeper.clock }
    /// The known sensors, and their newest values.
    package var sensors: SensorTable { collector.sensors }
    var configuration: GatewayConfiguration { state.withLock { $0.configuration } }
    var isStopped: Bool { state.withLock { $0.isStopped } }

    package func start() {
        changes.sync {
            let configuration = configuration
            clockKeeper.start()
            inquiries.memory.start()
            startPublisher(configuration)
            let name: WebhookSender.Name = { [journal, sensors] in
                sensors.facts(of: $0).label ?? SensorNames.name(of: $0, in: journal)
            }
            inquiries.limits.start(configuration, name: name) { [slot] in slot.publisher?.limitsChanged() }
            collector.start()
            loadOperatorWord()
            inquiries.warnings.resume()
            inquiries.health.start { [weak self] patience in
                guard let self, !isStopped else { return false }
                _ = await currentStatus(within: patience)
                mindOperatorWord()
                inquiries.warnings.keep(at: clock.now)
                return true
            }
            logger.info(
                "gateway started",
                metadata: [
                    "gateway": "\(configuration.gateway)", "version": "\(GatewayVersion.current)",
                    "controller": "\(configuration.bluetooth.controller)",
                    "sensor.rules": "\(configuration.sensors.count)",
                    "broker": "\(configuration.mqtt.brokerNames)",
                ])
        }
    }

    /// Stops the collector, commits, waits a while for acknowledgements, and closes. Rows without an acknowledgement
    /// stay in the journal.
    package func stop(_ limits: StopLimits = StopLimits()) {
        changes.sync {
            guard
                !state.withLock({ state in
                    defer { state.isStopped = true }
                    return state.isStopped
                })
            else { return }
            logger.info("stopping")
            journal.endHoldingBack()
            state.withLock { $0.control.take() }?.stop()
            clockKeeper.stop()
            inquiries.health.stop()
            inquiries.memory.stop()
            inquiries.limits.stop()
            collector.stop(timeout: limits.disconnect)
            let closed = DispatchSemaphore(value: 0)
            DispatchQueue.global().async { [controller] in
                controller.shutdown()
                closed.signal()
            }
            let deadline = DispatchTime.now() + .milliseconds(Int(limits.controller.wholeMilliseconds))
            journal.requestCommit()
            slot.publisher?.stop(drainingFor: limits.drain)
            inquiries.limits.waitForEnd()
            journal.close()
            inquiries.warnings.end()
            providers.removeAll()
            _ = closed.wait(timeout: deadline)
            let books = journal.statistics
            logger.info(
                "stopped",
                metadata: [
                    "received": "\(books.received)", "delivered": "\(books.delivered)", "buffered": "\(books.buffered)",
                    "dropped": "\(books.dropped.values.reduce(0, +))",
                ])
        }
    }

    /// Takes over all settings that can change while running. Sensors keep their links if their rules are unchanged. A
    /// client's trial ends, because the configuration was read again.
    package func reload(_ new: GatewayConfiguration) {
        guard let settings else { return apply(new) }
        settings.queue.sync {
            settings.endTrial()
            apply(new)
        }
    }

    /// - Parameter tellsProgress: A client will wait for the connection to the broker.
    func apply(_ new: GatewayConfiguration, tellsProgress: Bool = false) {
        changes.sync {
            guard !isStopped else { return }
            let old = configuration
            for warning in new.warnings where !old.warnings.contains(warning) { logger.warning("\(warning)") }
            let takeover = old.takeover(of: new)
            if !takeover.waiting.isEmpty {
                logger.warning(
                    "changed settings need a restart",
                    metadata: ["settings": "\(takeover.waiting.joined(separator: ", "))"])
            }
            state.withLock { $0.configuration = takeover.merged }
            sensors.forgetDecoded()
            slot.publisher?.decodersChanged()
            inquiries.limits.apply(takeover.merged)
            inquiries.certificates.follow(takeover.merged)
            if takeover.changesSensors {
                collector.apply(
                    new.sensors, security: new.security, readsInformation: new.mqtt.namesMakers)
            }
            if takeover.reconnects { connect(takeover.merged, tellsProgress: tellsProgress) }
            logger.info("configuration reloaded", metadata: ["sensor.rules": "\(new.sensors.count)"])
        }
    }

    /// Ends the connection to the broker and makes a new connection; nil while the gateway is stopping.
    func connectAnew() -> Publisher? {
        changes.sync {
            guard !isStopped else { return nil }
            connect(configuration, tellsProgress: true)
            return slot.publisher
        }
    }

    private func connect(_ configuration: GatewayConfiguration, tellsProgress: Bool) {
        logger.info("connecting to the broker anew", metadata: ["broker": "\(configuration.mqtt.brokerNames)"])
        slot.publisher?.stop(drainingFor: .seconds(1))
        startPublisher(configuration, tellsProgress: tellsProgress)
    }

    private func startPublisher(_ configuration: GatewayConfiguration, tellsProgress: Bool = false) {
        // Another broker may have other gateways.
        for device in slot.takeOwned() { collector.setOwner(nil, of: device) }
        slot.setShares(configuration.mqtt.sharesSensors)
        // Radio events from before the first connection are published once, and not again by later publishers.
        let known = slot.publisher == nil ? 0 : controller.health.events.last?.number ?? 0
        let (health, limits) = (inquiries.health, inquiries.limits.keeper)
        let knownProblems = slot.publisher == nil ? 0 : health.news.events.last?.number ?? 0
        var mqtt = configuration.mqtt
        mqtt.allowedCommands = OperationTable.allowed(mqtt.allowedCommands)
        mqtt.controls = OperationTable.controls
        let publisher = Publisher(
            mqtt, gateway: configuration.gateway, information: information, journal: journal,
            clock: clock, tellsProgress: tellsProgress,
            surroundings: PublisherSurroundings(
                randomness: .system, sensors: collector.sensors, slots: { [controller] in controller.slots },
                update: { [weak self] in self?.imageUpdate },
                radio: { [controller] in controller.health.events.filter { $0.number > known } },
                problems: { health.news.after(knownProblems) },
                limits: { limits.news }, limitTold: { limits.settle($0, by: .mqtt) },
                perform: { [weak self] in self?.perform($0) },
                tellOwner: { [slot, collector] device, gateway in
                    slot.recordOwner(gateway, of: device)
                    collector.setOwner(gateway, of: device)
                }, nonce: slot.nonce, installation: health.installation),
            logger: logger.labelled("publisher"))
        slot.install(publisher)
        publisher.start()
    }

    /// Sets a callback for a restart of the process: after ``GatewayOperations/resetToFactory()``, or at a client's
    /// request.
    package func onRestart(_ restart: @escaping @Sendable () -> Void) {
        state.withLock { $0.restart = restart }
    }

    package var restart: (@Sendable () -> Void)? { state.withLock { $0.restart } }
}

extension CBPrivacy {
    fileprivate init(_ privacy: GatewayConfiguration.Privacy) {
        self =
            switch privacy {
            case .off: .off
            case .advertising: .whenAdvertising
            case .always: .always
            }
    }
}

extension Logger {
    /// A copy of the logger that names the part of the gateway.
    func labelled(_ part: String) -> Logger {
        var logger = self
        logger[metadataKey: "part"] = "\(part)"
        return logger
    }
}
