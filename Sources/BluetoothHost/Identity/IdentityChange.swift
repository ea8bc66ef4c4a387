// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A change of our identity that waits for links to end, and the callers that wait for the change; a value.
struct IdentityChange {
    typealias Completion = @Sendable (_ troubles: [String]) -> Void

    /// How long links may take to end before the controller is reset.
    private static let farewell: Duration = .seconds(2)

    /// When the change is made at the latest; nil without a change.
    private(set) var deadline: MonotonicTime?
    private var waiting: [Completion] = []

    /// - Returns: True for the first call. Later calls share its change.
    mutating func begin(at now: MonotonicTime, _ done: @escaping Completion) -> Bool {
        waiting.append(done)
        guard deadline == nil else { return false }
        deadline = now + Self.farewell
        return true
    }

    /// The waiting callers, after all links have ended or have had their time; nil before.
    mutating func takeDue(hasLinks: Bool, at now: MonotonicTime) -> [Completion]? {
        guard let limit = deadline, !hasLinks || limit <= now else { return nil }
        return takeAll()
    }

    /// The callers of a change that will not be made any more.
    mutating func takeAll() -> [Completion] {
        deadline = nil
        defer { waiting = [] }
        return waiting
    }
}
