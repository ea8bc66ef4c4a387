// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Gives the controller's advertisers to clients. Each client has an advertiser of its own while there are enough.
/// Otherwise clients take turns of ``turn``, and a legacy controller's only advertiser serves all clients alike.
package struct AdvertisingRoster: Sendable {
    package struct Entry: Sendable {
        package let client: ClientID
        package let demand: AdvertisingDemand
        /// The client has heard about the start of its advertising.
        package var isAnnounced = false
        package var isFastUntil: MonotonicTime
        package let endsAt: MonotonicTime?
    }

    package static let turn: Duration = .seconds(2)

    /// In the order of turns.
    package private(set) var entries: [Entry] = []
    /// The client of each advertiser, by place.
    package private(set) var holders: [ClientID?]
    package private(set) var turnEnd: MonotonicTime?

    /// `capacity`: advertisers of the controller, at least 1.
    package init(capacity: Int) { holders = Array(repeating: nil, count: max(1, capacity)) }

    package var hasDemand: Bool { !entries.isEmpty }

    /// When turns, paces or demands end next.
    package var deadline: MonotonicTime? {
        var earliest = turnEnd
        for entry in entries {
            earliest = .earlier(earliest, entry.endsAt)
            if entry.isFastUntil != .zero { earliest = .earlier(earliest, entry.isFastUntil) }
        }
        return earliest
    }

    package func entry(of client: ClientID?) -> Entry? { entries.first { $0.client == client } }

    /// Replaces the demand of `client`; nil: none any more.
    package mutating func set(_ demand: AdvertisingDemand?, for client: ClientID, at now: MonotonicTime) {
        let position = entries.firstIndex { $0.client == client }
        let entry = demand.map { demand in
            Entry(
                client: client, demand: demand, isFastUntil: now + demand.timing.fastPeriod,
                endsAt: demand.duration.map { now + $0 })
        }
        switch (position, entry) {
        case (nil, nil): return
        case (nil, let entry?): entries.append(entry)
        case (let position?, let entry?): entries[position] = entry
        case (let position?, nil): entries.remove(at: position)
        }
        if entries.count <= holders.count { turnEnd = nil }
        seat()
    }

    package mutating func announced(_ client: ClientID) {
        guard let position = entries.firstIndex(where: { $0.client == client }) else { return }
        entries[position].isAnnounced = true
    }

    /// Fast intervals again: a link has ended, and its peer may want to connect again.
    package mutating func hurry(at now: MonotonicTime) {
        for position in entries.indices {
            entries[position].isFastUntil = now + entries[position].demand.timing.fastPeriod
        }
    }

    /// Takes demands away whose time is over, and gives their clients.
    package mutating func expire(at now: MonotonicTime) -> [ClientID] {
        let due = entries.filter { $0.endsAt.map { $0 <= now } ?? false }.map(\.client)
        for client in due { set(nil, for: client, at: now) }
        for position in entries.indices where entries[position].isFastUntil <= now {
            entries[position].isFastUntil = .zero
        }
        return due
    }

    /// Moves on to the next clients if there are more clients than advertisers. Time counts only while `hasRadio`.
    /// Otherwise the radio's own turns could always fall on one client.
    package mutating func takeTurns(hasRadio: Bool, at now: MonotonicTime) {
        guard entries.count > holders.count else {
            turnEnd = nil
            return
        }
        guard hasRadio else {
            if turnEnd != nil { rotate() }
            turnEnd = nil
            return
        }
        if let end = turnEnd, end > now { return }
        if turnEnd != nil { rotate() }
        turnEnd = now + Self.turn
    }

    private mutating func rotate() {
        let served = entries.prefix(holders.count)
        entries.removeFirst(served.count)
        entries.append(contentsOf: served)
        seat()
    }

    /// Gives the advertisers to the first clients in turn. A client that stays keeps its advertiser.
    private mutating func seat() {
        let seated = entries.prefix(holders.count).map(\.client)
        for place in holders.indices {
            if let holder = holders[place], !seated.contains(holder) { holders[place] = nil }
        }
        for client in seated where !holders.contains(client) {
            guard let free = holders.firstIndex(of: nil) else { return }
            holders[free] = client
        }
    }
}
