// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Synchronization

extension CBPeripheral {
    /// Additive: an event of the connection.
    public enum ConnectionUpdate: Sendable {
        /// The peripheral is connected.
        case connected
        /// A connection attempt failed.
        case failed(any Error)
        /// The connection has ended; without an error if this side ended it.
        case disconnected((any Error)?, isReconnecting: Bool)
    }
}

/// The asynchronous callers and streams of a peripheral.
struct PeripheralObservers {
    /// A write without response that waits for room.
    struct QueuedWrite {
        let value: [UInt8]
        let handle: UInt16
        let call: PendingCall<Void>
    }

    /// The callers and streams that one update concerns.
    struct Concerned {
        let update: CBPeripheral.ConnectionUpdate
        fileprivate let buffers: [BoundedBuffer<CBPeripheral.ConnectionUpdate, Never>]
        fileprivate var connecting: [PendingCall<Void>] = []
        fileprivate var disconnecting: [PendingCall<Void>] = []
        fileprivate var writes: [QueuedWrite] = []
    }

    var states: [BoundedBuffer<CBPeripheralState, Never>] = []
    var updates: [BoundedBuffer<CBPeripheral.ConnectionUpdate, Never>] = []
    var connecting: [PendingCall<Void>] = []
    var disconnecting: [PendingCall<Void>] = []
    var writes = BoundedFIFO<QueuedWrite>()

    /// The callers and streams to tell. Call it together with the change of state: a later caller waits for the next
    /// connection, and must not hear of this one.
    ///
    /// - Parameter isWishOnly: the peripheral had no link yet, only a connection attempt.
    mutating func receive(_ update: CBPeripheral.ConnectionUpdate, isWishOnly: Bool = false) -> Concerned {
        var concerned = Concerned(update: update, buffers: updates)
        if case .disconnected = update {
            swap(&concerned.disconnecting, &disconnecting)
            while let write = writes.popFirst() { concerned.writes.append(write) }
            // The end of an earlier link is no answer for callers that wait for the next link.
            guard isWishOnly else { return concerned }
        }
        swap(&concerned.connecting, &connecting)
        return concerned
    }
}

extension CBPeripheral {
    /// Tells callers and streams, on the manager's queue.
    func tell(_ concerned: PeripheralObservers.Concerned) {
        for buffer in concerned.buffers { buffer.push(concerned.update) }
        for call in concerned.disconnecting { call.finish(.success(())) }
        for write in concerned.writes { write.call.finish(.failure(CBError(.notConnected))) }
        let calls = concerned.connecting
        switch concerned.update {
        case .connected:
            let takers = calls.count { $0.finish(.success(())) }
            // All callers gave up at the moment of the connection.
            if !calls.isEmpty, takers == 0 { withdrawConnection() }
        case .failed(let error):
            for call in calls { call.finish(.failure(error)) }
        case .disconnected(let error, _):
            for call in calls { call.finish(.failure(error ?? CBError(.operationCancelled))) }
        }
    }

    /// Gives up a connection that only asynchronous callers wanted, when the last caller has given up.
    func withdrawConnection() {
        let isUnwanted = changing.withLock { state in
            !state.isWantedByApplication && state.observers.connecting.isEmpty && state.state != .disconnected
        }
        if isUnwanted { manager?.cancelPeripheralConnection(self) }
    }

    /// A write command has gone to the controller: sends the queued writes for which there is room. True when the
    /// delegate has to get its call.
    func writeCommandSent(on link: LinkID, by manager: CBCentralManager) -> Bool {
        changing.withLock { state in
            state.writeCommands.left()
            while state.writeCommands.hasRoomForOthers, let write = state.observers.writes.popFirst() {
                // A caller has given up meanwhile: its write is not sent.
                guard write.call.finish(.success(())) else { continue }
                state.writeCommands.wrote()
                // In the lock: a later request of the caller may need this write, and must come after it.
                manager.writeCommand(write.value, to: write.handle, on: link)
            }
            return state.writeCommands.takeReady()
        }
    }
}
