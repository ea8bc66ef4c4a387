// SPDX-License-Identifier: Apache-2.0

/// The open database, or the memory of the last open one; a value.
struct OpenDatabase {
    /// Nil while no database can be opened: readings then wait in memory.
    private(set) var store: JournalStore?
    /// The known content of the last open database, while no database is open.
    private(set) var memory: JournalStore.Memory?
    /// SQLite found the file damaged: the next commit puts the file away.
    private(set) var isDamaged = false

    func isOpen(_ store: JournalStore) -> Bool { self.store === store }

    mutating func adopt(_ store: JournalStore) {
        self.store = store
        memory = nil
    }

    /// The database is closed, and will be opened again.
    mutating func leave(_ memory: JournalStore.Memory) {
        self.memory = memory
        store = nil
    }

    mutating func foundDamaged() { isDamaged = true }

    /// The damage is over, whatever becomes of the copy: the fresh file is in place now.
    mutating func putDamagedAway() { isDamaged = false }
}
