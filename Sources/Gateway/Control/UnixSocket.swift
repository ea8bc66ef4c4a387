// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A Unix stream socket; closes its descriptor at the end of its life.
struct UnixSocket: ~Copyable {
    let descriptor: Int32

    init(adopting descriptor: Int32) { self.descriptor = descriptor }

    private init(path: String) throws(ControlError) {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .system(operation: "socket", path: path, errno: errno) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The descriptor. The caller has to close it.
    consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }

    static func connected(to path: String) throws(ControlError) -> UnixSocket {
        let connection = try UnixSocket(path: path)
        let descriptor = connection.descriptor
        let status = try withAddress(path) { Glibc.connect(descriptor, $0, $1) }
        guard status == 0 else { throw .system(operation: "connect to", path: path, errno: errno) }
        return connection
    }

    /// Listens on `path` with mode 0660. Replaces the socket file of a killed gateway, on which no process listens.
    /// Leaves any other file at the path alone.
    static func listening(on path: String) throws(ControlError) -> UnixSocket {
        let server = try UnixSocket(path: path)
        // /run is empty after a boot. mkdir changes nothing if systemd has made the folder.
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex { mkdir(String(path[..<slash]), 0o750) }
        let descriptor = server.descriptor
        var status = try withAddress(path) { Glibc.bind(descriptor, $0, $1) }
        if status != 0, errno == EADDRINUSE {
            try removeStale(path)
            status = try withAddress(path) { Glibc.bind(descriptor, $0, $1) }
        }
        guard status == 0 else { throw .system(operation: "listen on", path: path, errno: errno) }
        guard chmod(path, 0o660) == 0, listen(descriptor, 8) == 0 else {
            let reason = errno
            unlink(path)
            throw .system(operation: "listen on", path: path, errno: reason)
        }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        return server
    }

    private static func removeStale(_ path: String) throws(ControlError) {
        var information = stat()
        guard lstat(path, &information) == 0, information.st_mode & S_IFMT == S_IFSOCK else {
            throw .system(operation: "listen on", path: path, errno: EADDRINUSE)
        }
        do throws(ControlError) {
            _ = try connected(to: path)
        } catch .system(_, _, ECONNREFUSED) {
            unlink(path)
            return
        } catch {
            throw error
        }
        throw .inUse(path: path)
    }

    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(ControlError) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let octets = Array(path.utf8)
        guard octets.count < MemoryLayout.size(ofValue: address.sun_path), !octets.contains(0) else {
            throw .pathTooLong(path: path)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: octets) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }
}
