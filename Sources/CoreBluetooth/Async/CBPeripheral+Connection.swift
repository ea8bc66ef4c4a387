// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension CBPeripheral {
    /// Additive: connects, and returns when the peripheral is connected; at once if it is connected already.
    ///
    /// ```swift
    /// try await peripheral.connect(timeout: .seconds(10))
    /// ```
    ///
    /// The manager's delegate gets the connection as well. A cancelled call, or a call after its timeout, withdraws the
    /// connection attempt, unless the application asked for the connection by ``CBCentralManager/connect(_:options:)``
    /// or another caller still waits for it.
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

    /// Additive: gives up the connection, or the pending connection, and returns when it has ended.
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

    /// Additive: the connection states from the present one on.
    public var states: CBStream<CBPeripheralState, Never> {
        CBStream(.newest(16)) { [self] buffer in
            changing.withLock { state in
                state.observers.states.append(buffer)
                buffer.push(state.state)
            }
            return { self.changing.withLock { state in state.observers.states.removeAll { $0 === buffer } } }
        }
    }

    /// Additive: the connection's events from now on, with reasons.
    public var connectionUpdates: CBStream<ConnectionUpdate, Never> {
        CBStream(.newest(16)) { [self] buffer in
            changing.withLock { $0.observers.updates.append(buffer) }
            return { self.changing.withLock { state in state.observers.updates.removeAll { $0 === buffer } } }
        }
    }
}
