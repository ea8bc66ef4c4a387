// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Configuration
import CoreBluetooth
import Foundation
import Health
import Journal
import Logging
import MQTT
import Operations
import Platform
import Publisher
import Readings

/// Answers for clients of the control socket.
extension GatewayService {
    /// Blocks until all parts have answered.
    package var status: GatewayStatus {
        judged(
            status(controller: inquiries.controllerNow(), collector: collector.status, journal: bufferStatistics))
    }

    /// The status, without waiting for longer than `limit`. A part that does not answer is shown with its last state,
    /// and named.
    func currentStatus(within limit: Duration) async -> GatewayStatus {
        async let controller = inquiries.controller.answer(within: limit)
        async let collector = inquiries.collector.answer(within: limit)
        async let journal = inquiries.journal.answer(within: limit)
        async let system = inquiries.system.answer(within: limit)
        let (controllerNow, collectorNow, journalNow) = await (controller, collector, journal)
        var late: [LatePart] = []
        if controllerNow == nil { late.append(.controller) }
        if collectorNow == nil { late.append(.collector) }
        if journalNow == nil { late.append(.journal) }
        var status = status(
            controller: controllerNow ?? inquiries.controller.last ?? .init(state: "does not answer"),
            collector: collectorNow ?? inquiries.collector.last ?? CollectorStatus(),
            journal: journalNow ?? inquiries.journal.last ?? self.journal.statistics)
        if let system = await system { status.system = system }
        if !late.isEmpty { status.late = late.map(\.sentence) }
        return judged(status)
    }

    /// A light that a person sees: see ``HealthKeeper/onFailure(_:)``.
    package func onFailure(_ body: @escaping @Sendable (_ hasFailure: Bool) -> Void) {
        inquiries.health.onFailure(body)
    }

    /// With the problems that there are.
    private func judged(_ status: GatewayStatus) -> GatewayStatus {
        var status = status
        inquiries.limits.look(&status, maintained: Set(inquiries.health.word.sensorsInMaintenance.keys))
        return inquiries.health.judge(status, at: clock.stamp().uptimeMilliseconds)
    }

    private func status(
        controller: GatewayInquiries.ControllerState, collector: CollectorStatus, journal: JournalStatistics
    ) -> GatewayStatus {
        let configuration = self.configuration
        let stamp = clock.stamp()
        return GatewayStatus(
            gateway: configuration.gateway, site: configuration.site, version: GatewayVersion.current,
            uptimeS: Int(stamp.uptimeMilliseconds.subtractingSaturated(firstStamp.uptimeMilliseconds) / 1_000),
            clock: stamp.quality.rawValue,
            controller: .init(
                name: configuration.bluetooth.controller, state: controller.state, counters: controller.counters,
                slots: controller.slots, health: controller.health,
                uptimeMs: MonotonicTime.now.wholeMilliseconds),
            collector: collector, journal: journal,
            mqtt: slot.publisher?.statistics
                ?? PublisherStatistics(broker: configuration.mqtt.addresses[0].description),
            bondProblems: controller.bondProblems, time: clock.status,
            configurationProblems: configuration.layerProblems.isEmpty ? nil : configuration.layerProblems,
            copiedFrom: configuration.copiedFrom, commandsRefused: commands.refused.isEmpty ? nil : commands.refused,
            system: inquiries.system.last)
    }

    /// The books of the journal and of each sensor.
    package var bufferStatistics: JournalStatistics { journal.completeStatistics }

    private static let isStopping = "the gateway is stopping"

    private struct Named: Decodable { var command: String }

    /// The table's row for a line of the control socket; nil for an unreadable line. The row is nil for an unknown
    /// command.
    private static func operation(of line: [UInt8]) throws(OperationError) -> (OperationRow?, OperationCall)? {
        guard let named = try? ControlCoding.decode(Named.self, from: line) else { return nil }
        let call = OperationCall(.socket, Data(line), executor: ControlExecutor.shared)
        return (try OperationTable.row(named.command, for: .socket, call.data), call)
    }

    /// Begins the dialogue requested by a line of the control socket; nil for a line that requests none.
    func dialogue(_ line: [UInt8]) -> ControlDialogue? {
        guard !isStopped, let (row, call) = try? Self.operation(of: line), let row, row.form == .dialogue else {
            return nil
        }
        do { try row.admit(call) } catch { return .refusing(error.description) }
        if let begin = OperationDialogues[row.name] { return begin(self, call) }
        return providers.dialogue(row.name)?(call)
    }

    func pairing(_ call: OperationCall) -> ControlDialogue {
        do throws(OperationError) {
            let wish = try call.arguments(of: OperationTable.pair)
            let passkey = wish.passkey.flatMap { CBPasskey($0) }
            let dialogue = PairingDialogue(passkey: passkey)
            let control = dialogue.makeControl()
            if wish.passkey != nil, passkey == nil {
                dialogue.fail("a passkey has six digits")
            } else {
                collector.pair(wish.sensor, dialogue)
            }
            return control
        } catch {
            return .refusing(error.description)
        }
    }

    /// Answers a line of the control socket.
    func answer(_ line: [UInt8]) async -> [UInt8] {
        do {
            do {
                guard let (row, call) = try Self.operation(of: line) else {
                    return try Self.refusal(#"the request is no JSON object with a "command""#)
                }
                guard let row else { return try Self.refusal("unknown command") }
                try row.admit(call)
                guard row.form == .answer else {
                    return try Self.refusal(isStopped ? Self.isStopping : OperationProviders.isOff)
                }
                return try row.encoded(OperationSuccess(try await perform(row, call)))
            } catch let error as OperationError {
                return try Self.refusal(error.description)
            }
        } catch {
            logger.error("answer could not be encoded", metadata: ["error": "\(error)"])
            return Array(#"{"error":"internal error","ok":false}"#.utf8)
        }
    }

    private static func refusal(_ reason: String) throws -> [UInt8] {
        try ControlCoding.encode(ControlResponse<String>.failure(reason))
    }
}
