// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// What an observer of a property wants to be told, as Foundation has it on Apple's systems.
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
        /// It was set.
        case setting = 1
        /// Something was put into a collection.
        case insertion = 2
        /// Something was taken out of a collection.
        case removal = 3
        /// Something in a collection is another one.
        case replacement = 4
    }

    /// What happened: always ``Kind/setting``.
    public let kind: Kind
    /// The new value, where ``NSKeyValueObservingOptions/new`` asks for it.
    public let newValue: Value?
    /// The value before, where ``NSKeyValueObservingOptions/old`` asks for it.
    public let oldValue: Value?
    /// Where in a collection it happened: nil.
    public let indexes: IndexSet?
    /// Whether it is the first of two calls that ``NSKeyValueObservingOptions/prior`` asks for.
    public let isPrior: Bool
}

/// Observes a property as long as it is held, or until ``invalidate()``.
public final class NSKeyValueObservation: NSObject, @unchecked Sendable {
    // Sound: what changes is behind the Mutex.
    private let ended: Mutex<(@Sendable () -> Void)?>

    init(_ end: @escaping @Sendable () -> Void) { ended = Mutex(end) }

    deinit { invalidate() }

    /// Ends the observation; a change that happened before may not be told any more.
    public func invalidate() {
        let end = ended.withLock { end in
            defer { end = nil }
            return end
        }
        end?()
    }
}
