// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCITransport

/// When to open the transport, when to try again, and which failures to report meanwhile.
package struct OpeningMachine: Sendable {
    /// A busy adapter is tried for this long before a report, because the kernel may still be setting it up.
    package static let patience: Duration = .seconds(5)
    package static let quickRetry: Duration = .milliseconds(250)
    package static let slowRetry: Duration = .seconds(5)
    /// A transport lost again sooner than this is opened after pauses that grow, …
    private static let lasting: Duration = .seconds(30)
    /// …up to this.
    package static let longestRetry: Duration = .seconds(30)

    /// When to try next; nil: not waiting.
    package private(set) var deadline: MonotonicTime? = .zero
    /// Since when the present adapter cannot be opened.
    private var busySince: MonotonicTime?
    /// Since when the kernel holds an adapter whose set-up has failed.
    package private(set) var unfinishedSince: MonotonicTime?
    private var lastMessage: String?
    private var openedAt: MonotonicTime?
    /// Consecutive times that the transport did not last.
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

    /// Another program has the adapter until `end`, or the adapter is useless until then.
    package mutating func wait(until end: MonotonicTime) { deadline = end }

    /// Notes a failed attempt. Returns the failure to report, each message once.
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
