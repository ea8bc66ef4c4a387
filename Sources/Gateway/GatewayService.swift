// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Logging
import Synchronization

/// A whole gateway: controller, collector, journal, publisher and control socket, put together from a configuration.
///
/// Not called `Gateway`, which would hide the module of that name.
package final class GatewayService: Sendable {
    private struct State {
        var configuration: GatewayConfiguration
        var control: ControlServer?
        var isStopped = false
    }

    /// How the five seconds that stopping may take are divided: waiting for links to end, then for acknowledgements
    /// and, at the same time, for the controller.
    package struct StopLimits: Sendable {
        package var disconnect: Duration = .seconds(1)
        package var drain: Duration = .milliseconds(2_500)
        /// For the controller, from when the links have ended.
        package var controller: Duration = .seconds(3)

        package init() {}
    }

    let controller: CBController
    let journal: Journal
    private let clock: SystemClock
    private let clockKeeper: ClockKeeper
    private let collector: Collector
    private let slot = GatewayPublisherSlot()
    private let information: GatewayInformation
    private let logger: Logger
    private let began = ContinuousClock.now
    private let state: Mutex<State>
    /// Starting, stopping and reloading, one at a time.
    private let changes = DispatchQueue(label: "martlet.gateway")

    /// Takes the journal and the control socket, or fails, which is how a second gateway notices; only then the
    /// controller, which a second gateway would reset under the hands of the first. The controller opens in the
    /// background, and nothing else moves before ``start()``.
    ///
    /// - Parameter controlSocket: one that already listens on the configured path, and stays there after us.
    package init(
        _ configuration: GatewayConfiguration, transport: CBController.Transport, controlSocket: Int32? = nil,
        logger: Logger
    ) throws {
        self.logger = logger
        for warning in configuration.warnings { logger.warning("\(warning)") }
        clock = SystemClock(configuration.clock)
        journal = try Journal(
            configuration.journal, patience: .seconds(2), logger: logger.labelled("journal"))
        let answers = ControlAnswers()
        let control: ControlServer
        do {
            control = try ControlServer(
                path: configuration.controlSocket, inherited: controlSocket, logger: logger.labelled("control"),
                dialogues: { answers.dialogue($0) }, handler: { answers.answer($0) })
        } catch {
            journal.close()
            throw error
        }
        clockKeeper = ClockKeeper(clock: clock, journal: journal, logger: logger.labelled("clock"))
        information = GatewayInformation.ofThisMachine(
            version: GatewayVersion.current, adapters: [.init(name: configuration.bluetooth.controller)],
            capabilities: ["central"])
        controller = CBController(
            transport: transport, stateDirectory: configuration.bluetooth.stateDirectory,
            privacy: CBPrivacy(configuration.bluetooth.privacy), capture: configuration.bluetooth.capture,
            logger: logger.labelled("bluetooth"))
        let outlet = CollectorOutlet(
            append: { [journal] in journal.append($0) },
            appendWhenDurable: { [journal] in journal.append($0, whenDurable: $1) },
            countGap: { [journal] in journal.countGap(of: $0, missing: $1) },
            setAvailability: { [slot] in slot.setAvailability(of: $0, online: $1) },
            describe: { [slot] in slot.describe($0, $1) },
            identifier: { [journal] in journal.identifier(for: $0) },
            keep: { [journal] in journal.setIdentifier($0, for: $1) },
            whenKnown: { [journal] in journal.whenOpen($0) })
        collector = Collector(
            controller: controller, rules: configuration.sensors, security: configuration.security,
            confirmationLimit: configuration.confirmationLimit, clock: clock, outlet: outlet,
            logger: logger.labelled("collector"))
        state = Mutex(State(configuration: configuration, control: control))
        answers.install { [weak self] line in
            self?.answer(line) ?? []
        } dialogues: { [weak self] line in
            self?.dialogue(line)
        }
    }

    package func start() {
        changes.sync {
            let configuration = state.withLock { $0.configuration }
            clockKeeper.start()
            startPublisher(configuration)
            collector.start()
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

    /// Stops collecting, commits, waits a while for acknowledgements, and closes. What the broker has not got by then
    /// stays in the journal.
    package func stop(_ limits: StopLimits = StopLimits()) {
        changes.sync {
            guard
                !state.withLock({ state in
                    defer { state.isStopped = true }
                    return state.isStopped
                })
            else { return }
            logger.info("stopping")
            state.withLock { $0.control.take() }?.stop()
            clockKeeper.stop()
            collector.stop(timeout: limits.disconnect)
            let closed = DispatchSemaphore(value: 0)
            DispatchQueue.global().async { [controller] in
                controller.shutdown()
                closed.signal()
            }
            let deadline = DispatchTime.now() + .milliseconds(Int(limits.controller.wholeMilliseconds))
            journal.requestCommit()
            slot.publisher?.stop(drainingFor: limits.drain)
            journal.close()
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

    /// Takes over what can change while running, without touching the links of sensors whose rules stay the same.
    package func reload(_ new: GatewayConfiguration) {
        changes.sync {
            guard !state.withLock({ $0.isStopped }) else { return }
            for warning in new.warnings { logger.warning("\(warning)") }
            let old = state.withLock { $0.configuration }
            let fixed = old.differencesThatNeedRestart(to: new)
            if !fixed.isEmpty {
                logger.warning(
                    "changed settings need a restart", metadata: ["settings": "\(fixed.joined(separator: ", "))"])
            }
            var merged = old
            merged.sensors = new.sensors
            merged.mqtt = new.mqtt
            merged.security = new.security
            state.withLock { [merged] in $0.configuration = merged }
            if new.sensors != old.sensors || new.security != old.security {
                collector.apply(new.sensors, security: new.security)
            }
            if new.mqtt != old.mqtt {
                logger.info("connecting to the broker anew", metadata: ["broker": "\(new.mqtt.brokerNames)"])
                slot.publisher?.stop(drainingFor: .seconds(1))
                startPublisher(merged)
            }
            logger.info("configuration reloaded", metadata: ["sensor.rules": "\(new.sensors.count)"])
        }
    }

    private func startPublisher(_ configuration: GatewayConfiguration) {
        let publisher = Publisher(
            configuration.mqtt, gateway: configuration.gateway, information: information, journal: journal,
            clock: clock,
            logger: logger.labelled("publisher"))
        slot.install(publisher)
        publisher.start()
    }
}

extension GatewayService {
    package var status: GatewayStatus {
        let configuration = state.withLock { $0.configuration }
        return GatewayStatus(
            gateway: configuration.gateway, version: GatewayVersion.current,
            uptimeS: Int((ContinuousClock.now - began) / .seconds(1)), clock: clock.stamp().quality.rawValue,
            controller: .init(
                name: configuration.bluetooth.controller, state: controller.statusDescription,
                counters: controller.statistics.counters),
            collector: collector.status, journal: journal.statistics,
            mqtt: slot.publisher?.statistics
                ?? PublisherStatistics(broker: configuration.mqtt.addresses[0].description),
            bondProblems: controller.bondProblems, time: clock.status)
    }

    private func setClock(_ unix: Int64?) throws -> [UInt8] {
        let failure: String
        switch unix.map(clock.trust) {
        case .taken:
            clockKeeper.look()
            return try ControlCoding.encode(ControlResponse.success(clock.status))
        case .notNeeded(let difference):
            failure =
                "the system's clock counts as right already, and stays; "
                + "what was given is \(difference) ms ahead of it"
        case .implausible: failure = "that is no time of these years"
        case nil: failure = #"the request has no "unix_ms""#
        }
        return try ControlCoding.encode(ControlResponse<ClockStatus>.failure(failure))
    }

    package var bufferStatistics: JournalStatistics { journal.statistics }

    /// Holds history up, lets it go, or sends all of it.
    private func answerHistory(_ request: ControlRequest) throws -> [UInt8] {
        let mode: HistoryMode =
            switch ControlRequest.Command(rawValue: request.command) {
            case .historyPause: .paused
            case .historyDrain: .draining
            default: .normal
            }
        slot.setHistory(mode)
        return try ControlCoding.encode(
            ControlResponse.success(HistoryAnswer(mode: mode, buffered: bufferStatistics.buffered)))
    }

    /// Begins the dialogue that a line of the control socket asks for.
    private func dialogue(_ line: [UInt8]) -> ControlDialogue? {
        guard let request = try? ControlCoding.decode(ControlRequest.self, from: line),
            ControlRequest.Command(rawValue: request.command) == .pair, !state.withLock({ $0.isStopped })
        else { return nil }
        let passkey = request.passkey.flatMap { CBPasskey($0) }
        let dialogue = PairingDialogue(passkey: passkey)
        let control = dialogue.makeControl()
        if request.passkey != nil, passkey == nil {
            dialogue.fail("a passkey has six digits")
        } else {
            collector.pair(request.device ?? "", dialogue)
        }
        return control
    }

    /// Answers one line of the control socket.
    private func answer(_ line: [UInt8]) -> [UInt8] {
        do {
            guard let request = try? ControlCoding.decode(ControlRequest.self, from: line) else {
                let wanted = #"the request is no JSON object with a "command""#
                return try ControlCoding.encode(ControlResponse<String>.failure(wanted))
            }
            switch ControlRequest.Command(rawValue: request.command) {
            case .status: return try ControlCoding.encode(ControlResponse.success(status))
            case .bufferStats: return try ControlCoding.encode(ControlResponse.success(bufferStatistics))
            case .historyPause, .historyResume, .historyDrain: return try answerHistory(request)
            case .bufferPurge:
                guard let purged = journal.purge() else {
                    let reason = journal.statistics.problem ?? "the gateway is stopping"
                    return try ControlCoding.encode(ControlResponse<String>.failure(reason))
                }
                return try ControlCoding.encode(ControlResponse.success(BufferPurge(purged: purged)))
            case .bufferCompact:
                guard let compaction = journal.compact() else {
                    let reason = journal.statistics.problem ?? "the gateway is stopping"
                    return try ControlCoding.encode(ControlResponse<String>.failure(reason))
                }
                return try ControlCoding.encode(ControlResponse.success(compaction))
            case .bonds: return try ControlCoding.encode(ControlResponse.success(collector.bondList))
            case .unpair:
                switch collector.unpair(request.device ?? "") {
                case .success(let bond): return try ControlCoding.encode(ControlResponse.success(bond))
                case .failure(let error):
                    return try ControlCoding.encode(ControlResponse<BondStatus>.failure(error.description))
                }
            case .clock: return try ControlCoding.encode(ControlResponse.success(clock.status))
            case .clockSet: return try setClock(request.unixMs)
            case .pair: return try ControlCoding.encode(ControlResponse<String>.failure("the gateway is stopping"))
            case nil: return try ControlCoding.encode(ControlResponse<String>.failure("unknown command"))
            }
        } catch {
            logger.error("answer could not be encoded", metadata: ["error": "\(error)"])
            return Array(#"{"error":"internal error","ok":false}"#.utf8)
        }
    }
}

extension GatewayConfiguration {
    /// The settings that a running gateway cannot take over, where they differ.
    func differencesThatNeedRestart(to new: GatewayConfiguration) -> [String] {
        var names: [String] = []
        if new.gateway != gateway { names.append("gateway.id") }
        if new.bluetooth != bluetooth { names.append("bluetooth") }
        if new.journal != journal || new.confirmationLimit != confirmationLimit { names.append("journal") }
        if new.clock != clock { names.append("clock") }
        if new.controlSocket != controlSocket { names.append("control.socket") }
        return names
    }
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
    /// The same logger with the part of the gateway that speaks.
    func labelled(_ part: String) -> Logger {
        var logger = self
        logger[metadataKey: "part"] = "\(part)"
        return logger
    }
}
