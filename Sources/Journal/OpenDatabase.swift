// SPDX-License-Identifier: Apache-2.0

/// The database that is open, or what is remembered of the last one; a value.
struct OpenDatabase {
    /// Nil while none can be opened: readings wait in memory then.
    private(set) var store: JournalStore?
    /// What the database that was open before is known to have held, while none is.
    private(set) var memory: JournalStore.Memory?
    /// SQLite found the file damaged: it is put away at the next commit.
    private(set) var isDamaged = false

    func isOpen(_ store: JournalStore) -> Bool { self.store === store }

    mutating func adopt(_ store: JournalStore) {
        self.store = store
        memory = nil
    }

    /// The database is closed, to be opened anew.
    mutating func leave(_ memory: JournalStore.Memory) {
        self.memory = memory
        store = nil
    }

    mutating func foundDamaged() { isDamaged = true }

    /// Whatever becomes of the copy: what lies in its place now is the fresh one.
    mutating func putDamagedAway() { isDamaged = false }
}
