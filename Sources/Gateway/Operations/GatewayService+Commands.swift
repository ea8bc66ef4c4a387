// SPDX-License-Identifier: Apache-2.0

import Dispatch
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

    private static let restartFact = "command:restart"

    /// Ends the process for a restart, after the answer has been sent.
    func startAnew(_ call: OperationCall) throws(OperationError) -> OperationTable.Nothing {
        guard let restart else {
            throw OperationError(.refused, "this gateway cannot be started anew from here")
        }
        // A broker may repeat a command that the former process has carried out.
        if let id = call.id {
            guard journal.identifier(for: Self.restartFact) != id else { return .init() }
            journal.setIdentifier(id, for: Self.restartFact)
        }
        logger.notice("a client starts the gateway anew", metadata: ["operation.way": "\(call.caller)"])
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(300)) { restart() }
        return .init()
    }
}
