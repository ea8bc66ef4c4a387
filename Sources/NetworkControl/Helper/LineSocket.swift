// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Lines over a connected socket, for one thread. The opener of the descriptor closes it.
final class LineSocket {
    enum Reception: Equatable {
        case line([UInt8])
        /// The other end has closed.
        case end
        case late
        /// The line exceeds its limit.
        case tooLong
    }

    /// How long the other end may make us wait for room, in seconds.
    private static let sendingPatience: time_t = 5

    let descriptor: Int32
    private let maximumLine: Int
    private var buffer: [UInt8] = []

    /// - Parameter maximumLine: Octets without the line's end.
    init(descriptor: Int32, maximumLine: Int) {
        self.descriptor = descriptor
        self.maximumLine = maximumLine
        var limit = timeval(tv_sec: Self.sendingPatience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// The next line, without its end.
    func receive(until end: ContinuousClock.Instant) -> Reception {
        var searched = 0
        while true {
            if let position = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(buffer[..<position])
                buffer.removeSubrange(...position)
                return line.count <= maximumLine ? .line(line) : .tooLong
            }
            guard buffer.count <= maximumLine else { return .tooLong }
            searched = buffer.count
            let left = end - ContinuousClock.now
            guard left > .zero else { return .late }
            var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&watched, 1, left.milliseconds)
            if ready < 0, errno != EINTR { return .end }
            guard ready > 0 else { continue }
            guard fill() else { return .end }
        }
    }

    /// Whether a line, or a part of a line, is already received.
    var hasBuffered: Bool { !buffer.isEmpty }

    private func fill() -> Bool {
        var part = [UInt8](repeating: 0, count: 4_096)
        let count = part.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT)) }
        if count < 0 { return errno == EINTR || errno == EAGAIN }
        buffer += part.prefix(count)
        return count > 0
    }

    /// False when the other end has gone, or takes nothing.
    @discardableResult func send(_ octets: [UInt8]) -> Bool {
        var sent = 0
        while sent < octets.count {
            let count = octets[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
