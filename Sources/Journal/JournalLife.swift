// SPDX-License-Identifier: Apache-2.0

/// The beginning and the end of a journal: whether it has been opened, who waits for that, and whether it closes; a value.
struct JournalLife {
    /// The database was open at some time: what it knows of earlier runs is here.
    private(set) var wasOpened = false
    /// Called when it has been opened for the first time.
    private var openers: [@Sendable () -> Void] = []
    /// The losses of earlier runs are among those that wait, or in the books.
    private(set) var hasInherited = false
    private(set) var isClosed = false
    /// Somebody waits for the journal to be closed, and a copy of a damaged file is not to keep him waiting.
    private var isHurried = false
    /// One was ended for that.
    private var isCutShort = false

    // MARK: - The beginning

    /// - Returns: True where the database was opened; else `body` is called when it is, unless the journal closes first.
    mutating func whenOpen(_ body: @escaping @Sendable () -> Void) -> Bool {
        if !wasOpened, !isClosed { openers.append(body) }
        return wasOpened
    }

    /// - Returns: Who waits for that.
    mutating func opened() -> [@Sendable () -> Void] {
        wasOpened = true
        defer { openers = [] }
        return openers
    }

    mutating func inherited() { hasInherited = true }

    // MARK: - The end

    mutating func hurry() { isHurried = true }

    /// Whether a long copy is to be ended: somebody waits.
    mutating func cutsShort() -> Bool {
        if isHurried { isCutShort = true }
        return isHurried
    }

    /// The journal's queue has come to the closing.
    ///
    /// - Returns: Whether there may be a last commit, unless that would begin a long copy again, which the next run goes on
    ///   with.
    mutating func beginClosing() -> Bool {
        isHurried = false
        return !isCutShort
    }

    mutating func close() {
        isClosed = true
        openers = []
    }
}
