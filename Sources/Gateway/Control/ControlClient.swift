// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Glibc
import Operations

/// Asks a running gateway over its control socket.
package enum ControlClient {
    /// Longest accepted answer, in octets.
    private static let maximumAnswer = 16 << 20

    /// Sends a request and waits for its answer, `timeout` at most.
    package static func ask<Arguments, Result>(
        _ operation: TypedOperation<Arguments, Result>, sensor: String? = nil, socket path: String,
        timeout: Duration = .seconds(5)
    ) throws(ControlError) -> Result {
        try ask(operation, ControlRequest(operation.name, sensor: sensor), socket: path, timeout: timeout)
    }

    /// - Parameter request: A request for the operation.
    package static func ask<Arguments, Result>(
        _ operation: TypedOperation<Arguments, Result>, _ request: ControlRequest, socket path: String,
        timeout: Duration = .seconds(5)
    ) throws(ControlError) -> Result {
        try ask(request, socket: path, timeout: timeout, as: Result.self)
    }

    /// - Parameter type: The result's type in the operation's row.
    package static func ask<Result: Codable & Sendable>(
        _ request: some Encodable, socket path: String, timeout: Duration = .seconds(5), as type: Result.Type
    ) throws(ControlError) -> Result {
        let line: [UInt8]
        do { line = try ControlCoding.encode(request) } catch {
            throw .malformedAnswer("\(error)")
        }
        let answer = try exchange(line + [UInt8(ascii: "\n")], socket: path, timeout: timeout)
        let response: ControlResponse<Result>
        do {
            response = try ControlCoding.decode(ControlResponse<Result>.self, from: answer)
        } catch {
            throw .malformedAnswer("\(error)")
        }
        guard response.ok, let result = response.result else { throw .refused(response.error ?? "no reason given") }
        return result
    }

    /// Sends `octets` and returns the answer's line, without its end.
    package static func exchange(
        _ octets: [UInt8], socket path: String, timeout: Duration = .seconds(5)
    ) throws(ControlError) -> [UInt8] {
        let connection = try UnixSocket.connected(to: path)
        let deadline = ContinuousClock.now + timeout
        var unsent = octets[...]
        while !unsent.isEmpty {
            try wait(connection.descriptor, POLLOUT, until: deadline, path: path)
            let count = unsent.withUnsafeBytes {
                Glibc.send(
                    connection.descriptor, $0.baseAddress, $0.count,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            // A server that refuses closes early. Its answer can still be read.
            guard count > 0 else { break }
            unsent = unsent.dropFirst(count)
        }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while answer.count <= maximumAnswer {
            try wait(connection.descriptor, POLLIN, until: deadline, path: path)
            let count = recv(connection.descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { break }
            if let end = buffer[..<count].firstIndex(of: UInt8(ascii: "\n")) { return answer + buffer[..<end] }
            answer += buffer[..<count]
        }
        throw .noAnswer(path: path)
    }

    private static func wait(
        _ descriptor: Int32, _ events: Int32, until deadline: ContinuousClock.Instant, path: String
    ) throws(ControlError) {
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        while true {
            let left = ContinuousClock.now.duration(to: deadline).wholeMilliseconds
            guard left > 0 else { throw .noAnswer(path: path) }
            let ready = poll(&entry, 1, Int32(clamping: left))
            if ready > 0 { return }
            guard ready == 0 || errno == EINTR else { throw .system(operation: "wait for", path: path, errno: errno) }
        }
    }
}
