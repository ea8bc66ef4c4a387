// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The names that sensors advertise, kept in the journal over restarts: a reading that is sent again has the words of the first
/// time, also before its sensor is heard again.
struct SensorNames: Sendable {
    private static let prefix = "name:"

    let journal: Journal

    /// To be called before the first reading of `device`, so that no reading is on disk without it. Nil changes nothing.
    func keep(_ name: String?, of device: String) {
        guard let name else { return }
        journal.setIdentifier(name, for: Self.prefix + device)
    }

    func name(of device: String) -> String? { journal.identifier(for: Self.prefix + device) }

    /// The same from the database, for another process.
    static func name(of device: String, in db: Database) throws -> String? {
        try Row.fetchOne(db, sql: "SELECT value FROM identifier WHERE key = ?", arguments: [prefix + device])?.text(0)
    }
}
