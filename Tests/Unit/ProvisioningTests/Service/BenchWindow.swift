// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Provisioning
import Synchronization

/// A window that opens and closes on the test's call.
final class BenchWindow: PairingWindow {
    private struct Inside {
        var state: WindowState
        var observers: [Int: @Sendable (WindowState) -> Void] = [:]
        var last = 0
        var isProvisioned: Bool?
    }

    private let inside: Mutex<Inside>
    private let queue = DispatchQueue(label: "window")

    init(_ state: WindowState) { inside = Mutex(Inside(state: state)) }

    var state: WindowState { inside.withLock { $0.state } }
    var isProvisioned: Bool? { inside.withLock { $0.isProvisioned } }

    func set(_ state: WindowState) {
        let observers = inside.withLock { inside in
            inside.state = state
            return inside.observers.values
        }
        for observer in observers { queue.async { observer(state) } }
    }

    func open(by opener: WindowState.Opener) {
        set(WindowState(opener: opener, end: .now + .seconds(600), passkey: .fresh("123456")))
    }
    func close() { set(WindowState()) }
    func setProvisioned(_ isProvisioned: Bool) { inside.withLock { $0.isProvisioned = isProvisioned } }

    func observe(_ observer: @escaping @Sendable (WindowState) -> Void) -> WindowObservation {
        let (number, state) = inside.withLock { inside in
            inside.last += 1
            inside.observers[inside.last] = observer
            return (inside.last, inside.state)
        }
        queue.async { observer(state) }
        return WindowObservation { [weak self] in self?.inside.withLock { _ = $0.observers.removeValue(forKey: number) }
        }
    }
}
