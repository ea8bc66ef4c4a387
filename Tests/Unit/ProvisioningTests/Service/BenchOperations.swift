// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Provisioning
import Synchronization

@testable import Collector
@testable import Configuration
@testable import Gateway
@testable import Operations
@testable import Platform
@testable import Publisher
@testable import Readings

/// A gateway of settings, sensors and a clock, with a disk.
final class BenchOperations: GatewayOperations {
    /// The state after a power cut.
    struct Disk: Equatable {
        var values: [[String]: ConfigurationChange.Value] = [:]
        var authority: [UInt8]?
        var network: String?
    }

    struct State {
        var disk = Disk()
        var former: Disk?
        var trial: ConfigurationChange?
        var sensors: [HeardSensor] = []
        var bonds: [BondStatus] = []
        var accepted: [SensorAcceptance] = []
        var passkeys: [String: Secret] = [:]
        var time: Int64?
        var received = 0
        var checkFailure: BrokerCheckFailure?
        var failures: [String: OperationError] = [:]
        var calls: [String] = []
        var lines: [String] = ["started"]
        var listeners: [AsyncStream<String>.Continuation] = []
    }

    let state = Mutex(State())
    /// Called before and after each call's work; tests stop there.
    let hook: @Sendable (String) async -> Void

    init(disk: Disk = Disk(), hook: @escaping @Sendable (String) async -> Void = { _ in }) {
        self.hook = hook
        state.withLock { $0.disk = disk }
    }

    var disk: Disk { state.withLock { $0.disk } }
    var calls: [String] { state.withLock { $0.calls } }

    private func call<Result>(
        _ name: String, _ body: (inout State) -> Result
    ) async throws(OperationError) -> Result {
        await hook("before \(name)")
        let result = state.withLock { state -> Swift.Result<Result, OperationError> in
            state.calls.append(name)
            if let failure = state.failures[name] { return .failure(failure) }
            return .success(body(&state))
        }
        await hook("after \(name)")
        return try result.get()
    }

    func status() async -> GatewayStatus {
        let (received, time) = state.withLock { ($0.received, $0.time) }
        var journal = JournalStatistics(path: "journal.db")
        journal.received = received
        let clock = ClockStatus(
            state: time == nil ? "unsynced" : "synced", source: time == nil ? nil : .trusted, unixMs: time,
            errorMs: time == nil ? nil : 500, boot: "boot", uptimeMs: 1, systemUnixMs: 1, kernelSynchronized: false,
            kernelErrorMs: 0, leapSecond: .none, steps: 0)
        return GatewayStatus(
            gateway: "gw", version: "1", uptimeS: 1, clock: clock.state,
            controller: GatewayStatus.Controller(name: "virtual", state: "powered on", counters: [:]),
            collector: CollectorStatus(), journal: journal, mqtt: PublisherStatistics(broker: "localhost:1883"),
            time: clock)
    }

    func explain(_ sensor: String) async throws(OperationError) -> SensorExplanation {
        throw OperationError(.notFound, "no sensor is called \(sensor)")
    }

    func heardSensors() async -> [HeardSensor] {
        state.withLock {
            $0.calls.append("heard")
            return $0.sensors
        }
    }

    func inspect(
        _ address: String, within limit: Duration, progress: @escaping @Sendable (SensorInspection.Step) -> Void
    ) async throws(OperationError) -> InspectionReport {
        throw OperationError(.failed, "it was not heard")
    }

    func accept(_ acceptance: SensorAcceptance) async throws(OperationError) -> HeardSensor {
        try await call("accept \(acceptance.address)") { state in
            state.accepted.append(acceptance)
            return HeardSensor(address: acceptance.address, id: acceptance.id, isAccepted: true)
        }
    }

    func trust(_ sensor: String, _ address: String?) async throws(OperationError) -> TrustedSensor {
        throw OperationError(.refused, "no sensor is called \(sensor)")
    }

    func forget(_ quantity: String, of sensor: String) async throws(OperationError) {
        try await call("forget \(quantity) of \(sensor)") { _ in }
    }
    func forget(_ sensor: String) async throws(OperationError) { try await call("forget \(sensor)") { _ in } }

