// SPDX-License-Identifier: Apache-2.0

/// A dictionary that knows which of its keys was unused for the longest time, so that a full dictionary forgets this
/// key alone. The table has no bound of its own: its owner removes ``oldest`` before it inserts.
///
/// The type is public because the compiler specializes a package generic only in its own module. The lookup for each
/// advertisement would otherwise cost an eighth of the way to the delegate.
public struct RecencyTable<Key: Hashable & Sendable, Value> {
    @usableFromInline var slots: [Key: Int] = [:]
    @usableFromInline var elements: [(key: Key, value: Value)?] = []
    @usableFromInline var order = RecencyOrder()
    private var free: [Int] = []

    package init() {}

    package var count: Int { slots.count }
    package var isEmpty: Bool { slots.isEmpty }

    /// The element that was unused for the longest time.
    package var oldest: (key: Key, value: Value)? { order.oldest.flatMap { elements[$0] } }

    /// All elements, the oldest first.
    package var elementsByAge: [(key: Key, value: Value)] { order.slots.compactMap { elements[$0] } }

    package var values: some Sequence<Value> { elements.lazy.compactMap { $0?.value } }

    /// The value of a key; the lookup does not count as a use.
    @inlinable public subscript(key: Key) -> Value? { slots[key].flatMap { elements[$0]?.value } }

    /// The value of a key; the call makes the key the newest.
    @inlinable
    public mutating func use(_ key: Key) -> Value? {
        guard let slot = slots[key] else { return nil }
        order.use(slot)
        return elements[slot]?.value
    }

    /// Sets the value of a key, and makes the key the newest.
    package mutating func insert(_ value: Value, for key: Key) {
        if let slot = slots[key] {
            elements[slot] = (key, value)
            order.use(slot)
        } else if let slot = free.popLast() {
            elements[slot] = (key, value)
            order.insert(slot)
            slots[key] = slot
        } else {
            elements.append((key, value))
            slots[key] = order.append()
        }
    }

    @discardableResult
    package mutating func removeValue(for key: Key) -> Value? {
        guard let slot = slots.removeValue(forKey: key) else { return nil }
        defer { elements[slot] = nil }
        order.remove(slot)
        free.append(slot)
        return elements[slot]?.value
    }

    package mutating func removeAll() { self = Self() }
}

extension RecencyTable: Sendable where Value: Sendable {}
