// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// When the scan is started again before anybody misses something. Some controllers tell of each device once and no more until the
/// scan is started again, and some scanners stop now and then: where starting it again has helped several times in a row, it is
/// started again as a rule. Without I/O and clocks.
package struct ScanRenewal: Sendable {
    /// From one start to the next.
    package static let period: Duration = .seconds(30)
    /// It has to have helped so many times, each this long after the one before at most.
    static let proofs = 3
    static let memory: Duration = .seconds(1_800)
    /// After so long it is looked whether that is still needed: then one proof is enough.
    static let term: Duration = .seconds(86_400)

    private var count = 0
    private var last: MonotonicTime?
    private var end: MonotonicTime?
    /// When the scan is to be started again; nil while it is not as a rule.
    package private(set) var deadline: MonotonicTime?

    package init() {}

    /// Starting the scan again has helped. True: from now on it is done as a rule.
    package mutating func helped(at now: MonotonicTime) -> Bool {
        guard deadline == nil else { return false }
        let isInARow = end != nil || last.map { now - $0 <= Self.memory } ?? false
        count = isInARow ? count + 1 : 1
        last = now
        guard end != nil || count >= Self.proofs else { return false }
        (deadline, end) = (now + Self.period, now + Self.term)
        return true
    }

    /// Whether the scan is to be started again now; `isScanning`: there is one.
    package mutating func isDue(isScanning: Bool, at now: MonotonicTime) -> Bool {
        guard let due = deadline, due <= now, let end else { return false }
        deadline = now < end ? now + Self.period : nil
        return isScanning
    }
}
