// SPDX-License-Identifier: Apache-2.0

/// What the publisher reads of the journal.
package protocol DeliveryRows: AnyObject, RowSource, FactSource {
    /// What `read` finds in one and the same database; nil while there is none, or when it was replaced meanwhile: then it
    /// would seem that there are no rows.
    func reading<Value>(_ read: (any RowSource) throws -> Value) throws -> Value?

    /// What a row's numbers stand for.
    func deviceName(_ id: Int64) throws -> String?
    func characteristicName(_ id: Int64) throws -> String?
    func boots() throws -> [JournalBoot]

    /// Readings that are not on disk yet.
    var pendingCount: Int { get }
    var statistics: JournalStatistics { get }
}

/// The journal as the publisher uses it: it reads rows, and says what became of each.
///
/// A row that was acknowledged or dropped is in no answer after that. All calls may be made on any thread.
package protocol DeliveryJournal: DeliveryRows, FactStore {
    /// `observer` is called after each commit that wrote readings, on a queue of the journal's: it must not wait.
    func setCommitObserver(_ observer: (@Sendable () -> Void)?)
    /// Commits soon what waits.
    func requestCommit()
    /// The broker has these rows: they are deleted with the next commit.
    func acknowledge(_ rows: [Int64])
    /// These are given up: deleted with the next commit, and counted as dropped with this reason.
    func drop(_ rows: [Int64], reason: DropReason)
    /// The wall clock of `boot` is known: Unix time minus uptime, in milliseconds.
    func setOffset(_ offset: Int64, ofBoot boot: String)
}
