// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension CBCentralManager {
    /// Additive: the manager's states from the present one on.
    public var states: CBStream<CBManagerState, Never> {
        CBStream(.newest(16)) { [self] buffer in
            changing.withLock { state in
                state.stateBuffers.append(buffer)
                buffer.push(state.state)
            }
            return { self.changing.withLock { state in state.stateBuffers.removeAll { $0 === buffer } } }
        }
    }

    /// Additive: returns when the manager is powered on.
    ///
    /// Throws ``CBError/Code/operationNotSupported`` if the manager cannot come on by itself: the controller has no
    /// Bluetooth LE, or the process may not use the controller; ``CBError/Code/connectionTimeout`` after `timeout`; and
    /// ``CBError/Code/operationCancelled``.
    nonisolated(nonsending) public func waitUntilPoweredOn(timeout: Duration? = nil) async throws {
        if state == .poweredOn { return }
        defer { withExtendedLifetime(self) {} }
        try await PendingCall<Void>.run(timeout: timeout) { [self] call in
            changing.withLock { $0.powerCalls.removeAll { $0 === call } }
        } _: { call in
            changing.withLock { $0.powerCalls.append(call) }
            decidePower()
        }
    }

    /// Answers the callers that wait for power.
    func decidePower() {
        let result: Result<Void, any Error>
        switch state {
        case .poweredOn: result = .success(())
        case .unsupported, .unauthorized:
            result = .failure(CBError(.operationNotSupported, detail: stateReason))
        case .unknown, .resetting, .poweredOff: return
        }
        let calls = changing.withLock { state in
            defer { state.powerCalls = [] }
            return state.powerCalls
        }
        for call in calls { call.finish(result) }
    }
}
