// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// What each client of the host was given and has not handled yet.
///
/// A client that lags behind holds up reading, so that the controller, not our memory, holds what comes, and nothing is
/// lost. That is for as long as it gets on: one that has handled nothing for ``patience``, as when a delegate never returns,
/// is cut off where others are there who would wait for it. It is given nothing more then. When it has handled what it has,
/// it begins anew.
struct ClientDeliveries: Sendable {
    /// Batches that a client may leave unhandled before it holds up reading.
    static let limit = 16
    /// How long such a client may handle nothing.
    static let patience: Duration = .seconds(5)

    private struct Entry {
        var unhandled = 0
        /// When it last handled a batch, or began to have some.
        var lastProgress = MonotonicTime.zero
        /// It only looks on, and handles each batch at once: nobody has to wait for its sake.
        let isPassive: Bool
        var isCutOff = false
        /// It is gone, and its queue is not.
        var isRemoved = false

        var holdsUp: Bool { unhandled >= ClientDeliveries.limit && !isCutOff && !isRemoved }
    }

    private var entries: [ClientID: Entry] = [:]

    mutating func add(_ client: ClientID, isPassive: Bool) { entries[client] = Entry(isPassive: isPassive) }

    /// True when its number may be given to another client at once; otherwise ``handled(by:at:)`` says when.
    mutating func remove(_ client: ClientID) -> Bool {
        guard let entry = entries[client], entry.unhandled > 0 else {
            entries[client] = nil
            return true
        }
        entries[client]?.isRemoved = true
        return false
    }

    /// False when the client is cut off, and gets nothing.
    mutating func deliver(to client: ClientID, at now: MonotonicTime) -> Bool {
        guard let entry = entries[client], !entry.isCutOff else { return false }
        if entry.unhandled == 0 { entries[client]?.lastProgress = now }
        entries[client]?.unhandled += 1
        return true
    }

    enum Progress: Equatable {
        case none
        /// The radio thread has to look: reading may go on, or a client has caught up.
        case isNews
        /// The client has been removed, and its number is free.
        case isGone
    }

    mutating func handled(by client: ClientID, at now: MonotonicTime) -> Progress {
        guard var entry = entries[client], entry.unhandled > 0 else { return .none }
        let heldUp = entry.holdsUp
        entry.unhandled -= 1
        entry.lastProgress = now
        entries[client] = entry
        if entry.isRemoved, entry.unhandled == 0 {
            entries[client] = nil
            return .isGone
        }
        return heldUp && !entry.holdsUp || entry.isCutOff && entry.unhandled == 0 ? .isNews : .none
    }

    func unhandled(by client: ClientID) -> Int { entries[client]?.unhandled ?? 0 }

    /// Reading may go on.
    var allKeepUp: Bool { !entries.values.contains(where: \.holdsUp) }

    /// Clients that hold up others, and for too long.
    func stuck(at now: MonotonicTime) -> [ClientID] {
        entries.filter { client, entry in
            entry.holdsUp && entry.lastProgress + Self.patience <= now && hasOthers(than: client)
        }.map(\.key).sorted { $0.rawValue < $1.rawValue }
    }

    /// When ``stuck(at:)`` has to be looked at.
    var deadline: MonotonicTime? {
        entries.filter { $1.holdsUp && hasOthers(than: $0) }.map { $1.lastProgress + Self.patience }.min()
    }

    private func hasOthers(than client: ClientID) -> Bool {
        entries.contains { other, entry in
            other != client && !entry.isPassive && !entry.isCutOff && !entry.isRemoved
        }
    }

    mutating func cutOff(_ client: ClientID) { entries[client]?.isCutOff = true }

    /// Clients that were cut off and have handled all that they had.
    var returning: [ClientID] {
        entries.filter { $1.isCutOff && !$1.isRemoved && $1.unhandled == 0 }.map(\.key)
            .sorted { $0.rawValue < $1.rawValue }
    }

    mutating func readmit(_ client: ClientID) { entries[client]?.isCutOff = false }
}
