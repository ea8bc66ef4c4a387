// SPDX-License-Identifier: Apache-2.0

import GRDB
import Logging
import Platform
import Synchronization
import Testing

@testable import GatewayBench
@testable import Journal

struct JournalProgressTests {
    @Test func `a long statement of the journal's own connection is progress, and what readers do is none`() throws {
        let folder = try TestFolder()
        let journal = try Journal(
            JournalConfiguration(path: folder.path + "/journal.db"), clock: .system,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        defer { journal.close() }
        let store = try #require(journal.state.withLock { $0.database.store })
        let count = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 20000) SELECT COUNT(*) FROM c"
        let before = journal.progress.steps
        let counted = try store.pool.writeWithoutTransaction { try Int.fetchOne($0, sql: count) }
        #expect(counted == 20_000)
        let between = journal.progress.steps
        #expect(between > before)
        _ = try store.pool.read { try Int.fetchOne($0, sql: count) }
        #expect(journal.progress.steps == between)
    }
}
