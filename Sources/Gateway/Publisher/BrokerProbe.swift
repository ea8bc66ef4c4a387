// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Glibc

/// Whether anybody listens at an address.
///
/// libmosquitto waits for a TCP connection for as long as the kernel does, two minutes: with several brokers, one whose
/// machine is down would keep the gateway from the next for that long.
enum BrokerProbe {
    /// Connects and hangs up; blocks for `timeout` at most, and for as long as looking up the name takes.
    ///
    /// - Returns: What is in the way; nil when nothing is.
    static func complaint(about address: BrokerAddress, timeout: Duration) -> String? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(address.host, String(address.port), &hints, &list)
        guard code == 0 else { return "\(address.host): \(String(cString: gai_strerror(code)))" }
        defer { freeaddrinfo(list) }
        var last: Int32 = ETIMEDOUT
        for entry in sequence(first: list, next: { $0?.pointee.ai_next }).prefix(while: { $0 != nil }) {
            guard let entry else { continue }
            last = error(connectingTo: entry.pointee, timeout: timeout)
            if last == 0 { return nil }
        }
        return String(cString: strerror(last))
    }

    /// The number of the error; 0 when there is a connection.
    private static func error(connectingTo entry: addrinfo, timeout: Duration) -> Int32 {
        let descriptor = socket(entry.ai_family, entry.ai_socktype | Int32(SOCK_NONBLOCK.rawValue), entry.ai_protocol)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        if connect(descriptor, entry.ai_addr, entry.ai_addrlen) == 0 { return 0 }
        guard errno == EINPROGRESS else { return errno }
        var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard Glibc.poll(&poll, 1, Int32(clamping: timeout.wholeMilliseconds)) == 1 else { return ETIMEDOUT }
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return errno }
        return code
    }
}
