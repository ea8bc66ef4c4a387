// SPDX-License-Identifier: Apache-2.0

/// The publisher's view of the journal's content.
package protocol DeliveryRows: AnyObject, RowSource, FactSource {
    /// Runs `read` on one unchanged database. Nil without a database, or if the database was replaced meanwhile: it
    /// would then seem empty.
    func reading<Value>(_ read: (any RowSource) throws -> Value) throws -> Value?

    /// The device for a number in rows.
    func deviceName(_ id: Int64) throws -> String?
    func characteristicName(_ id: Int64) throws -> String?
    func boots() throws -> [JournalBoot]

    /// Readings that are not on disk yet.
    var pendingCount: Int { get }
    var statistics: JournalStatistics { get }
}

/// The journal for the publisher, which reads rows and reports the fate of each row.
///
/// An acknowledged or dropped row appears in no later answer. All calls may be made on any thread.
package protocol DeliveryJournal: DeliveryRows, FactStore {
    /// `observer` is called after each commit with readings, on a queue of the journal's. The observer must not wait.
    func setCommitObserver(_ observer: (@Sendable () -> Void)?)
    /// Soon commits the waiting readings.
    func requestCommit()
    /// The broker has these rows. The next commit deletes them.
    func acknowledge(_ rows: [Int64])
    /// Gives up these rows. The next commit deletes them, and counts them as dropped with this reason.
    func drop(_ rows: [Int64], reason: DropReason)
    /// The wall clock of `boot` is known: Unix time minus uptime, in milliseconds.
    func setOffset(_ offset: Int64, ofBoot boot: String)
}
