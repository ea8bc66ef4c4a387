// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CMosquitto
import Glibc

/// Gives libmosquitto an existing TCP connection. The library has no call for this purpose, and its own connect(2)
/// blocks as long as the kernel waits. The library connects to a listener of ours on loopback for a moment. Then its
/// descriptor becomes the broker's connection (dup2(2)), and the octets that the library sent so far go to the broker.
struct SocketExchange {
    /// Octets that the library sends before its first read: CONNECT with its will, or TLS's ClientHello.
    private static let firstOctets = 1 << 20

    private let listener: Int32
    let port: UInt16

    init() throws(MQTTFailure) {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let listener = socket(AF_INET, type, 0)
        guard listener >= 0 else { throw .system(errno) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        guard Self.withAddress(&address, { bind(listener, $0, $1) }) == 0, listen(listener, 4) == 0,
            let port = Self.port(of: listener, getsockname)
        else {
            let code = errno
            close(listener)
            throw .system(code)
        }
        (self.listener, self.port) = (listener, port)
    }

    func end() { close(listener) }

    /// Puts `connection` in place of the library's socket. The caller closes its own descriptor.
    func give(_ connection: Int32, to socket: Int32, within time: Duration) throws(MQTTFailure) {
        let own = try end(of: socket)
        defer { close(own) }
        // Loopback delivers at once: all octets that the library has sent can be read.
        var octets = [UInt8](repeating: 0, count: 16_384)
        var total = 0
        while true {
            let count = recv(own, &octets, octets.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { break }
            total += count
            guard total <= Self.firstOctets else { throw .system(EMSGSIZE) }
            try send(octets[..<count], on: connection, until: ContinuousClock.now + time)
        }
        var on: Int32 = 1
        setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        guard dup2(connection, socket) == socket, fcntl(socket, F_SETFD, FD_CLOEXEC) == 0 else {
            throw .system(errno)
        }
    }

    /// The other end of the library's socket. Any process on this machine may connect to the listener: foreign
    /// connections are closed.
    private func end(of socket: Int32) throws(MQTTFailure) -> Int32 {
        let wanted = Self.port(of: socket, getsockname)
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            guard descriptor >= 0 else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                throw .system(errno)
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            if wanted != nil, Self.port(of: descriptor, getpeername) == wanted { return descriptor }
            close(descriptor)
        }
    }

    private func send(
        _ octets: ArraySlice<UInt8>, on descriptor: Int32, until end: ContinuousClock.Instant
    ) throws(MQTTFailure) {
        var rest = octets
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count > 0 {
                rest = rest.dropFirst(count)
                continue
            }
            if errno == EPIPE || errno == ECONNRESET { throw .library(code: LibraryCode.connectionLost, detail: nil) }
            guard errno == EAGAIN || errno == EINTR else { throw .system(errno) }
            let left = end - ContinuousClock.now
            guard left > .zero else { throw .system(ETIMEDOUT) }
            var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = poll(&entry, 1, Int32(clamping: left.wholeMilliseconds + 1))
        }
    }

    private static func port(
        of descriptor: Int32,
        _ call: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> UInt16? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(descriptor, $0, &length) }
        }
        return code == 0 && address.sin_family == sa_family_t(AF_INET) ? UInt16(bigEndian: address.sin_port) : nil
    }

    private static func withAddress(
        _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
