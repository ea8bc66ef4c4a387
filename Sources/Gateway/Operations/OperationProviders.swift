// SPDX-License-Identifier: Apache-2.0

import Operations
import Synchronization

/// Operations that other modules implement: the window for phones, the LED, checks of foreign text.
final class OperationProviders: Sendable {
    typealias Provider = @Sendable (OperationCall) async throws(OperationError) -> OperationRow.Result
    typealias DialogueMaker = @Sendable (OperationCall) -> ControlDialogue?

    /// The answer where a gateway lacks the part that carries an operation out.
    static let isOff = "this gateway cannot do that: the part that does it is switched off"

    private let works = Mutex<[OperationName: OperationWork.Own]>([:])
    private let dialogues = Mutex<[OperationName: DialogueMaker]>([:])

    func add(_ name: OperationName, _ work: @escaping OperationWork.Own) { works.withLock { $0[name] = work } }
    func add(_ name: OperationName, dialogue: @escaping DialogueMaker) { dialogues.withLock { $0[name] = dialogue } }

    /// Lets go of the other modules' parts, which may hold the gateway.
    func removeAll() {
        works.withLock { $0 = [:] }
        dialogues.withLock { $0 = [:] }
    }

    func work(_ name: OperationName) -> OperationWork.Own? { works.withLock { $0[name] } }
    func dialogue(_ name: OperationName) -> DialogueMaker? { dialogues.withLock { $0[name] } }
}

extension GatewayService {
    /// Implements an operation in another module. On the socket, the operation may take
    /// up to `ControlLimits.answer`. Its task is cancelled when no client waits for the answer any more.
    package func provide<Arguments, Result>(
        _ operation: TypedOperation<Arguments, Result>,
        _ work: @escaping @Sendable (Arguments, OperationCall) async throws(OperationError) -> Result
    ) {
        providers.add(operation.name) { _, call throws(OperationError) in
            try await work(try call.arguments(of: operation), call)
        }
    }

    /// Lets another module make the dialogue for a request on the control socket. `make` must not block. If `make`
    /// returns nil, the request is refused.
    package func provide(_ name: OperationName, dialogue make: @escaping @Sendable (OperationCall) -> ControlDialogue?)
    {
        providers.add(name, dialogue: make)
    }

    func provided(_ name: OperationName) -> OperationWork.Own? { providers.work(name) }
}
