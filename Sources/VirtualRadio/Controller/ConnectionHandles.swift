// SPDX-License-Identifier: Apache-2.0

/// Gives out connection handles; a value. Handles move on, so that the handle of a closed link is not soon reused.
struct ConnectionHandles {
    static let first: UInt16 = 0x0040
    /// Core 5.4, Vol 4, Part E, 5.3.1.
    static let all: ClosedRange<UInt16> = 0...0x0EFF

    /// The handle of the next connection, if it is free.
    private var next = first
    private var highest: UInt16?

    /// - Parameter isTaken: A link has the handle.
    /// - Returns: Nil if links have all handles.
    mutating func allocate(unless isTaken: (UInt16) -> Bool) -> UInt16? {
        for _ in Self.all {
            let handle = next
            next = handle < Self.all.upperBound ? handle + 1 : 0
            highest = max(highest ?? handle, handle)
            if !isTaken(handle) { return handle }
        }
        return nil
    }

    /// A link may have had this handle.
    func wasGiven(_ handle: UInt16) -> Bool { handle <= highest ?? 0 }
}
