// SPDX-License-Identifier: Apache-2.0

import GRDB
import Readings

/// Some rows of a journal, and the names behind their numbers.
package struct JournalPage: Sendable {
    package let rows: [JournalRow]
    /// Names by number, as far as the file has them.
    package let devices: [Int64: String]
    package let characteristics: [Int64: String]
    package let boots: [Int64: JournalBoot]
    /// The names that the devices advertise, by their names in the journal.
    package let advertisedNames: [String: String]
}

/// Reads the rows of a journal page by page; changes nothing, and works beside a gateway that writes.
package struct JournalPages {
    /// Rows of a page at most. Each page is a read of its own: a long read would keep the gateway's log from being
    /// shortened.
    private static let size = 1000

    private let path: String
    private let reader: JournalReader
    private var cursor: Int64 = 0

    package init(path: String) throws(JournalError) {
        do { reader = try JournalReader(path: path) } catch { throw JournalFile.explain(error, path: path) }
        self.path = path
    }

    /// The next rows; nil at the end.
    package mutating func next() throws(JournalError) -> JournalPage? {
        let page: JournalPage
        do {
            page = try reader.read { [cursor] db, names in
                let rows = try JournalStore.rows(after: cursor, limit: Self.size, in: db)
                var advertised: [String: String] = [:]
                for device in Set(rows.map(\.device)).compactMap({ names.deviceNames[$0] }) {
                    advertised[device] = try Row.fetchOne(
                        db, sql: "SELECT value FROM identifier WHERE key = ?", arguments: [SensorNames.key(of: device)]
                    )?.text(0)
                }
                return JournalPage(
                    rows: rows, devices: names.deviceNames, characteristics: names.characteristicNames,
                    boots: Dictionary(names.boots.values.map { ($0.id, $0) }) { first, _ in first },
                    advertisedNames: advertised)
            }
        } catch {
            throw JournalFile.explain(error, path: path)
        }
        guard let last = page.rows.last else { return nil }
        cursor = last.n
        return page
    }
}
