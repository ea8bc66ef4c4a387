// SPDX-License-Identifier: Apache-2.0

/// The number of a link's write commands that wait for the controller, and whether the delegate has to wait; a value.
struct WriteCommandRoom {
    static let limit = 16

    private var waiting = 0
    /// The delegate waits for its call.
    private var owesReady = false

    /// The link is up.
    mutating func linkOpened() { waiting = 0 }

    /// Notes the end of the link. The end is the answer for a waiting delegate or caller.
    mutating func linkClosed() { owesReady = false }

    var hasRoom: Bool { waiting < Self.limit }

    /// Whether the delegate may write. If not, the delegate gets a call as soon as there is room.
    mutating func mayWrite(isConnected: Bool) -> Bool {
        let may = isConnected && hasRoom
        if !may { owesReady = true }
        return may
    }

    mutating func wrote() { waiting += 1 }

    /// Notes that a command has gone to the controller.
    mutating func left() { waiting = max(0, waiting - 1) }

    /// True if there is room for a command of an asynchronous caller. A waiting delegate has one place reserved.
    var hasRoomForOthers: Bool { waiting < (owesReady ? Self.limit - 1 : Self.limit) }

    /// True if the delegate has to get its call now that there is room.
    mutating func takeReady() -> Bool {
        guard owesReady, hasRoom else { return false }
        owesReady = false
        return true
    }
}
