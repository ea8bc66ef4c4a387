// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import GRDB
import Logging
import Platform
import Readings
import Synchronization

extension Journal {
    /// The database. The call opens it if it is not open, or if another file has taken its place; nil when the opening
    /// fails. Runs on the journal's queue only.
    func openStore() -> JournalStore? {
        let (store, isDamaged, books) = state.withLock { ($0.database.store, $0.database.isDamaged, $0.books.onDisk) }
        // Without the lock file a second gateway could open the journal: a removed lock file is made anew at once.
        if let store, !isDamaged, !store.file.isReplaced, !store.file.isAstray { return store }
        var memory = state.withLock { $0.database.memory }
        if let store {
            let known = JournalStore.Memory(
                names: store.names.withLock { $0 }, books: books, greatest: store.greatest.withLock { $0 })
            memory = known
            state.withLock { $0.database.leave(known) }
            try? store.pool.close()
        }
        do throws(JournalError) {
            let file = try takeFile()
            try Quarantine(file: file).settle(isDamaged: isDamaged)
            state.withLock { $0.database.putDamagedAway() }
            let (store, opening) = try JournalStore.open(
                configuration, file: file, clock: clock, memory: memory,
                isUnwanted: { [weak self] in self?.cutsShort() ?? true })
            adopt(store, opening)
            return store
        } catch {
            report(error)
            return nil
        }
    }

    private func cutsShort() -> Bool {
        progress.step()
        return state.withLock { $0.life.cutsShort() }
    }

    private func takeFile() throws(JournalError) -> JournalFile {
        let held = file.withLock { $0 }
        if let held, !held.isAstray { return held }
        let taken = try JournalFile(
            path: configuration.path, gauge: gauge, folders: folders, progress: progress)
        // The whole folder was removed: the numbers still go on from the reservation.
        if let reserved = held?.reserved { try taken.reserve(upTo: reserved.number) }
        file.withLock { $0 = taken }
        return taken
    }

    /// Opens the database on the journal's queue, and waits. A healthy file takes no time; the rows of a damaged file
    /// are copied.
    func beginOpening(patience: Duration?) {
        let isOver = DispatchSemaphore(value: 0)
        queue.async { [self] in
            if openStore() == nil { state.withLock { retry(&$0) } }
            isOver.signal()
        }
        guard let patience else { return isOver.wait() }
        guard !isOver.wait(within: patience) else { return }
        guard state.withLock({ $0.database.store == nil && $0.books.recordOpening() }) else { return }
        logger.warning(
            "the journal takes long to open; readings wait in memory",
            metadata: ["journal.path": "\(configuration.path)"])
    }

    /// Calls `body` when the database has been opened: at once if it is open already, otherwise on the journal's queue.
    package func whenOpen(_ body: @escaping @Sendable () -> Void) {
        if state.withLock({ $0.life.whenOpen(body) }) { body() }
    }

    private func adopt(_ store: JournalStore, _ opening: JournalStore.Opening) {
        let books = JournalStatistics(opening, path: configuration.path)
        let losses = losses(in: store.file, known: opening.identifiers[LossRecord.key])
        let (observer, openers) = state.withLock { state in
            state.database.adopt(store)
            state.books.replace(books)
            state.identifiers = opening.identifiers.merging(state.batches.waiting.identifiers) { _, new in new }
            inherit(losses, &state)
            return (state.observer, state.life.opened())
        }
        for opener in openers { opener() }
        if let salvage = opening.salvage { say(salvage) }
        if !opening.damage.isEmpty {
            logger.error(
                "the journal is damaged: values in it are not what they should be and were left out, readings were not",
                metadata: [
                    "journal.path": "\(configuration.path)",
                    "journal.damage": "\(Set(opening.damage).sorted().prefix(20).joined(separator: ", "))",
                ])
        }
        if let counted = opening.counted { say(counted) } else { queue.async { [weak self] in self?.countOn(store) } }
        if books.buffered > 0 { observer?() }
    }

    /// Losses that earlier runs could not write into the ledger. The ledger has all records up to `known`.
    private func losses(in file: JournalFile, known: String?) -> ArraySlice<LossRecord> {
        guard !state.withLock({ $0.life.hasInherited }) else { return [] }
        let records = file.losses
        let unknown = records[(records.firstIndex { $0.id == known }.map { $0 + 1 } ?? 0)...]
        // A power cut came after the transaction with these losses, and before the file forgot them.
        if unknown.isEmpty, !records.isEmpty { file.forgetLosses() }
        return unknown
    }

    /// Adds the losses to the next transaction. Called under the lock.
    private func inherit(_ records: ArraySlice<LossRecord>, _ state: inout JournalState) {
        state.life.inherited()
        guard let last = records.last else { return }
        for record in records { state.batches.inherit(record.losses) }
        state.batches.change { $0.identifiers[LossRecord.key] = last.id }
        scheduleCommit(&state)
    }

    private func say(_ salvage: Salvage.Report) {
        guard salvage.missing == 0 else {
            return logger.error(
                "the end of the journal is gone: it is an old copy, or its last transactions were damaged",
                metadata: [
                    "journal.path": "\(configuration.path)",
                    "journal.missing": "up to \(salvage.missing) readings, dropped as journal-damaged",
                ])
        }
        logger.error(
            "the journal was damaged or gone: a fresh one was begun",
            metadata: [
                "journal.path": "\(configuration.path)", "journal.quarantine": "\(salvage.source ?? "none")",
                "journal.salvaged": "\(salvage.rows)",
                "journal.lost": "\(salvage.lost.map(String.init) ?? "not known")",
            ])
    }
}
