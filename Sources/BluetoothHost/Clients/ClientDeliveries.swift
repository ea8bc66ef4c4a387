// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Counts the batches that each client of the host was given and has not handled yet.
///
/// A client that lags behind holds up reading. New data then waits in the controller, not in our memory, and nothing is
/// lost. A client that handles nothing for ``patience`` (a delegate never returns, for example) is cut off if other
/// clients would have to wait. A cut-off client gets no events. It begins anew after it has handled all its batches.
struct ClientDeliveries: Sendable {
    /// A client with this many unhandled batches holds up reading.
    static let limit = 16
    /// A client that holds up reading may handle nothing for this long.
    static let patience: Duration = .seconds(5)

    private struct Entry {
        var unhandled = 0
        /// When the client last handled a batch, or got its first unhandled batch.
        var lastProgress = MonotonicTime.zero
        /// The client only looks on, and handles each batch at once. No other client is cut off for its sake.
        let isPassive: Bool
        var isCutOff = false
        /// The client is gone, but its queue still has batches.
        var isRemoved = false

        var holdsUp: Bool { unhandled >= ClientDeliveries.limit && !isCutOff && !isRemoved }
    }

    private var entries: [ClientID: Entry] = [:]

    mutating func add(_ client: ClientID, isPassive: Bool) { entries[client] = Entry(isPassive: isPassive) }

    /// True if the client's number may be given to another client at once; otherwise ``handled(by:at:)`` says when.
    mutating func remove(_ client: ClientID) -> Bool {
        guard let entry = entries[client], entry.unhandled > 0 else {
            entries[client] = nil
            return true
        }
        entries[client]?.isRemoved = true
        return false
    }

    /// False if the client is cut off and gets nothing.
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

    /// Clients that have held up other clients for too long.
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

    /// Cut-off clients that have handled all their batches.
    var returning: [ClientID] {
        entries.filter { $1.isCutOff && !$1.isRemoved && $1.unhandled == 0 }.map(\.key)
            .sorted { $0.rawValue < $1.rawValue }
    }

    mutating func readmit(_ client: ClientID) { entries[client]?.isCutOff = false }
}
