// SPDX-License-Identifier: Apache-2.0

/// The beginning and the end of a journal: whether it has been opened, which callers wait for the opening, and whether
/// it closes; a value.
struct JournalLife {
    /// The database was open at some time: its facts about earlier runs are here.
    private(set) var wasOpened = false
    /// Called at the first opening.
    private var openers: [@Sendable () -> Void] = []
    /// The losses of earlier runs are in the ledger, or in the rows that wait.
    private(set) var hasInherited = false
    private(set) var isClosed = false
    /// A caller waits for the journal's end, and must not wait for the copy of a damaged file.
    private var isHurried = false
    /// A copy was ended because of that caller.
    private var isCutShort = false

    // MARK: - The beginning

    /// - Returns: True if the database was opened; else `body` is called at the opening, unless the journal closes
    ///   first.
    mutating func whenOpen(_ body: @escaping @Sendable () -> Void) -> Bool {
        if !wasOpened, !isClosed { openers.append(body) }
        return wasOpened
    }

    /// - Returns: The callers that wait for the opening.
    mutating func opened() -> [@Sendable () -> Void] {
        wasOpened = true
        defer { openers = [] }
        return openers
    }

    mutating func inherited() { hasInherited = true }

    // MARK: - The end

    mutating func hurry() { isHurried = true }

    /// True if a long copy has to end because a caller waits.
    mutating func cutsShort() -> Bool {
        if isHurried { isCutShort = true }
        return isHurried
    }

    /// The closing has its turn on the journal's queue.
    ///
    /// - Returns: Whether a last commit may be made. After an ended copy it may not: the commit would begin the copy
    ///   again, and the next run continues the copy.
    mutating func beginClosing() -> Bool {
        isHurried = false
        return !isCutShort
    }

    mutating func close() {
        isClosed = true
        openers = []
    }
}
