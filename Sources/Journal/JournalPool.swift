// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GRDB
import Synchronization

/// The connections to the journal's database. Every use of the database goes through here.
///
/// ``close()`` waits for those who use the connections, and whoever comes later gets ``JournalError/closed(path:)``. GRDB
/// does not promise that: a reader that it has let in before its `close()` works with a closed connection, which ends the
/// process. The connections are closed before the file gets another name, so that no reader holds a file that was put
/// away. What runs in `body` may not wait for the journal's queue, which waits here.
final class JournalPool: Sendable {
    private struct Users {
        var count = 0
        var isClosing = false
    }

    private let connections: DatabasePool
    private let users = Mutex(Users())
    private let isUnused = DispatchSemaphore(value: 0)

    init(_ connections: DatabasePool) { self.connections = connections }

    func read<Value>(_ body: (Database) throws -> Value) throws -> Value { try use { try $0.read(body) } }

    func write<Value>(_ body: (Database) throws -> Value) throws -> Value { try use { try $0.write(body) } }

    func writeWithoutTransaction<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try use { try $0.writeWithoutTransaction(body) }
    }

    /// Keeps the connections open while `body` runs.
    func use<Value>(_ body: (DatabasePool) throws -> Value) throws -> Value {
        let isOpen = users.withLock { users in
            if !users.isClosing { users.count += 1 }
            return !users.isClosing
        }
        guard isOpen else { throw JournalError.closed(path: connections.path) }
        defer {
            let isLast = users.withLock { users in
                users.count -= 1
                return users.isClosing && users.count == 0
            }
            if isLast { isUnused.signal() }
        }
        return try body(connections)
    }

    /// Closes the connections when nobody uses them any more. Called again, it does nothing.
    func close() throws {
        let (isFirst, isUsed) = users.withLock { users in
            defer { users.isClosing = true }
            return (!users.isClosing, users.count > 0)
        }
        guard isFirst else { return }
        if isUsed { isUnused.wait() }
        try connections.close()
    }
}
