// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Configuration
import Glibc
import Logging

/// A listening Unix stream socket, opened by another process.
package enum InheritedSocket {
    /// The control socket, if the service manager has opened it (`FileDescriptorName=control`).
    package static func control(_ environment: ServiceEnvironment, path: String, logger: Logger) -> Int32? {
        guard let descriptor = environment.sockets["control"] else { return nil }
        switch check(descriptor, path: path) {
        case .success(let descriptor): return descriptor
        case .failure(let mistake):
            logger.warning("the socket that was handed over is not used: it \(mistake.reason)")
            return nil
        }
    }

    /// Checks the inherited descriptor. Fails unless it is a socket that listens on `path`.
    ///
    /// - Returns: the descriptor, which child processes do not inherit.
    static func check(_ descriptor: Int32, path: String) -> Result<Int32, InvalidValue> {
        guard option(SO_DOMAIN, of: descriptor) == AF_UNIX,
            option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue),
            option(SO_ACCEPTCONN, of: descriptor) == 1
        else { return .failure(InvalidValue("is no listening Unix stream socket")) }
        let actual = name(of: descriptor)
        guard actual == path else {
            return .failure(InvalidValue("listens on \(quoted(actual ?? "")), but control.socket is \(quoted(path))"))
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        return .success(descriptor)
    }

    private static func option(_ option: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, option, &value, &length) == 0 ? value : nil
    }

    /// The path of the socket; nil without a path.
    private static func name(of descriptor: Int32) -> String? {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        let header = MemoryLayout.size(ofValue: address) - MemoryLayout.size(ofValue: address.sun_path)
        guard status == 0, Int(length) > header else { return nil }
        return withUnsafeBytes(of: &address.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
