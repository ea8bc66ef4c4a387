// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A failed system call of the runner.
package struct VirtualRadioError: Error, CustomStringConvertible, Sendable {
    package let call: String
    package let code: Int32

    package var description: String { "\(call): \(String(cString: strerror(code)))" }

    static func last(_ call: String) -> VirtualRadioError { VirtualRadioError(call: call, code: errno) }
}

/// The runner's system calls, on plain descriptors.
enum Descriptor {
    enum Input {
        case octets(ArraySlice<UInt8>)
        case nothing
        case end
    }

    static func pair() throws(VirtualRadioError) -> (ours: Int32, theirs: Int32) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw .last("socketpair") }
        return (ends[0], ends[1])
    }

    static func pipe() throws(VirtualRadioError) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw .last("pipe") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            makeNonBlocking(end)
        }
        return (ends[0], ends[1])
    }

    static func makeNonBlocking(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    /// Listens on 127.0.0.1; port 0 picks a free port.
    static func listen(tcpPort: UInt16) throws(VirtualRadioError) -> (descriptor: Int32, port: UInt16) {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_INET, type, 0)
        guard descriptor >= 0 else { throw .last("socket") }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = tcpPort.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failure: VirtualRadioError? = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { socketAddress in
                guard bind(descriptor, socketAddress, length) == 0 else { return .last("bind") }
                guard Glibc.listen(descriptor, 64) == 0 else { return .last("listen") }
                guard getsockname(descriptor, socketAddress, &length) == 0 else { return .last("getsockname") }
                return nil
            }
        }
        if let failure {
            close(descriptor)
            throw failure
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    static func listen(unixPath: String) throws(VirtualRadioError) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array(unixPath.utf8)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard path.count < capacity else { throw VirtualRadioError(call: "bind", code: ENAMETOOLONG) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw .last("socket") }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let failure: VirtualRadioError? = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { socketAddress in
                guard bind(descriptor, socketAddress, length) == 0 else { return .last("bind \(unixPath)") }
                guard Glibc.listen(descriptor, 64) == 0 else { return .last("listen") }
                return nil
            }
        }
        if let failure {
            close(descriptor)
            throw failure
        }
        return descriptor
    }

    /// Nil when no connection waits.
    static func accept(_ listener: Int32) -> Int32? {
        let descriptor = Glibc.accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        makeNonBlocking(descriptor)
        // Hosts send small packets and wait for answers. The option fails on Unix sockets, where it has no meaning.
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        return descriptor
    }

    static func read(_ descriptor: Int32, into buffer: inout [UInt8]) -> Input {
        let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        if count > 0 { return .octets(buffer[..<count]) }
        return count < 0 && [EAGAIN, EWOULDBLOCK, EINTR].contains(errno) ? .nothing : .end
    }

    /// How many octets were written; nil when the peer is gone.
    static func write(_ descriptor: Int32, _ octets: ArraySlice<UInt8>) -> Int? {
        let count = octets.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count >= 0 { return count }
        return [EAGAIN, EWOULDBLOCK, EINTR].contains(errno) ? 0 : nil
    }

    static func now() -> Int64 { nanoseconds(CLOCK_MONOTONIC) }

    static func wallClock() -> Int64 { nanoseconds(CLOCK_REALTIME) }

    private static func nanoseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
