// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// How a link ends by our wish: whether that has begun, why, and when the controller is asked again; a value.
struct LinkEnding: Equatable, Sendable {
    /// Disconnect was sent.
    private(set) var isUnderway = false
    /// When it is sent again: the controller has refused it.
    private(set) var due: MonotonicTime?
    /// Why we end the link, where that is not a client's wish.
    private(set) var reason: HCIStatus?

    /// False where it has begun before.
    mutating func begin() -> Bool {
        guard !isUnderway else { return false }
        isUnderway = true
        return true
    }

    /// The link stays useless, even if the controller refuses Disconnect.
    mutating func record(_ reason: HCIStatus) { self.reason = reason }

    /// Disconnect was refused, and the link stays of no use.
    mutating func refused(nextAt time: MonotonicTime) { due = time }

    /// Disconnect has failed. The link goes on if only a client wanted the end; else the host asks the controller
    /// again.
    mutating func failed(nextAt time: MonotonicTime) {
        if reason == nil { isUnderway = false } else { due = time }
    }

    /// Whether Disconnect is to be sent again now.
    mutating func takeDue(at now: MonotonicTime) -> Bool {
        guard let due, due <= now else { return false }
        self.due = nil
        return true
    }
}
