// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CLinux
import Glibc

/// Sends the service's state to the service manager: the protocol of sd_notify(3), one datagram a message.
package final class ServiceNotifier: Sendable {
    package enum Message: Equatable, Sendable {
        /// The service works, for the first time or after a reload.
        case ready
        case reloading
        case stopping
        /// The service is alive. systemd waits for the next sign of life for the unit's `WatchdogSec=`.
        case watchdog
        /// The line in `systemctl status`.
        case status(String)
        /// The start or the stop may take this much longer.
        case extendTimeout(Duration)

        /// The message as text.
        func text(now: @autoclosure () -> Int64) -> String {
            switch self {
            case .ready: "READY=1"
            // Without the time, systemd could take the READY of an earlier reload for the READY of this reload.
            case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(now())"
            case .stopping: "STOPPING=1"
            case .watchdog: "WATCHDOG=1"
            case .status(let line):
                "STATUS=" + String(String.UnicodeScalarView(line.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
            case .extendTimeout(let time): "EXTEND_TIMEOUT_USEC=\(time.wholeNanoseconds / 1_000)"
            }
        }
    }

    private let socket: Int32

    /// - Parameter path: `$NOTIFY_SOCKET`: an absolute path, or `@` and a name in the abstract namespace. Nil for any
    ///   other text, or if no process listens there.
    package init?(path: String) {
        guard let address = Self.address(of: path) else { return nil }
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return nil }
        var (name, length) = address
        let status = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, length) }
        }
        // A manager that does not read may block the caller for a second, not for ever.
        var limit = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        // deinit closes the socket. A second close could hit another thread's file with the same number.
        guard status == 0 else { return nil }
    }

    deinit { if socket >= 0 { close(socket) } }

    /// Sends all messages in one datagram; false if the manager did not accept the datagram.
    @discardableResult
    package func send(_ messages: Message...) -> Bool {
        let text = messages.map { $0.text(now: Self.monotonicMicroseconds) }.joined(separator: "\n")
        let octets = Array(text.utf8)
        while true {
            let count = octets.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            return count == octets.count
        }
    }

    /// systemd compares with its own CLOCK_MONOTONIC, whatever our clock is.
    private static var monotonicMicroseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }

    private static func address(of path: String) -> (sockaddr_un, socklen_t)? {
        guard path.hasPrefix("/") || path.hasPrefix("@") && path.utf8.count > 1 else { return nil }
        var octets = Array(path.utf8)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard octets.count < MemoryLayout.size(ofValue: address.sun_path), !octets.contains(0) else { return nil }
        // An abstract name begins with a zero, and its length is the address's length. A path ends with a zero.
        let isAbstract = path.hasPrefix("@")
        if isAbstract { octets[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: octets) }
        let header = MemoryLayout.size(ofValue: address) - MemoryLayout.size(ofValue: address.sun_path)
        return (address, socklen_t(header + octets.count + (isAbstract ? 0 : 1)))
    }
}
