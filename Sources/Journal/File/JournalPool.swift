// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GRDB
import Synchronization

/// The connections to the journal's database. Every use of the database goes through here.
///
/// ``close()`` waits for the present users, and later users get ``JournalError/closed(path:)``. GRDB gives no such
/// promise: a reader that started before GRDB's `close()` may work with a closed connection, and the process then ends.
/// The connections are closed before the file gets another name, so that no reader holds a file that was put away.
/// `body` may not wait for the journal's queue: the queue waits here.
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

    /// Closes the connections after the last user. A second call does nothing.
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
