// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

extension CBPeripheral {
    /// Observes ``state``, as long as what is returned is held: `peripheral.observe(\.state) { peripheral, _ in … }`.
    ///
    /// The handler is called on the manager's queue, after each change. On Apple's systems other properties can be
    /// observed as well; that they change is not promised there.
    public func observe(
        _ keyPath: KeyPath<CBPeripheral, CBPeripheralState>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (CBPeripheral, NSKeyValueObservedChange<CBPeripheralState>) -> Void
    ) -> NSKeyValueObservation {
        typealias Change = NSKeyValueObservedChange<CBPeripheralState>
        let handler = UncheckedReference(value: changeHandler)
        let observer = PropertyObservers<CBPeripheralState>.Observer(queue: manager?.queue ?? .main) {
            [weak self] old, new in
            guard let self else { return }
            Change.tell(options, from: old, to: new) { handler.value(self, $0) }
        }
        let present = changing.withLock { state in
            state.stateObservers.add(observer)
            return state.state
        }
        if options.contains(.initial) { changeHandler(self, .initial(options, present)) }
        return NSKeyValueObservation { [weak self] in
            observer.end()
            self?.changing.withLock { $0.stateObservers.remove(observer) }
        }
    }
}

extension CBCentralManager {
    /// Observes ``isScanning``, as long as what is returned is held: `manager.observe(\.isScanning) { manager, _ in … }`.
    ///
    /// The handler is called on the manager's queue, after each change.
    public func observe(
        _ keyPath: KeyPath<CBCentralManager, Bool>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (CBCentralManager, NSKeyValueObservedChange<Bool>) -> Void
    ) -> NSKeyValueObservation {
        typealias Change = NSKeyValueObservedChange<Bool>
        let handler = UncheckedReference(value: changeHandler)
        let observer = PropertyObservers<Bool>.Observer(queue: queue) { [weak self] old, new in
            guard let self else { return }
            Change.tell(options, from: old, to: new) { handler.value(self, $0) }
        }
        let present = changing.withLock { state in
            state.scanObservers.add(observer)
            return state.isScanning
        }
        if options.contains(.initial) { changeHandler(self, .initial(options, present)) }
        return NSKeyValueObservation { [weak self] in
            observer.end()
            self?.changing.withLock { $0.scanObservers.remove(observer) }
        }
    }
}
