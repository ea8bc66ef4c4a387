// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Restarts the scan before sensors are missed. Some controllers report each device once and no more until the scan is
/// started again, and some scanners stop now and then. If a restart has helped several times in a row, restarts happen
/// as a rule. Without I/O and clocks.
package struct ScanRenewal: Sendable {
    /// The time from one restart to the next.
    package static let period: Duration = .seconds(30)
    /// A restart must have helped this many times, each time within ``memory`` of the last.
    static let proofs = 3
    static let memory: Duration = .seconds(1_800)
    /// After this time, restarts stop until they prove needed. One proof is enough then.
    static let term: Duration = .seconds(86_400)

    private var count = 0
    private var last: MonotonicTime?
    private var end: MonotonicTime?
    /// When the next restart is due; nil while there is no rule.
    package private(set) var deadline: MonotonicTime?

    package init() {}

    /// A restart of the scan has helped. True: from now on, restarts happen as a rule.
    package mutating func helped(at now: MonotonicTime) -> Bool {
        guard deadline == nil else { return false }
        let isInARow = end != nil || last.map { now - $0 <= Self.memory } ?? false
        count = isInARow ? count + 1 : 1
        last = now
        guard end != nil || count >= Self.proofs else { return false }
        (deadline, end) = (now + Self.period, now + Self.term)
        return true
    }

    /// Whether to restart the scan now. `isScanning`: the scan is on.
    package mutating func isDue(isScanning: Bool, at now: MonotonicTime) -> Bool {
        guard let due = deadline, due <= now, let end else { return false }
        deadline = now < end ? now + Self.period : nil
        return isScanning
    }
}
