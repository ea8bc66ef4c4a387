// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension CBPeripheral {
    /// Additive: connects, and returns when the connection is there; at once where it is already.
    ///
    /// ```swift
    /// try await peripheral.connect(timeout: .seconds(10))
    /// ```
    ///
    /// The manager's delegate hears of the connection as well. A call that is cancelled, or times out, takes its wish
    /// back, unless the application asked for the connection by ``CBCentralManager/connect(_:options:)`` or others still
    /// wait for it.
    ///
    /// - Parameters:
    ///   - options: as for ``CBCentralManager/connect(_:options:)``.
    ///   - timeout: nil waits until the peripheral comes, as Core Bluetooth does.
    nonisolated(nonsending) public func connect(options: [String: Any]? = nil, timeout: Duration? = nil) async throws {
        guard let manager else { throw CBError(.unknownDevice) }
        defer { withExtendedLifetime(manager) {} }
        // The end of the last connection must not be taken for that of the next.
        if state == .disconnecting { try await disconnect(timeout: timeout) }
        try await PendingCall<Void>.run(timeout: timeout) { [self] call in
            changing.withLock { $0.observers.connecting.removeAll { $0 === call } }
            withdrawConnection()
        } _: { call in
            let isConnected = changing.withLock { state in
                if state.state == .connected { return true }
                state.observers.connecting.append(call)
                return false
            }
            if isConnected { call.finish(.success(())) } else { manager.begin(self, options: options) }
        }
    }

    /// Additive: lets go of the connection, or of the wish for one, and returns when it is gone.
    nonisolated(nonsending) public func disconnect(timeout: Duration? = nil) async throws {
        guard let manager else { throw CBError(.unknownDevice) }
        defer { withExtendedLifetime(manager) {} }
        try await PendingCall<Void>.run(timeout: timeout) { [self] call in
            changing.withLock { $0.observers.disconnecting.removeAll { $0 === call } }
        } _: { call in
            let state = changing.withLock { state in
                if state.state != .disconnected { state.observers.disconnecting.append(call) }
                return state.state
            }
            switch state {
            case .disconnected: call.finish(.success(()))
            case .disconnecting: break  // it is on its way
            case .connecting, .connected: manager.cancelPeripheralConnection(self)
            }
        }
    }

    /// Additive: the connection states, beginning with the present one.
    public var states: CBStream<CBPeripheralState, Never> {
        CBStream(.newest(16)) { [self] buffer in
            changing.withLock { state in
                state.observers.states.append(buffer)
                buffer.push(state.state)
            }
            return { self.changing.withLock { state in state.observers.states.removeAll { $0 === buffer } } }
        }
    }

    /// Additive: what happens to the connection from now on, with reasons.
    public var connectionUpdates: CBStream<ConnectionUpdate, Never> {
        CBStream(.newest(16)) { [self] buffer in
            changing.withLock { $0.observers.updates.append(buffer) }
            return { self.changing.withLock { state in state.observers.updates.removeAll { $0 === buffer } } }
        }
    }
}
