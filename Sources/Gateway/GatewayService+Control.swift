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
        async let system = inquiries.system.answer(within: limit)
        let (controllerNow, collectorNow, journalNow) = await (controller, collector, journal)
        var late: [String] = []
        if controllerNow == nil { late.append("the controller") }
        if collectorNow == nil { late.append("the collector") }
        if journalNow == nil { late.append("the journal") }
        var status = status(
            controller: controllerNow ?? inquiries.controller.last ?? .init(state: "does not answer"),
            collector: collectorNow ?? inquiries.collector.last ?? CollectorStatus(),
            journal: journalNow ?? inquiries.journal.last ?? self.journal.statistics)
        status.system = await system
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
                name: configuration.bluetooth.controller, state: controller.state, counters: controller.counters,
                slots: controller.slots, health: controller.health,
                uptimeMs: MonotonicTime.now.wholeMilliseconds),
            collector: collector, journal: journal,
            mqtt: slot.publisher?.statistics
                ?? PublisherStatistics(broker: configuration.mqtt.addresses[0].description),
            bondProblems: controller.bondProblems, time: clock.status,
            configurationProblems: configuration.layerProblems.isEmpty ? nil : configuration.layerProblems,
            commandsRefused: commands.refused.isEmpty ? nil : commands.refused)
    }

    /// The journal's books, and those of each sensor.
    package var bufferStatistics: JournalStatistics { journal.completeStatistics }

    /// Begins the dialogue that a line of the control socket asks for.
    func dialogue(_ line: [UInt8]) -> ControlDialogue? {
        guard let request = try? ControlCoding.decode(ControlRequest.self, from: line), !isStopped else { return nil }
        switch ControlRequest.Command(rawValue: request.command) {
        case .pair: return pairing(request)
        case .inspect: return operations.inspection(request)
        default: return nil
        }
    }

    private func pairing(_ request: ControlRequest) -> ControlDialogue {
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
        case .bufferStats: return try Self.success(try await operations.buffer())
        case .historyPause: return try Self.success(await operations.setHistory(.paused))
        case .historyResume: return try Self.success(await operations.setHistory(.normal))
        case .historyDrain: return try Self.success(await operations.setHistory(.draining))
        case .bufferPurge: return try Self.success(try await operations.purgeBuffer())
        case .bufferCompact: return try Self.success(try await operations.compactBuffer())
        case .bonds: return try Self.success(await operations.bonds())
        case .unpair: return try Self.success(try await operations.unpair(request.device ?? ""))
        case .clock: return try Self.success(await operations.clock())
        case .clockSet:
            guard let time = request.unixMs else { return try Self.refusal(#"the request has no "unix_ms""#) }
            return try Self.success(
                try await operations.setClock(unixMilliseconds: time, insists: request.force == true))
        case .devices: return try Self.success(await operations.heardSensors())
        case .accept: return try Self.success(try await operations.accept(SensorAcceptance(request)))
        case .forget:
            if let quantity = request.quantity {
                try await operations.forget(quantity, of: request.device ?? "")
            } else {
                try await operations.forget(request.device ?? "")
            }
            return try Self.success(request.device ?? "")
        case .key:
            try await operations.setBindKey(Secret(request.bindKey ?? ""), of: request.device ?? "")
            return try Self.success(request.device ?? "")
        case .trust:
            return try Self.success(try await operations.trust(request.device ?? "", request.address))
        case .why: return try Self.success(try await operations.explain(request.device ?? ""))
        case .read:
            return try Self.success(try await GatewayOperator(self).read(try CharacteristicRequest(request)))
        case .write:
            return try Self.success(
                try await GatewayOperator(self).write(
                    request.value ?? "", to: try CharacteristicRequest(request), wantsResponse: request.response))
        case .supportBundle: return try Self.success(try await writeSupportBundle())
        case .updateReport:
            guard let report = request.update else { return try Self.refusal(#"the request has no "update""#) }
            return try Self.success(try take(report))
        case .pair, .inspect: return try Self.refusal("the gateway is stopping")
        }
    }

    private static func success(_ result: some Codable & Sendable) throws -> [UInt8] {
        try ControlCoding.encode(ControlResponse.success(result))
    }

    private static func refusal(_ reason: String) throws -> [UInt8] {
        try ControlCoding.encode(ControlResponse<String>.failure(reason))
    }
}

extension CharacteristicRequest {
    fileprivate init(_ request: ControlRequest) throws(OperationError) {
        let text = request.characteristic ?? ""
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else {
            throw OperationError(
                .notValid,
                "\(quoted(String(text.prefix(64)))) is no \"SERVICE/CHARACTERISTIC\", like \"180f/2a19\"")
        }
        self.init(sensor: request.device ?? "", service: parts[0], characteristic: parts[1])
    }
}

extension SensorAcceptance {
    fileprivate init(_ request: ControlRequest) {
        self.init(
            address: request.device ?? "", id: request.id, subscribe: request.subscribe,
            passkey: request.passkey.map { Secret($0) })
    }
}
