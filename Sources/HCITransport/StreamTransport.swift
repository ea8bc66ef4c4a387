// SPDX-License-Identifier: Apache-2.0

import CBlueZ
import Glibc

/// H4 over a stream: a Unix or TCP socket, or a serial line. Core 5.4, Vol 4, Part A.
package struct StreamTransport: HCITransport {
    package let descriptor: Int32
    package var keepsPacketBorders: Bool { false }
    private let name: String

    /// Takes over a connected stream socket.
    package init(adopting descriptor: Int32) throws(TransportError) {
        try self.init(descriptor, name: "virtual")
    }

    package init(connectingToUnix path: String) throws(TransportError) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .systemCall("socket", on: "unix:\(path)") }
        guard var address = sockaddr_un(path: path) else {
            Glibc.close(descriptor)
            throw TransportError(kind: .other, message: "unix:\(path): the path is longer than 107 octets")
        }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        guard result == 0 else {
            let error = TransportError.systemCall("connect", on: "unix:\(path)", advice: Self.socketAdvice)
            Glibc.close(descriptor)
            throw error
        }
        try self.init(descriptor, name: "unix:\(path)")
    }

    package init(connectingTo host: String, port: UInt16) throws(TransportError) {
        let name = "tcp:\(host):\(port)"
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        guard status == 0 else {
            throw TransportError(
                kind: .notFound,
                message: "\(name): \(host) is no known host: \(String(cString: gai_strerror(status)))")
        }
        defer { freeaddrinfo(list) }
        var failure = TransportError(kind: .notFound, message: "\(name): the host has no address")
        var entry = list
        while let candidate = entry {
            entry = candidate.pointee.ai_next
            let descriptor = socket(
                candidate.pointee.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { continue }
            if connect(descriptor, candidate.pointee.ai_addr, candidate.pointee.ai_addrlen) == 0 {
                var on: Int32 = 1
                setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
                try self.init(descriptor, name: name)
                return
            }
            failure = .systemCall("connect", on: name, advice: Self.socketAdvice)
            Glibc.close(descriptor)
        }
        throw failure
    }

    private static func socketAdvice(_ number: Int32) -> String? {
        switch number {
        case ENOENT, ECONNREFUSED: "No program listens there: start the controller's program, or name another place"
        case EACCES, EPERM: "This user may not use the socket"
        case EHOSTUNREACH, ENETUNREACH, ETIMEDOUT: "Check the host and the network between"
        default: nil
        }
    }

    private static func serialAdvice(_ number: Int32, on device: String, _ words: TransportWords) -> String? {
        switch number {
        case ENOENT, ENODEV, ENXIO: "Check the plug and the name of the device (\(words.command(.listSerial)))"
        case EACCES, EPERM:
            "This user may not use the device: run as root, or join its group (\(words.command(.joinSerial)))"
        case EBUSY: "Another process uses the device (\(words.command(.serialUsers(device: device))))"
        default: nil
        }
    }

    private init(_ descriptor: Int32, name: String) throws(TransportError) {
        self.descriptor = descriptor
        self.name = name
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0 else {
            throw .systemCall("fcntl", on: name)
        }
    }

    package init(
        openingSerial device: String, baud: UInt32, _ words: TransportWords = .library
    ) throws(TransportError) {
        let name = "serial:\(device),\(baud)"
        let descriptor = open(device, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw .systemCall("open", on: name) { Self.serialAdvice($0, on: device, words) } }
        do {
            try SerialLine.configure(descriptor, baud: baud, name: name)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        try self.init(descriptor, name: name)
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count > 0 { return count }
            if count == 0 {
                throw TransportError(kind: .lost, message: "\(name): the controller closed the connection")
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: return 0
            default: throw lost("read")
            }
        }
    }

    package func write(_ octets: UnsafeRawBufferPointer) throws(TransportError) -> Int {
        while true {
            // send(2) for sockets, so that a closed peer is an error and not a signal; write(2) for serial lines.
            var count = send(descriptor, octets.baseAddress, octets.count, Int32(MSG_NOSIGNAL))
            if count < 0, errno == ENOTSOCK { count = Glibc.write(descriptor, octets.baseAddress, octets.count) }
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN: return 0
            default: throw lost("write")
            }
        }
    }

    private func lost(_ call: StaticString) -> TransportError {
        TransportError(kind: .lost, message: TransportError.systemCall(call, on: name).message)
    }

    package func close() { Glibc.close(descriptor) }
}
