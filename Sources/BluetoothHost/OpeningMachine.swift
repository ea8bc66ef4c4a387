// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCITransport

/// When to open the transport, when to try again, and what to say meanwhile.
package struct OpeningMachine: Sendable {
    /// A busy adapter is tried for this long before anybody is told: the kernel may be setting it up.
    package static let patience: Duration = .seconds(5)
    package static let quickRetry: Duration = .milliseconds(250)
    package static let slowRetry: Duration = .seconds(5)
    /// A transport that is lost again sooner than so is opened after pauses that grow, …
    private static let lasting: Duration = .seconds(30)
    /// …up to this.
    package static let longestRetry: Duration = .seconds(30)

    /// When to try next; nil: not waiting.
    package private(set) var deadline: MonotonicTime? = .zero
    /// The adapter cannot be had since then, though it is there.
    private var busySince: MonotonicTime?
    /// The kernel keeps an adapter since then that it could not set up.
    package private(set) var unfinishedSince: MonotonicTime?
    private var lastMessage: String?
    private var openedAt: MonotonicTime?
    /// Times in a row that it did not last.
    private var losses = 0

    package init() {}

    package func isDue(at now: MonotonicTime) -> Bool { deadline.map { $0 <= now } ?? false }

    package mutating func succeeded(at now: MonotonicTime) {
        openedAt = now
        deadline = nil
        busySince = nil
        unfinishedSince = nil
        lastMessage = nil
    }

    package mutating func lost(at now: MonotonicTime) {
        if let openedAt { losses = now - openedAt < Self.lasting ? losses + 1 : 0 }
        openedAt = nil
        deadline = now + min(Self.quickRetry * (1 << min(max(losses - 1, 0), 7)), Self.longestRetry)
        unfinishedSince = nil
    }

    /// Somebody else has the adapter until then, or it is of no use.
    package mutating func wait(until end: MonotonicTime) { deadline = end }

    /// Notes a failed attempt; returns what to report, each message once.
    package mutating func failed(_ error: TransportError, at now: MonotonicTime) -> TransportError? {
        unfinishedSince = error.kind == .unfinished ? unfinishedSince ?? now : nil
        if error.kind.isPassing {
            let since = busySince ?? now
            busySince = since
            if now - since < Self.patience {
                deadline = now + Self.quickRetry
                return nil
            }
        } else {
            busySince = nil
        }
        deadline = now + Self.slowRetry
        guard error.message != lastMessage else { return nil }
        lastMessage = error.message
        return error
    }
}
