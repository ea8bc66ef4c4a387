// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import L2CAP

/// The links, by connection handle. It is used like a dictionary, but changes a link where it is: a dictionary moves it
/// out and in again, and a ``Link`` is so large that every packet would pay for that.
///
/// A link that is in the table is found by its ``LinkID`` as well. ``makeID()`` gives each of them once.
struct LinkTable: Sendable, Sequence {
    typealias Element = (key: UInt16, value: Link)

    private var slots: [UInt16: Int] = [:]
    /// The slots, with the handle as index, for the search of every packet: a handle is less than 0x0F00 (Core 5.4,
    /// Vol 4, Part E, 5.4.2). Empty before there was a link; -1 where there is none.
    private var places: [Int32] = []
    /// Free slots are nil.
    private var list: [Link?] = []
    private var free: [Int] = []
    /// The next deadline of the link in each slot. Every turn of the radio reads the deadlines. A deadline stays until
    /// the link is changed.
    private var deadlines: [MonotonicTime?] = []
    /// Our role on the link in each slot. Each plan for the radio asks, and need not look at whole links for it.
    private var roles: [LinkRole?] = []
    private var ids: [LinkID?] = []
    private var handles: [LinkID: UInt16] = [:]
    private var nextID: UInt32 = 1
    private var hasNewlyEnding = false

    var isEmpty: Bool { slots.isEmpty }
    var count: Int { slots.count }
    var keys: Dictionary<UInt16, Int>.Keys { slots.keys }
    var values: some Sequence<Link> { list.lazy.compactMap { $0 } }

    subscript(handle: UInt16) -> Link? {
        get { slot(of: handle).flatMap { list[$0] } }
        _modify {
            guard let slot = slot(of: handle) else {
                // Events name handles that nobody has: nothing is kept of those.
                var new: Link?
                defer { if let new { add(new, for: handle) } }
                yield &new
                return
            }
            defer { finishChange(of: handle, in: slot) }
            yield &list[slot]
        }
    }

    func makeIterator() -> some IteratorProtocol<Element> {
        slots.lazy.compactMap { [list] handle, slot in list[slot].map { (handle, $0) } }.makeIterator()
    }

    @discardableResult
    mutating func removeValue(forKey handle: UInt16) -> Link? {
        guard let slot = slot(of: handle) else { return nil }
        defer { release(slot, of: handle) }
        return list[slot]
    }

    /// Takes a fragment that came on a link, and tells whose it is; nil when there is no such link.
    mutating func received(_ fragment: RawSpan, isFirst: Bool, on handle: UInt16) -> Link.Receipt? {
        guard let slot = slot(of: handle) else { return nil }
        return list[slot]?.received(fragment, isFirst: isFirst)
    }

    func hasLink(as role: LinkRole) -> Bool { roles.contains(role) }

    /// The connection handle of a link; nil: it has ended.
    func handle(of link: LinkID) -> UInt16? { handles[link] }

    /// The name of a new link.
    mutating func makeID() -> LinkID {
        defer { nextID &+= 1 }
        return LinkID(rawValue: nextID)
    }

    /// The link must not be used any more, though no event tells its end yet. False when there is no such link, or its
    /// end has begun before.
    mutating func beginEnding(_ handle: UInt16) -> Bool {
        guard self[handle]?.ending.begin() == true else { return false }
        hasNewlyEnding = true
        return true
    }

    /// ``beginEnding(_:)`` has had an effect since the last call.
    mutating func takeNewlyEnding() -> Bool {
        guard hasNewlyEnding else { return false }
        hasNewlyEnding = false
        return true
    }

    // MARK: Time

    /// When something of any link is due.
    var deadline: MonotonicTime? {
        var earliest: MonotonicTime?
        for deadline in deadlines { earliest = .earlier(earliest, deadline) }
        return earliest
    }

    /// Links of which something is due.
    func due(at now: MonotonicTime) -> [UInt16] {
        slots.filter { deadlines[$0.value].map { $0 <= now } ?? false }.keys.sorted()
    }

    // MARK: Slots

    private func slot(of handle: UInt16) -> Int? {
        guard Int(handle) < places.count else { return slots[handle] }
        let place = places[Int(handle)]
        return place < 0 ? nil : Int(place)
    }

    private mutating func record(_ slot: Int?, of handle: UInt16) {
        if places.isEmpty { places = [Int32](repeating: -1, count: 0x0F00) }
        // Whatever a controller says beyond that is found in the dictionary.
        guard Int(handle) < places.count else { return }
        places[Int(handle)] = slot.map { Int32(truncatingIfNeeded: $0) } ?? -1
    }

    private mutating func finishChange(of handle: UInt16, in slot: Int) {
        deadlines[slot] = list[slot]?.deadline
        roles[slot] = list[slot]?.role
        if case .none = list[slot] { release(slot, of: handle) }
    }

    private mutating func add(_ link: Link, for handle: UInt16) {
        let slot = free.popLast() ?? list.count
        if slot == list.count {
            list.append(nil)
            deadlines.append(nil)
            roles.append(nil)
            ids.append(nil)
        }
        slots[handle] = slot
        record(slot, of: handle)
        list[slot] = link
        ids[slot] = link.id
        handles[link.id] = handle
        finishChange(of: handle, in: slot)
    }

    private mutating func release(_ slot: Int, of handle: UInt16) {
        list[slot] = nil
        deadlines[slot] = nil
        roles[slot] = nil
        if let id = ids[slot] { handles.removeValue(forKey: id) }
        ids[slot] = nil
        slots.removeValue(forKey: handle)
        record(nil, of: handle)
        free.append(slot)
    }
}
