// SPDX-License-Identifier: Apache-2.0

import GRDB
import Logging
import Synchronization

extension Journal {
    /// The database, opened where it is not open, or is no longer the file that was opened; nil when that fails. Runs on
    /// the journal's queue only.
    func openStore() -> JournalStore? {
        let (store, isDamaged, books) = state.withLock { ($0.store, $0.isDamaged, $0.books) }
        if let store, !isDamaged, !store.file.isReplaced { return store }
        var memory = state.withLock { $0.memory }
        if let store {
            memory = JournalStore.Memory(
                names: store.names.withLock { $0 }, books: books, greatest: store.greatest.withLock { $0 })
            state.withLock { state in
                state.memory = memory
                state.store = nil
            }
            try? store.pool.close()
        }
        do throws(JournalError) {
            let file = try takeFile()
            let (store, opening) = try JournalStore.open(
                configuration, file: file, clock: clock, memory: memory, isDamaged: isDamaged)
            adopt(store, opening)
            return store
        } catch {
            report(error)
            return nil
        }
    }

    private func takeFile() throws(JournalError) -> JournalFile {
        let held = file.withLock { $0 }
        if let held, !held.isAstray { return held }
        let taken = try JournalFile(path: configuration.path)
        // The whole folder was removed: numbers go on all the same.
        if let reserved = held?.reserved { try taken.reserve(upTo: reserved.number) }
        file.withLock { $0 = taken }
        return taken
    }

    private func adopt(_ store: JournalStore, _ opening: JournalStore.Opening) {
        let books = JournalStatistics(opening, path: configuration.path)
        let observer = state.withLock { state in
            state.store = store
            state.memory = nil
            state.isDamaged = false
            state.books = books
            state.identifiers = opening.identifiers.merging(state.waiting.identifiers) { _, new in new }
            return state.observer
        }
        if let salvage = opening.salvage { say(salvage) }
        if !opening.damage.isEmpty {
            logger.error(
                "the journal is damaged: values in it are not what they should be and were left out, readings were not",
                metadata: [
                    "journal.path": "\(configuration.path)",
                    "journal.damage": "\(Set(opening.damage).sorted().prefix(20).joined(separator: ", "))",
                ])
        }
        if opening.unbalanced > 0 {
            logger.error(
                "journal's counters do not match its rows: see martlet audit",
                metadata: ["journal.path": "\(configuration.path)", "journal.sensors": "\(opening.unbalanced)"])
        }
        if books.buffered > 0 { observer?() }
    }

    private func say(_ salvage: Salvage.Report) {
        logger.error(
            "the journal was damaged or gone: a fresh one was begun",
            metadata: [
                "journal.path": "\(configuration.path)", "journal.quarantine": "\(salvage.source ?? "none")",
                "journal.salvaged": "\(salvage.rows)",
                "journal.lost": "\(salvage.lost.map(String.init) ?? "not known")",
            ])
    }
}
