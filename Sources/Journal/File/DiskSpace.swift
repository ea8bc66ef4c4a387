// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Octets of a file system.
package struct DiskSpace: Equatable, Sendable {
    package var total: Int
    /// Octets that an unprivileged process may still use.
    package var free: Int

    package init(total: Int, free: Int) {
        self.total = total
        self.free = free
    }
}

/// Measures the room in the file system of a path.
package struct DiskGauge: Sendable {
    /// Nil if the space is unknown.
    package var space: @Sendable (String) -> DiskSpace?

    package init(space: @escaping @Sendable (String) -> DiskSpace?) { self.space = space }

    package static let system = DiskGauge { path in
        var status = statvfs()
        guard statvfs(path, &status) == 0, status.f_frsize > 0, status.f_blocks > 0 else { return nil }
        func octets(_ blocks: UInt) -> Int {
            let (product, overflow) = blocks.multipliedReportingOverflow(by: status.f_frsize)
            return overflow ? .max : Int(clamping: product)
        }
        return DiskSpace(total: octets(status.f_blocks), free: octets(status.f_bavail))
    }
}
