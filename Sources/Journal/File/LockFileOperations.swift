// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The journal's operations on the content of its lock file, which records the numbers that may have been used. A
/// value, so that a test can see writes and syncs, and what a power cut between them leaves.
package struct LockFileOperations: Sendable {
    /// Writes octets at an offset; true when all of them are written.
    package var write: @Sendable (Int32, [UInt8], Int) -> Bool
    package var truncate: @Sendable (Int32, Int) -> Bool
    /// Makes all writes durable.
    package var sync: @Sendable (Int32) -> Bool

    package init(
        write: @escaping @Sendable (Int32, [UInt8], Int) -> Bool, truncate: @escaping @Sendable (Int32, Int) -> Bool,
        sync: @escaping @Sendable (Int32) -> Bool
    ) {
        self.write = write
        self.truncate = truncate
        self.sync = sync
    }

    package static let system = LockFileOperations(
        write: { pwrite($0, $1, $1.count, off_t($2)) == $1.count },
        truncate: { ftruncate($0, off_t($1)) == 0 },
        sync: { fdatasync($0) == 0 })
}
