// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Journal
import Logging
import Operations
import Publisher
import Synchronization

extension GatewayService {
    /// Runs a command after all earlier commands, and answers it.
    func perform(_ request: CommandRequest) {
        commands.afterOthers { [weak self, commands, slot, logger] in
            let answer = await self?.answer(request) ?? .failure(kind: "failed", "the gateway is stopping")
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

    func answer(_ request: CommandRequest) async -> CommandAnswer {
        await commands.perform(request) { row, call throws(OperationError) in try await perform(row, call) }
    }

    /// The ids of the last restarts, the newest last, as a JSON array of strings. A release before wrote one id alone.
    private static let restartFact = "command:restart"
    private static let rememberedRestarts = 16

    /// Whether this is the first request with the id. A broker may repeat a request that a former process has carried out.
    private func isFirstRestart(_ id: String) -> Bool {
        let known = journal.identifier(for: Self.restartFact).map { fact in
            (try? JSONDecoder().decode([String].self, from: Data(fact.utf8))) ?? [fact]
        }
        let ids = known ?? []
        guard !ids.contains(id),
            let fact = try? JSONEncoder().encode(ids.suffix(Self.rememberedRestarts - 1) + [id])
        else { return false }
        journal.setIdentifier(String(decoding: fact, as: UTF8.self), for: Self.restartFact)
        return true
    }

    /// Ends the process for a restart, after the answer has been sent.
    func startAnew(_ call: OperationCall) throws(OperationError) -> OperationTable.Nothing {
        guard let restart else {
            throw OperationError(.refused, "this gateway cannot be started anew from here")
        }
        if let id = call.id, !isFirstRestart(id) { return .init() }
        logger.notice("a client starts the gateway anew", metadata: ["operation.way": "\(call.caller)"])
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(300)) { restart() }
        return .init()
    }
}
