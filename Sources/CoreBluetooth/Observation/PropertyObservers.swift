// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The observers of one property of a manager or peripheral. A lock protects the list. Observers are called on the
/// manager's queue, in the order of the changes.
struct PropertyObservers<Value: Sendable & Equatable> {
    final class Observer: Sendable {
        private let tell: Mutex<(@Sendable (_ old: Value, _ new: Value) -> Void)?>
        private let queue: DispatchQueue

        init(queue: DispatchQueue, _ tell: @escaping @Sendable (_ old: Value, _ new: Value) -> Void) {
            self.queue = queue
            self.tell = Mutex(tell)
        }

        func changed(from old: Value, to new: Value) {
            // Not held by the block: an observation that ends meanwhile is not told.
            queue.async { [weak self] in self?.tell.withLock { $0 }?(old, new) }
        }

        func end() {
            // Objects of the handler may be released with the handler: outside of the lock.
            let last = tell.withLock { tell in
                defer { tell = nil }
                return tell
            }
            withExtendedLifetime(last) {}
        }
    }

    private var observers: [Observer] = []

    mutating func add(_ observer: Observer) { observers.append(observer) }
    mutating func remove(_ observer: Observer) { observers.removeAll { $0 === observer } }

    func changed(from old: Value, to new: Value) {
        guard old != new else { return }
        for observer in observers { observer.changed(from: old, to: new) }
    }
}

extension NSKeyValueObservedChange where Value: Sendable {
    /// Calls a handler for one change, as the options ask.
    static func tell(
        _ options: NSKeyValueObservingOptions, from old: Value, to new: Value, _ handler: (Self) -> Void
    ) {
        let oldValue = options.contains(.old) ? old : nil
        if options.contains(.prior) {
            handler(Self(kind: .setting, newValue: nil, oldValue: oldValue, indexes: nil, isPrior: true))
        }
        handler(
            Self(
                kind: .setting, newValue: options.contains(.new) ? new : nil, oldValue: oldValue, indexes: nil,
                isPrior: false))
    }

    /// The first call of an observer, before `observe` returns.
    static func initial(_ options: NSKeyValueObservingOptions, _ value: Value) -> Self {
        Self(
            kind: .setting, newValue: options.contains(.new) ? value : nil, oldValue: nil, indexes: nil, isPrior: false)
    }
}