    func setPasskey(_ passkey: Secret, of sensor: String) async throws(OperationError) {
        try await call("passkey \(sensor)") { $0.passkeys[sensor] = passkey }
    }

    func setBindKey(_ key: Secret, of sensor: String) async throws(OperationError) {
        try await call("key \(sensor)") { $0.passkeys[sensor] = key }
    }

    func bonds() async -> BondList { BondList(bonds: state.withLock { $0.bonds }, problems: []) }

    func unpair(_ device: String) async throws(OperationError) -> BondStatus {
        let removed = try await call("unpair") { state -> BondStatus? in
            guard let index = state.bonds.firstIndex(where: { $0.identifier == device }) else { return nil }
            return state.bonds.remove(at: index)
        }
        guard let removed else { throw OperationError(.notFound, "There is no such bond.") }
        return removed
    }

    func settings() async -> GatewaySettings {
        state.withLock { state in
            func text(_ path: String...) -> String? {
                switch state.disk.values[path] {
                case .text(let text): text
                default: nil
                }
            }
            var (port, usesTLS, hasPassword) = (1883, false, false)
            if case .integer(let number) = state.disk.values[["mqtt", "port"]] { port = number }
            if case .flag(let flag) = state.disk.values[["mqtt", "tls", "enabled"]] { usesTLS = flag }
            if case .secret = state.disk.values[["mqtt", "password"]] { hasPassword = true }
            return GatewaySettings(
                name: text("gateway", "name") ?? "Martlet", gateway: "gw", host: text("mqtt", "host") ?? "localhost",
                port: port, usesTLS: usesTLS, username: text("mqtt", "username"), hasPassword: hasPassword,
                authorityHash: state.disk.authority.map { StagedAuthority.hash(of: $0) },
                isProvisioned: text("mqtt", "host") != nil, network: state.disk.network,
                canUndo: state.former != nil)
        }
    }

    func check(_ change: ConfigurationChange) async throws(OperationError) -> ConfigurationEffect {
        try await call("check") { _ in .reconnect }
    }

    func tryOut(_ change: ConfigurationChange) async throws(OperationError) {
        try await call("try out") { $0.trial = change }
    }

    func checkBroker(
        within limit: Duration, progress: @escaping @Sendable (BrokerStep) -> Void
    ) async throws(BrokerCheckFailure) {
        let failure = state.withLock { $0.checkFailure }
        for step in BrokerStep.allCases {
            progress(step)
            if let failure, failure.step == step { throw failure }
        }
        _ = try? await call("prove") { _ in }
    }

    func keep(network: String?) async throws(OperationError) {
        try await call("keep") { state in
            state.former = state.disk
            for (path, value) in state.trial?.values ?? [:] { state.disk.values[path] = value }
            if let authority = state.trial?.authority { state.disk.authority = authority.isEmpty ? nil : authority }
            if let network { state.disk.network = network }
            state.trial = nil
        }
    }

    func revert() async { _ = try? await call("take back") { $0.trial = nil } }

    func undo() async throws(OperationError) -> String? {
        try await call("undo") { state in
            guard let former = state.former else { return nil }
            (state.disk, state.former) = (former, nil)
            return former.network
        }
    }

    func clock() async -> ClockStatus { SystemClock(requireSynchronization: false).status }

    func setClock(unixMilliseconds: Int64, insists: Bool) async throws(OperationError) -> ClockStatus {
        try await call("clock") { $0.time = unixMilliseconds }
        return await clock()
    }

    func logTail(lines: Int) async -> [String] { state.withLock { Array($0.lines.suffix(lines)) } }

    func logLines() -> AsyncStream<String> {
        let (lines, listener) = AsyncStream.makeStream(of: String.self)
        state.withLock { $0.listeners.append(listener) }
        return lines
    }

    func log(_ line: String) {
        let listeners = state.withLock { state in
            state.lines.append(line)
            return state.listeners
        }
        for listener in listeners { listener.yield(line) }
    }

    func resetToFactory() async throws(OperationError) {
        try await call("reset") { state in
            (state.disk, state.former) = (Disk(), nil)
        }
    }
}
