// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The state of one of a pipe's two streams.
struct StreamSide {
    enum Direction {
        case input
        case output
    }

    weak var delegate: (any StreamDelegate)?
    var isOpen = false
    private(set) var isClosed = false
    /// The delegate has not heard of octets, or of room, since the last read or write.
    var isArmed = true
    var bells: [StreamBell] = []
    /// Tasks that wait for octets, or for room.
    var waiters: [UUID: CheckedContinuation<Void, Never>] = [:]
    private var told: Set<UInt> = []
    /// A task cancelled before the beginning of its wait.
    private var cancelled: UUID?

    /// True the first time for each event.
    mutating func tell(_ event: Stream.Event) -> Bool { told.insert(event.rawValue).inserted }

    /// Gives the bells, to be removed.
    mutating func close() -> [StreamBell] {
        (isOpen, isClosed) = (false, true)
        return takeBells { _ in true }
    }

    mutating func takeBells(_ isWanted: (StreamBell) -> Bool) -> [StreamBell] {
        defer { bells.removeAll(where: isWanted) }
        return bells.filter(isWanted)
    }

    mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
        defer { waiters = [:] }
        return Array(waiters.values)
    }

    mutating func cancel(_ token: UUID) -> CheckedContinuation<Void, Never>? {
        guard let waiter = waiters.removeValue(forKey: token) else {
            cancelled = token
            return nil
        }
        return waiter
    }

    func isCancelled(_ token: UUID) -> Bool { cancelled == token }
}
