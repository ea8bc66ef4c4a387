// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension CBPeripheral {
    /// Additive: something that happened to the connection.
    public enum ConnectionUpdate: Sendable {
        case connected
        /// A connection that was asked for did not come.
        case failed(any Error)
        /// The connection is gone; without an error where this side ended it.
        case disconnected((any Error)?, isReconnecting: Bool)
    }
}

/// Asynchronous callers and streams that wait for something on a peripheral.
struct PeripheralObservers {
    /// A write without response that waits for room.
    struct QueuedWrite {
        let value: [UInt8]
        let handle: UInt16
        let call: PendingCall<Void>
    }

    var states: [BoundedBuffer<CBPeripheralState, Never>] = []
    var updates: [BoundedBuffer<CBPeripheral.ConnectionUpdate, Never>] = []
    var connecting: [PendingCall<Void>] = []
    var disconnecting: [PendingCall<Void>] = []
    var writes = BoundedFIFO<QueuedWrite>()
}

extension CBPeripheral {
    /// Tells callers and streams, on the manager's queue.
    ///
    /// - Parameter isWishOnly: there was no link yet, only the wish for one.
    func tell(_ update: ConnectionUpdate, isWishOnly: Bool = false) {
        let (buffers, connecting, disconnecting, writes) = changing.withLock { state in
            var connecting: [PendingCall<Void>] = []
            var disconnecting: [PendingCall<Void>] = []
            var writes: [PeripheralObservers.QueuedWrite] = []
            // The end of an earlier link is no answer to who waits for the next one.
            if case .disconnected = update, !isWishOnly {} else { swap(&connecting, &state.observers.connecting) }
            if case .disconnected = update {
                swap(&disconnecting, &state.observers.disconnecting)
                while let write = state.observers.writes.popFirst() { writes.append(write) }
            }
            return (state.observers.updates, connecting, disconnecting, writes)
        }
        for buffer in buffers { buffer.push(update) }
        for call in disconnecting { call.finish(.success(())) }
        for write in writes { write.call.finish(.failure(CBError(.notConnected))) }
        decide(connecting, by: update)
    }

    private func decide(_ calls: [PendingCall<Void>], by update: ConnectionUpdate) {
        switch update {
        case .connected:
            let takers = calls.count { $0.finish(.success(())) }
            // Everybody who asked for it gave up in the very moment when it came.
            if !calls.isEmpty, takers == 0 { withdrawConnection() }
        case .failed(let error):
            for call in calls { call.finish(.failure(error)) }
        case .disconnected(let error, _):
            for call in calls { call.finish(.failure(error ?? CBError(.operationCancelled))) }
        }
    }

    /// Lets go of a connection that only asynchronous callers wanted, and none any more.
    func withdrawConnection() {
        let isUnwanted = changing.withLock { state in
            !state.isWantedByApplication && state.observers.connecting.isEmpty && state.state != .disconnected
        }
        if isUnwanted { manager?.cancelPeripheralConnection(self) }
    }

    /// A write command left for the controller. Gives the writes that there is room for now, and whether the delegate is
    /// to be told.
    func writeCommandSent() -> (writes: [PeripheralObservers.QueuedWrite], isReady: Bool) {
        changing.withLock { state in
            state.writeCommandsWaiting = max(0, state.writeCommandsWaiting - 1)
            var writes: [PeripheralObservers.QueuedWrite] = []
            // A delegate that waits as well gets its turn.
            let limit = state.owesReady ? Self.writeCommandLimit - 1 : Self.writeCommandLimit
            while state.writeCommandsWaiting < limit, let write = state.observers.writes.popFirst() {
                // Whoever gave up meanwhile does not want it sent.
                guard write.call.finish(.success(())) else { continue }
                state.writeCommandsWaiting += 1
                writes.append(write)
            }
            let isReady = state.owesReady && state.writeCommandsWaiting < Self.writeCommandLimit
            if isReady { state.owesReady = false }
            return (writes, isReady)
        }
    }
}
