// SPDX-License-Identifier: Apache-2.0

/// The order in which the slots of a table were last used. The table can find the slot that was unused for the longest
/// time and can make any slot the newest, at a cost that does not grow with the table.
///
/// Slots are numbered from 0 as they are added, and may be in the order or not. The caller only names slots that were
/// added.
public struct RecencyOrder: Sendable {
    private struct Neighbours: Sendable {
        var older: Int32
        var newer: Int32
    }

    private static let none: Int32 = -1
    /// Stands in place of both neighbours of a slot outside the order.
    private static let outside = Neighbours(older: -2, newer: -2)
    private var neighbours: [Neighbours] = []
    private var first = Self.none
    private var last = Self.none

    package init() {}

    /// The slot that was unused for the longest time.
    package var oldest: Int? { first == Self.none ? nil : Int(first) }

    /// Slots ever added, removed ones included.
    package var slotCount: Int { neighbours.count }

    /// Whether the slot is in the order.
    package func contains(_ slot: Int) -> Bool { neighbours[slot].older != Self.outside.older }

    /// Adds a slot to the order, as the newest.
    package mutating func append() -> Int {
        addSlot()
        insert(neighbours.count - 1)
        return neighbours.count - 1
    }

    /// Adds a slot outside the order; ``insert(_:)`` puts it in.
    package mutating func addSlot() { neighbours.append(Self.outside) }

    /// Makes the slot the newest.
    @usableFromInline package mutating func use(_ slot: Int) {
        guard last != Int32(truncatingIfNeeded: slot) else { return }
        remove(slot)
        insert(slot)
    }

    /// Takes the slot out of the order, until ``insert(_:)``. A slot outside the order stays outside.
    package mutating func remove(_ slot: Int) {
        guard contains(slot) else { return }
        let (older, newer) = (neighbours[slot].older, neighbours[slot].newer)
        neighbours[slot] = Self.outside
        if older == Self.none { first = newer } else { neighbours[Int(older)].newer = newer }
        if newer == Self.none { last = older } else { neighbours[Int(newer)].older = older }
    }

    /// Puts a slot into the order, as the newest. The slot must be outside the order.
    package mutating func insert(_ slot: Int) {
        assert(!contains(slot), "the slot is in the order")
        let place = Int32(truncatingIfNeeded: slot)
        neighbours[slot] = Neighbours(older: last, newer: Self.none)
        if last == Self.none { first = place } else { neighbours[Int(last)].newer = place }
        last = place
    }

    package mutating func removeAll() {
        neighbours.removeAll(keepingCapacity: true)
        (first, last) = (Self.none, Self.none)
    }

    /// The slots, the oldest first.
    package var slots: [Int] {
        var slots: [Int] = []
        var next = first
        while next != Self.none {
            slots.append(Int(next))
            next = neighbours[Int(next)].newer
        }
        return slots
    }
}
