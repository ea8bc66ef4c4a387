// SPDX-License-Identifier: Apache-2.0

/// How many write commands of a link may wait for the controller, and whether somebody was told to wait with more; a value.
struct WriteCommandRoom {
    static let limit = 16

    private var waiting = 0
    /// The delegate was told to wait.
    private var owesReady = false

    /// The link is up.
    mutating func linkOpened() { waiting = 0 }

    /// The link is gone: whoever waits hears of that.
    mutating func linkClosed() { owesReady = false }

    var hasRoom: Bool { waiting < Self.limit }

    /// Whether the delegate may write; where not, it is told when it may.
    mutating func mayWrite(isConnected: Bool) -> Bool {
        let may = isConnected && hasRoom
        if !may { owesReady = true }
        return may
    }

    mutating func wrote() { waiting += 1 }

    /// One left for the controller.
    mutating func left() { waiting = max(0, waiting - 1) }

    /// There is room for a command of somebody else than the delegate, which gets its turn where it waits as well.
    var hasRoomForOthers: Bool { waiting < (owesReady ? Self.limit - 1 : Self.limit) }

    /// Whether the delegate is to be told now that it may write.
    mutating func takeReady() -> Bool {
        guard owesReady, hasRoom else { return false }
        owesReady = false
        return true
    }
}
