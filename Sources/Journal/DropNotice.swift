// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// When the log says that readings are dropped: with the first, and then once a minute for as long as it goes on.
struct DropNotice {
    static let interval: Duration = .seconds(60)

    private var saidAt: MonotonicTime?

    /// To be asked with each drop.
    mutating func isDue(at now: MonotonicTime) -> Bool {
        if let saidAt, now - saidAt < Self.interval { return false }
        saidAt = now
        return true
    }
}
