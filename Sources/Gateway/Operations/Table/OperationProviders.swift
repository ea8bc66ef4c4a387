// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Operations that other modules carry out: the window for phones, the LED, checks of foreign text.
final class OperationProviders: Sendable {
    typealias Provider = @Sendable (OperationCall) async throws(OperationError) -> OperationRow.Result
    typealias DialogueMaker = @Sendable (OperationCall) -> ControlDialogue?

    private let works = Mutex<[OperationName: OperationRow.Work]>([:])
    private let dialogues = Mutex<[OperationName: DialogueMaker]>([:])

    func add(_ name: OperationName, _ work: @escaping OperationRow.Work) { works.withLock { $0[name] = work } }
    func add(_ name: OperationName, dialogue: @escaping DialogueMaker) { dialogues.withLock { $0[name] = dialogue } }

    func work(_ name: OperationName) -> OperationRow.Work? { works.withLock { $0[name] } }
    func dialogue(_ name: OperationName) -> DialogueMaker? { dialogues.withLock { $0[name] } }
}

extension GatewayService {
    /// Has an operation carried out by another module; its row says that it is done elsewhere. On the socket it may take its time
    /// (`ControlLimits.answer`), and its task is cancelled when nobody waits for it any more.
    package func provide(
        _ name: OperationName,
        _ work: @escaping @Sendable (OperationCall) async throws(OperationError) -> OperationRow.Result
    ) {
        providers.add(name) { _, call throws(OperationError) in try await work(call) }
    }

    /// Has a request on the control socket begin a dialogue of another module. `make` must not wait for anything, and may give nil:
    /// then the request is refused.
    package func provide(_ name: OperationName, dialogue make: @escaping @Sendable (OperationCall) -> ControlDialogue?)
    {
        providers.add(name, dialogue: make)
    }

    func provided(_ name: OperationName) -> OperationRow.Work? { providers.work(name) }
}
