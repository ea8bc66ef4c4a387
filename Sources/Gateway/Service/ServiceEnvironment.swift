// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The service manager's variables in the environment of this process.
package struct ServiceEnvironment: Equatable, Sendable {
    /// The socket for notifications; nil for a service that sends none.
    package var notifySocket: String?
    /// How long the manager waits for the next sign of life; nil without a watchdog.
    package var watchdog: Duration?
    /// Sockets opened by the manager, by their `FileDescriptorName=`.
    package var sockets: [String: Int32] = [:]

    /// The first inherited descriptor, after the three of every process.
    private static let firstSocket: Int32 = 3
    /// More than any of our units hands over.
    private static let maximumSockets: Int32 = 16

    package init() {}

    /// - Parameter process: Variables for another process are ignored: they were meant for our parent.
    package init(_ environment: [String: String], process: Int32 = getpid()) {
        notifySocket = environment["NOTIFY_SOCKET"]
        // Without WATCHDOG_PID, the variable is for any process that has it: sd_watchdog_enabled(3).
        if environment["WATCHDOG_PID"].map({ $0 == String(process) }) ?? true,
            let microseconds = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }),
            (1...Int64.max / 1_000).contains(microseconds)
        {
            watchdog = .microseconds(microseconds)
        }
        guard environment["LISTEN_PID"] == String(process),
            let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), (1...Self.maximumSockets).contains(count)
        else { return }
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        for (index, name) in names.prefix(Int(count)).enumerated() {
            sockets[String(name)] = Self.firstSocket + Int32(index)
        }
    }
}
