// SPDX-License-Identifier: Apache-2.0

import Collector
import Dispatch
import Foundation
import Journal
import Logging
import Publisher
import Readings
import Synchronization

/// The commands over MQTT that the gateway itself carries out.
extension GatewayService {
    /// Devices that a scan tells of, the nearest: so many fit into a message that all brokers take.
    private static let maximumHeard = 64
    private static let restartFact = "command:restart"

    private struct Sensor: Decodable { var sensor: String }

    private struct Forgetting: Decodable {
        var sensor: String
        var quantity: String?
    }

    private struct Trust: Decodable {
        var sensor: String
        var address: String?
    }

    private struct Acceptance: Decodable {
        var address: String
        /// What it is to be called: `id` is the command's.
        var sensor: String?
        var subscribe: [String]?
    }

    private struct History: Decodable { var mode: String }

    private struct Write: Decodable {
        var sensor: String
        var service: String
        var characteristic: String
        var value: String
        var response: Bool?
    }

    private struct Update: Decodable { var action: UpdateAction? }

    private struct Head: Decodable { var id: String? }

    private struct Nothing: Encodable {}

    /// Carries a command out when those before it have been, and has it answered.
    func perform(_ request: CommandRequest) {
        lastCommand.withLock { last in
            last = Task { [before = last, commands, slot, logger] in
                await before?.value
                let answer = await commands.perform(request)
                if case .failure(let kind, let text) = answer, let unsaid = commands.admitNotice() {
                    var metadata: Logger.Metadata = [
                        "command": "\(request.verb)", "reason": "\(kind)", "cause": "\(text)",
                    ]
                    if unsaid > 0 { metadata["mqtt.unsaid"] = "\(unsaid)" }
                    logger.notice("a command was not carried out", metadata: metadata)
                }
                slot.publisher?.answer(request, answer)
            }
        }
    }

    func addCommands() {
        commands.add("scan") { [weak self] _ throws(OperationError) in
            let heard = await self?.operations.heardSensors() ?? []
            return try RemoteCommands.answer(Array(heard.prefix(Self.maximumHeard)))
        }
        commands.add("why") { [weak self] data throws(OperationError) in
            let sensor = try RemoteCommands.arguments(Sensor.self, of: data).sensor
            return try RemoteCommands.answer(try await self?.operations.explain(sensor))
        }
        commands.add("accept") { [weak self] data throws(OperationError) in
            let wish = try RemoteCommands.arguments(Acceptance.self, of: data)
            return try RemoteCommands.answer(
                try await self?.operations.accept(
                    SensorAcceptance(address: wish.address, id: wish.sensor, subscribe: wish.subscribe)))
        }
        commands.add("forget") { [weak self] data throws(OperationError) in
            let wish = try RemoteCommands.arguments(Forgetting.self, of: data)
            if let quantity = wish.quantity {
                try await self?.operations.forget(quantity, of: wish.sensor)
            } else {
                try await self?.operations.forget(wish.sensor)
            }
            return try RemoteCommands.answer(Nothing())
        }
        commands.add("trust") { [weak self] data throws(OperationError) in
            let wish = try RemoteCommands.arguments(Trust.self, of: data)
            return try RemoteCommands.answer(try await self?.operations.trust(wish.sensor, wish.address))
        }
        commands.add("write") { [weak self] data throws(OperationError) in
            let wish = try RemoteCommands.arguments(Write.self, of: data)
            guard let self else { throw OperationError(.failed, "the gateway is stopping") }
            return try RemoteCommands.answer(
                try await GatewayOperator(self).write(
                    wish.value,
                    to: CharacteristicRequest(
                        sensor: wish.sensor, service: wish.service, characteristic: wish.characteristic),
                    wantsResponse: wish.response))
        }
        commands.add("support-bundle") { [weak self] _ throws(OperationError) in
            guard let self else { throw OperationError(.failed, "the gateway is stopping") }
            var bundle = try await writeSupportBundle()
            if let problem = bundle.problem { throw OperationError(.failed, problem) }
            // Too large for a message, and for others' eyes.
            bundle.text = nil
            return try RemoteCommands.answer(bundle)
        }
        commands.add("history") { [weak self] data throws(OperationError) in
            let modes = ["pause": HistoryMode.paused, "resume": .normal, "drain": .draining]
            let word = try RemoteCommands.arguments(History.self, of: data).mode
            guard let mode = modes[word] else {
                throw OperationError(.notValid, #""mode" is "pause", "resume" or "drain""#)
            }
            return try RemoteCommands.answer(await self?.operations.setHistory(mode))
        }
        commands.add("update") { [weak self] data throws(OperationError) in
            guard let action = try RemoteCommands.arguments(Update.self, of: data).action else {
                throw OperationError(.notValid, #""action" is "check" or "install""#)
            }
            try self?.update(action)
            return try RemoteCommands.answer(self?.imageUpdate)
        }
        commands.add("restart") { [weak self] data throws(OperationError) in
            guard let self, let restart else {
                throw OperationError(.refused, "this gateway cannot be started anew from here")
            }
            // A broker may send a command again that the process before has carried out.
            let id = (try? RemoteCommands.arguments(Head.self, of: data))?.id
            if let id {
                guard journal.identifier(for: Self.restartFact) != id else {
                    return try RemoteCommands.answer(Nothing())
                }
                journal.setIdentifier(id, for: Self.restartFact)
            }
            logger.notice("a command over MQTT starts the gateway anew")
            // The answer goes out while the gateway stops.
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(200)) { restart() }
            return try RemoteCommands.answer(Nothing())
        }
    }
}
