// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import CoreBluetooth
import Journal
import Logging
import MQTT
import Platform
import Publisher
import Readings

/// What clients of the control socket are told.
extension GatewayService {
    /// Waits for all parts.
    package var status: GatewayStatus {
        status(controller: inquiries.controllerNow(), collector: collector.status, journal: bufferStatistics)
    }

    /// The same without waiting for longer than `limit`: what does not answer is shown as it was last, and named.
    func currentStatus(within limit: Duration) async -> GatewayStatus {
        async let controller = inquiries.controller.answer(within: limit)
        async let collector = inquiries.collector.answer(within: limit)
        async let journal = inquiries.journal.answer(within: limit)
        let (controllerNow, collectorNow, journalNow) = await (controller, collector, journal)
        var late: [String] = []
        if controllerNow == nil { late.append("the controller") }
        if collectorNow == nil { late.append("the collector") }
        if journalNow == nil { late.append("the journal") }
        var status = status(
            controller: controllerNow ?? inquiries.controller.last ?? .init(state: "does not answer"),
            collector: collectorNow ?? inquiries.collector.last ?? CollectorStatus(),
            journal: journalNow ?? inquiries.journal.last ?? self.journal.statistics)
        if !late.isEmpty { status.late = late.map { "\($0) does not answer: what is shown of it is old" } }
        return status
    }

    private func status(
        controller: GatewayInquiries.ControllerState, collector: CollectorStatus, journal: JournalStatistics
    ) -> GatewayStatus {
        let configuration = self.configuration
        return GatewayStatus(
            gateway: configuration.gateway, version: GatewayVersion.current,
            uptimeS: Int((ContinuousClock.now - began) / .seconds(1)), clock: clock.stamp().quality.rawValue,
            controller: .init(
                name: configuration.bluetooth.controller, state: controller.state, counters: controller.counters),
            collector: collector, journal: journal,
            mqtt: slot.publisher?.statistics
                ?? PublisherStatistics(broker: configuration.mqtt.addresses[0].description),
            bondProblems: controller.bondProblems, time: clock.status,
            configurationProblems: configuration.layerProblems.isEmpty ? nil : configuration.layerProblems)
    }

    func setClock(unixMilliseconds: Int64, insists: Bool) throws(OperationError) -> ClockStatus {
        switch clock.trust(unixMilliseconds: unixMilliseconds, insists: insists) {
        case .taken:
            clockKeeper.look()
            return clock.status
        case .notNeeded(let difference):
            throw OperationError(
                .refused,
                "the system's clock counts as right already, and stays; "
                    + "what was given is \(difference) ms ahead of it")
        case .doubtful(let doubt):
            throw OperationError(.refused, "\(doubt); if it is right all the same, insist on it with --force")
        case .implausible:
            throw OperationError(
                .notValid, "no reading is given a time before 15 September 2025 or after the year 2099")
        }
    }

    /// The journal's books, and those of each sensor.
    package var bufferStatistics: JournalStatistics { journal.completeStatistics }

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
            ControlResponse.success(HistoryAnswer(mode: mode, buffered: journal.statistics.buffered)))
    }

    /// Begins the dialogue that a line of the control socket asks for.
    func dialogue(_ line: [UInt8]) -> ControlDialogue? {
        guard let request = try? ControlCoding.decode(ControlRequest.self, from: line),
            ControlRequest.Command(rawValue: request.command) == .pair, !isStopped
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
    func answer(_ line: [UInt8]) async -> [UInt8] {
        do {
            guard let request = try? ControlCoding.decode(ControlRequest.self, from: line) else {
                return try Self.refusal(#"the request is no JSON object with a "command""#)
            }
            guard let command = ControlRequest.Command(rawValue: request.command) else {
                return try Self.refusal("unknown command")
            }
            do {
                return try await answer(command, request)
            } catch let error as OperationError {
                return try Self.refusal(error.description)
            }
        } catch {
            logger.error("answer could not be encoded", metadata: ["error": "\(error)"])
            return Array(#"{"error":"internal error","ok":false}"#.utf8)
        }
    }

    private func answer(_ command: ControlRequest.Command, _ request: ControlRequest) async throws -> [UInt8] {
        switch command {
        case .status: return try Self.success(await operations.status())
        case .bufferStats:
            guard let books = await inquiries.journal.answer(within: GatewayOperator.patience) else {
                return try Self.refusal("the journal does not answer")
            }
            return try Self.success(books)
        case .historyPause, .historyResume, .historyDrain: return try answerHistory(request)
        case .bufferPurge:
            guard let purged = await inquiries.onJournal({ [journal] in journal.purge() }) else {
                return try Self.refusal(journal.statistics.problem ?? "the gateway is stopping")
            }
            return try Self.success(BufferPurge(purged: purged))
        case .bufferCompact:
            guard let compaction = await inquiries.onJournal({ [journal] in journal.compact() }) else {
                return try Self.refusal(journal.statistics.problem ?? "the gateway is stopping")
            }
            return try Self.success(compaction)
        case .bonds: return try Self.success(await operations.bonds())
        case .unpair: return try Self.success(try await operations.unpair(request.device ?? ""))
        case .clock: return try Self.success(clock.status)
        case .clockSet:
            guard let time = request.unixMs else { return try Self.refusal(#"the request has no "unix_ms""#) }
            return try Self.success(try setClock(unixMilliseconds: time, insists: request.force == true))
        case .devices: return try Self.success(await operations.heardSensors())
        case .accept: return try Self.success(try await operations.accept(SensorAcceptance(request)))
        case .forget:
            try await operations.forget(request.device ?? "")
            return try Self.success(request.device ?? "")
        case .why: return try Self.success(try await operations.explain(request.device ?? ""))
        case .pair: return try Self.refusal("the gateway is stopping")
        }
    }

    private static func success(_ result: some Codable & Sendable) throws -> [UInt8] {
        try ControlCoding.encode(ControlResponse.success(result))
    }

    private static func refusal(_ reason: String) throws -> [UInt8] {
        try ControlCoding.encode(ControlResponse<String>.failure(reason))
    }
}

extension SensorAcceptance {
    fileprivate init(_ request: ControlRequest) {
        self.init(
            address: request.device ?? "", id: request.id, subscribe: request.subscribe,
            passkey: request.passkey.map { Secret($0) })
    }
}
