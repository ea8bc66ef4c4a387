// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The information that an observer of a property asks for, as in Foundation on Apple's systems.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The new value.
    public static let new = Self(rawValue: 0x01)
    /// The value before.
    public static let old = Self(rawValue: 0x02)
    /// The present value, before `observe` returns.
    public static let initial = Self(rawValue: 0x04)
    /// Each change twice, the first time with ``NSKeyValueObservedChange/isPrior``.
    public static let prior = Self(rawValue: 0x08)
}

/// A change of an observed property.
public struct NSKeyValueObservedChange<Value> {
    /// The kinds of changes; properties of Core Bluetooth are only ever set.
    public enum Kind: UInt, Sendable {
        /// The property was set.
        case setting = 1
        /// A collection got a new element.
        case insertion = 2
        /// A collection lost an element.
        case removal = 3
        /// An element of a collection was replaced.
        case replacement = 4
    }

    /// The kind of change: always ``Kind/setting``.
    public let kind: Kind
    /// The new value, with ``NSKeyValueObservingOptions/new``.
    public let newValue: Value?
    /// The old value, with ``NSKeyValueObservingOptions/old``.
    public let oldValue: Value?
    /// The places of the change in a collection: nil.
    public let indexes: IndexSet?
    /// Whether the call comes before the change, with ``NSKeyValueObservingOptions/prior``.
    public let isPrior: Bool
}

/// Observes a property as long as it is held, or until ``invalidate()``.
public final class NSKeyValueObservation: NSObject, @unchecked Sendable {
    // Sound: the Mutex protects all mutable state.
    private let ended: Mutex<(@Sendable () -> Void)?>

    init(_ end: @escaping @Sendable () -> Void) { ended = Mutex(end) }

    deinit { invalidate() }

    /// Ends the observation; an earlier change may not reach the handler any more.
    public func invalidate() {
        let end = ended.withLock { end in
            defer { end = nil }
            return end
        }
        end?()
    }
}
