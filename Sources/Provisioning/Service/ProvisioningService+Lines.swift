// SPDX-License-Identifier: Apache-2.0

import Collector
import Configuration
import CoreBluetooth
import Dispatch
import Foundation
import Gateway
import Logging
import NetworkControl
import Operations
import Platform
import Synchronization

/// Notified values. The service collects them only while a central subscribes.
extension ProvisioningService {
    /// Each subscriber's last version of values that are sent again after a change.
    struct SeenLines {
        var sensors: [ObjectIdentifier: [String: SensorMessage]] = [:]
        var status: StatusMessage?
        var network: (value: NetworkStatus?, at: ContinuousClock.Instant)?
    }

    package func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        guard let item = table.item(of: characteristic), item.notifies else { return }
        let (identity, _) = meet(central) { $0.identity }
        work { service in
            guard (try? await service.admit(identity, central)) != nil else { return }
            service.queue.async { service.subscribe(central, to: item) }
        }
    }

    package func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        guard let item = table.item(of: characteristic) else { return }
        sender.unsubscribe(central, from: item)
        if item == .sensors { state.withLock { _ = $0.seen.sensors.removeValue(forKey: ObjectIdentifier(central)) } }
        if item == .log, !sender.hasSubscribers(.log) {
            state.withLock { state in
                defer { state.log = nil }
                return state.log
            }?.cancel()
        }
    }

    package func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { sender.pump() }

    /// On the manager's queue, where the central's present subscriptions are known.
    private func subscribe(_ central: CBCentral, to item: Item) {
        guard table[item]?.subscribedCentrals?.contains(where: { $0 === central }) == true else { return }
        sender.subscribe(central, to: item)
        switch item {
        case .sensors, .status:
            state.withLock { state in
                state.seen.sensors.removeValue(forKey: ObjectIdentifier(central))
                state.seen.status = nil
            }
            ensureTicker()
        case .log: followLog()
        default: break
        }
    }

    // MARK: From time to time

    /// Checks sensors, state and staged changes regularly, while any of these needs it.
    func ensureTicker() {
        state.withLock { state in
            guard state.ticker == nil, !state.isStopped else { return }
            let interval = limits.interval
            state.ticker = Task { [weak self] in
                while !Task.isCancelled {
                    guard let isNeeded = await self?.tick(), isNeeded else { return }
                    guard await Waiting.pause(for: interval) else { return }
                }
            }
        }
    }

    /// False if no more work is left: then the ticker ends.
    private func tick() async -> Bool {
        let isDropped = state.withLock { state in
            let phones = state.phones
            return !state.isApplying
                && state.staging.expire(at: .now) { phones.isConnected($0) }
        }
        if isDropped { logger.info("changes that nobody applied are dropped") }
        if sender.hasSubscribers(.sensors), let heard = try? await ask(OperationTable.devices) {
            sendSensors(heard)
        }
        if sender.hasSubscribers(.status) { await sendStatus() }
        return state.withLock { state in
            if sender.hasSubscribers(.sensors, .status) || !state.staging.isEmpty { return true }
            state.ticker = nil
            return false
        }
    }

    private func sendSensors(_ sensors: [HeardSensor]) {
        let messages = sensors.map(SensorMessage.init)
        for central in sender.subscribers(of: .sensors) {
            let id = ObjectIdentifier(central)
            let seen = state.withLock { $0.seen.sensors[id] ?? [:] }
            var new: [String: SensorMessage] = [:]
            var lines: [(text: String, key: String?)] = []
            for message in messages {
                if let old = seen[message.address], !message.differs(from: old) {
                    new[message.address] = old
                } else {
                    new[message.address] = message
                    lines.append((message.line, message.address))
                }
            }
            state.withLock { [new] in $0.seen.sensors[id] = new }
            if !lines.isEmpty { sender.add(lines, to: .sensors, only: central) }
        }
    }

    /// After a phone's request.
    func sendStatusSoon() {
        guard sender.hasSubscribers(.status) else { return }
        work { service in await service.sendStatus() }
    }

    private func sendStatus() async {
        guard let message = try? await statusMessage() else { return }
        let isNew = state.withLock { state in
            defer { state.seen.status = message }
            return state.seen.status != message
        }
        if isNew { sender.add(message.line, key: "status", to: .status) }
    }

    func statusMessage() async throws(WriteRefusal) -> StatusMessage {
        let status = try await ask(OperationTable.status)
        var network: NetworkStatus?
        if let known = state.withLock({ $0.seen.network }), .now - known.at < .seconds(3) {
            network = known.value
        } else {
            let new = await networkStatus()
            network = new
            state.withLock { $0.seen.network = (new, .now) }
        }
        var message = StatusMessage(status, network, state: await stateWord())
        if await !settings().isProvisioned {
            // The default broker address of an unprovisioned gateway means nothing to a person.
            (message.broker, message.brokerError) = (nil, "no broker is named yet")
        }
        return message
    }

    // MARK: Log

    private func followLog() {
        state.withLock { state in
            guard state.log == nil, !state.isStopped else { return }
            guard (try? phones.admit(.log)) != nil else { return }
            let lines = parts.operations.logLines()
            state.log = Task { [weak self] in
                for await line in lines {
                    guard let self else { return }
                    self.sender.add(Self.logLine(line), to: .log)
                }
            }
        }
    }

    // MARK: Networks

    /// Answers at once; notifications bring the list.
    func scan(_ word: String, by phone: String) throws(WriteRefusal) {
        guard word == "scan" else { throw WriteRefusal(.notValid, "Write “scan”.") }
        let result = state.withLock { state -> Result<String?, WriteRefusal> in
            guard !state.isApplying else { return .failure(.applying) }
            guard !state.isScanning else { return .failure(WriteRefusal(.busy, "A scan is under way.")) }
            state.isScanning = true
            return .success(state.staging.changes(of: phone).country)
        }
        let country = try result.get()
        work { service in
            var lines: [String]
            var networks: [WirelessNetwork] = []
            do throws(NetworkFailure) {
                // A radio without a country hears nothing. The country stays, also after a failed scan.
                if let country { try await service.parts.network.setCountry(country) }
                networks = Array(try await service.parts.network.scan().prefix(LineQueue.capacity - 1))
                var end = NetworkMessage()
                end.end = true
                lines = networks.map { NetworkMessage($0).line } + [end.line]
            } catch {
                var end = NetworkMessage()
                (end.end, end.reason, end.text) = (true, error.rawValue, error.explanation)
                lines = [end.line]
            }
            service.state.withLock { [networks, lines] state in
                state.isScanning = false
                state.networks = networks
                state.networkLines = lines
            }
            service.sender.add(lines.map { ($0, nil) }, to: .networks)
        }
    }
}
