// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Foundation
import Glibc

/// A broker's end of one TLS connection. It reads and sends only on the test's call.
final class TLSPeer {
    let port: UInt16
    private let listener: Int32
    private let context: OpaquePointer
    private var connection: Int32 = -1
    private var state: OpaquePointer?

    init(_ shop: CertificateShop, certificate: String) throws {
        context = try shop.serverContext(certificate)
        port = try TestPorts.next()
        listener = try TestPorts.listener(port)
    }

    deinit {
        SSL_free(state)
        for descriptor in [connection, listener] where descriptor >= 0 { close(descriptor) }
        SSL_CTX_free(context)
    }

    /// Accepts a client's connection.
    func take() throws {
        connection = accept(listener, nil, nil)
        guard connection >= 0, fcntl(connection, F_SETFL, O_NONBLOCK) == 0, let state = SSL_new(context) else {
            throw POSIXError(.ENOTCONN)
        }
        self.state = state
        SSL_set_fd(state, connection)
        SSL_set_accept_state(state)
    }

    /// Continues with the handshake, and reads the data after it. True if there were data.
    func read() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        return SSL_read(state, &buffer, Int32(buffer.count)) > 0
    }

    /// Sends a record.
    func send(_ octets: [UInt8]) -> Bool { SSL_write(state, octets, Int32(octets.count)) == octets.count }

    /// Sends KeyUpdate: the client has to answer before it writes other data. RFC 8446, 4.6.3.
    func askForNewKeys() -> Bool {
        SSL_key_update(state, SSL_KEY_UPDATE_REQUESTED) == 1 && SSL_do_handshake(state) == 1
    }

    /// Takes octets from the socket, and drops them: whether there were some.
    func drain() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        return recv(connection, &buffer, buffer.count, 0) > 0
    }
}
