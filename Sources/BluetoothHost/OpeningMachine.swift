// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCITransport

/// When to open the transport, when to try again, and what to say meanwhile.
package struct OpeningMachine: Sendable {
    /// A busy adapter is tried for this long before anybody is told: the kernel may be setting it up.
    package static let patience: Duration = .seconds(5)
    package static let quickRetry: Duration = .milliseconds(250)
    package static let slowRetry: Duration = .seconds(5)

    /// When to try next; nil: not waiting.
    package private(set) var deadline: MonotonicTime? = .zero
    private var busySince: MonotonicTime?
    private var lastMessage: String?

    package init() {}

    package func isDue(at now: MonotonicTime) -> Bool { deadline.map { $0 <= now } ?? false }

    package mutating func succeeded() {
        deadline = nil
        busySince = nil
        lastMessage = nil
    }

    package mutating func lost(at now: MonotonicTime) { deadline = now + Self.quickRetry }

    /// Somebody else has the adapter until then, or it is of no use.
    package mutating func wait(until end: MonotonicTime) { deadline = end }

    /// Notes a failed attempt; returns what to report, each message once.
    package mutating func failed(_ error: TransportError, at now: MonotonicTime) -> TransportError? {
        if error.kind == .busy {
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
