// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The end of a host: the latest time to close the transport, and the callers that wait for the close; a value.
struct HostShutDown {
    /// For links to end.
    private static let farewell: Duration = .seconds(2)

    /// Nil while the host goes on.
    private(set) var deadline: MonotonicTime?
    private var waiting: [@Sendable () -> Void] = []

    /// - Returns: True for the first call. Later calls wait for the same end.
    mutating func begin(at now: MonotonicTime, _ done: @escaping @Sendable () -> Void) -> Bool {
        waiting.append(done)
        guard deadline == nil else { return false }
        deadline = now + Self.farewell
        return true
    }

    func isDue(hasLinks: Bool, at now: MonotonicTime) -> Bool { deadline.map { !hasLinks || $0 <= now } ?? false }

    /// The transport is closed.
    ///
    /// - Returns: The waiting callers.
    mutating func finish() -> [@Sendable () -> Void] {
        defer { waiting = [] }
        return waiting
    }
}
