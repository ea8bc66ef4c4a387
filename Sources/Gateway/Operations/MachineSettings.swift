// SPDX-License-Identifier: Apache-2.0

import Configuration
import Dispatch
import Operations
import Publisher
import StateFiles
import Synchronization

/// The layer of the configuration that the gateway writes itself: the layer on disk, and the layer of a trial.
///
/// All changes run on ``queue``, one after the other.
final class MachineSettings: Sendable {
    struct Trial: Sendable {
        var layer: MachineLayer
        /// The gateway's configuration before the trial, and its publisher.
        let former: GatewayConfiguration
        let formerPublisher: Publisher?
    }

    struct State: Sendable {
        /// The layer on disk, and its predecessor.
        var kept: MachineLayer
        var before: MachineLayer?
        var trial: Trial?
        /// A trial was lost, because the configuration was read again.
        var hasLostTrial = false
        /// Changes in the queue, including the current change.
        var changes = 0
    }

    /// At most this many changes may wait.
    static let maximumChanges = 16

    let source: ConfigurationSource
    let store: MachineLayerStore
    let queue = DispatchQueue(label: "martlet.operations", qos: .utility)
    let state: Mutex<State>

    init(_ source: ConfigurationSource, _ store: MachineLayerStore) {
        self.source = source
        self.store = store
        let kept = store.layer()
        let before = store.layerBefore()
        store.removeUnused(besides: [kept] + (before.map { [$0] } ?? []))
        state = Mutex(State(kept: kept, before: before))
    }

    /// Makes a change; throws `busy` if too many changes wait already, unless the change is `urgent`.
    func change<Result: Sendable>(
        urgent: Bool = false,
        _ body: @escaping @Sendable () throws(OperationError) -> Result
    ) async throws(OperationError) -> Result {
        let isAllowed = state.withLock { state in
            guard urgent || state.changes < Self.maximumChanges else { return false }
            state.changes += 1
            return true
        }
        guard isAllowed else { throw OperationError(.busy, "too much is being changed at once: try again in a moment") }
        let result = await withCheckedContinuation { continuation in
            queue.async { [self] in
                let result = Swift.Result { () throws(OperationError) in try body() }
                state.withLock { $0.changes -= 1 }
                continuation.resume(returning: result)
            }
        }
        return try result.get()
    }

    // Only on ``queue``.

    var kept: MachineLayer { state.withLock { $0.kept } }
    var before: MachineLayer? { state.withLock { $0.before } }
    var trial: Trial? { state.withLock { $0.trial } }

    /// The layer in use.
    var current: MachineLayer { state.withLock { $0.trial?.layer ?? $0.kept } }

    /// The configuration was read from disk, so the trial ends.
    func endTrial() {
        let kept = store.layer()
        state.withLock { state in
            if state.trial != nil { state.hasLostTrial = true }
            state.trial = nil
            state.kept = kept
        }
    }

    /// Writes a layer.
    func keep(_ layer: MachineLayerText, keepsFormer: Bool) throws(OperationError) {
        do throws(StateFileError) {
            try store.keep(layer, keepsFormer: keepsFormer)
        } catch {
            throw OperationError(.failed, "\(store.path) cannot be written: \(error)")
        }
        state.withLock { state in
            if keepsFormer { state.before = state.kept }
            state.kept = layer.layer
        }
        removeUnused()
    }

    func removeUnused() {
        let layers = state.withLock { [$0.kept, $0.before, $0.trial?.layer].compactMap { $0 } }
        store.removeUnused(besides: layers)
    }
}

extension OperationError {
    /// A mistake in a file of decoders has nothing to do with the change, and is told without its details.
    init(_ error: ConfigurationError) {
        guard let file = error.issues.first(where: \.isInDecoders)?.file else {
            self.init(.notValid, error.issues.map(\.message).joined(separator: "; "))
            return
        }
        self = OperationError(
            .notValid, "the decoder file \(file) has a mistake: mend or remove the file before you change anything")
    }
}
