// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What the service manager has put into the environment for this process.
package struct ServiceEnvironment: Equatable, Sendable {
    /// Where notifications go; nil outside a service that sends any.
    package var notifySocket: String?
    /// How long the manager waits for the next sign of life; nil where it does not wait.
    package var watchdog: Duration?
    /// Sockets that it has opened, by their `FileDescriptorName=`.
    package var sockets: [String: Int32] = [:]

    /// The first descriptor that is handed over, after the three of every process.
    private static let firstSocket: Int32 = 3
    /// More than any unit of ours hands over.
    private static let maximumSockets: Int32 = 16

    package init() {}

    /// - Parameter process: variables that name another process are not for us: it was our parent.
    package init(_ environment: [String: String], process: Int32 = getpid()) {
        notifySocket = environment["NOTIFY_SOCKET"]
        // Without WATCHDOG_PID it is for whoever has the variable, says sd_watchdog_enabled(3).
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
