// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Foundation
import Glibc

/// A TLS proxy on a port: passes each record on to another port as one piece, without TLS.
final class TLSFront: Listener {
    let port: UInt16
    private let listener: Int32
    private let context: OpaquePointer

    init(_ shop: CertificateShop, certificate: String, before behind: UInt16) throws {
        context = try shop.serverContext(certificate)
        port = try TestPorts.next()
        listener = try TestPorts.listener(port)
        Thread.detachNewThread { [listener, context = Shared(pointer: context)] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                Thread.detachNewThread {
                    Self.serve(connection, context.pointer, behind)
                    close(connection)
                }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        SSL_CTX_free(context)
    }

    private struct Shared: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    private static func serve(_ connection: Int32, _ context: OpaquePointer, _ behind: UInt16) {
        guard let ssl = SSL_new(context) else { return }
        defer { SSL_free(ssl) }
        SSL_set_fd(ssl, connection)
        let other = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(other) }
        var address = Broker.loopback(behind)
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(other, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected, SSL_accept(ssl) == 1 else { return }
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            var descriptors = [connection, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            if SSL_pending(ssl) == 0 { guard poll(&descriptors, 2, -1) > 0 else { return } }
            if SSL_pending(ssl) > 0 || descriptors[0].revents != 0 {
                let count = SSL_read(ssl, &buffer, Int32(buffer.count))
                guard count > 0, send(other, buffer, Int(count), Int32(MSG_NOSIGNAL)) == count else { return }
            }
            if descriptors[1].revents != 0 {
                let count = recv(other, &buffer, buffer.count, 0)
                guard count > 0, SSL_write(ssl, buffer, Int32(count)) == count else { return }
            }
        }
    }
}
