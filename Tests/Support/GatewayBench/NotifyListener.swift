// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// The service manager's end of the notification socket.
final class NotifyListener {
    struct Failed: Error {}

    let path: String
    private let descriptor: Int32
    private(set) var lines: [String] = []

    /// With a leading `@` the socket is an abstract socket.
    init(path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var octets = Array(path.utf8)
        let isAbstract = path.hasPrefix("@")
        if isAbstract { octets[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: octets) }
        // The terminating zero is no part of an abstract name.
        let length = socklen_t(2 + octets.count + (isAbstract ? 0 : 1))
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard status == 0 else { throw Failed() }
    }

    deinit { close(descriptor) }

    /// One datagram; nil without a datagram within `limit`.
    func next(_ limit: Duration = .seconds(20)) -> String? {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, Int32(limit / .milliseconds(1))) == 1 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }

    /// Takes datagrams until a line has this prefix, and returns that line. Keeps all lines in ``lines``.
    func wait(for prefix: String, _ limit: Duration = .seconds(20)) -> String? {
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline, let text = next(deadline - ContinuousClock.now) {
            let new = text.split(separator: "\n").map(String.init)
            lines += new
            if let line = new.first(where: { $0.hasPrefix(prefix) }) { return line }
        }
        return nil
    }
}
