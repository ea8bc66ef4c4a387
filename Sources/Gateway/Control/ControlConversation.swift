// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A client's end of a dialogue with a running gateway.
package struct ControlConversation: ~Copyable {
    /// Longest accepted line, in octets.
    private static let maximumLine = 1 << 20

    private let socket: UnixSocket
    private let path: String
    private var received: [UInt8] = []

    private init(_ socket: consuming UnixSocket, path: String) {
        self.socket = socket
        self.path = path
    }

    /// Connects, and sends the first request of the dialogue.
    package static func begin(_ request: some Encodable, socket path: String) throws(ControlError) -> Self {
        let conversation = Self(try UnixSocket.connected(to: path), path: path)
        try conversation.send(request)
        return conversation
    }

    /// For polling.
    package var descriptor: Int32 { socket.descriptor }

    package func send(_ value: some Encodable) throws(ControlError) {
        let line: [UInt8]
        do { line = try ControlCoding.encode(value) } catch { throw .malformedAnswer("\(error)") }
        var unsent = (line + [UInt8(ascii: "\n")])[...]
        while !unsent.isEmpty {
            let count = unsent.withUnsafeBytes {
                Glibc.send(socket.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .noAnswer(path: path) }
            unsent = unsent.dropFirst(count)
        }
    }

    /// The next complete line, without its end; nil: none yet.
    package mutating func takeLine() -> [UInt8]? {
        guard let end = received.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { received.removeSubrange(...end) }
        return Array(received[..<end])
    }

    /// Waits until octets arrive, and receives them.
    package mutating func wait() throws(ControlError) {
        var polled = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&polled, 1, -1)
        try receive()
    }

    /// Receives octets; call it when the descriptor is readable.
    package mutating func receive() throws(ControlError) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(socket.descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else { throw .noAnswer(path: path) }
        received += buffer[..<count]
        guard received.count <= Self.maximumLine else { throw .malformedAnswer("a line is too long") }
    }
}
