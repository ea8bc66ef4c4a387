// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Health
import Operations

/// Updates for a gateway without privileges. The gateway sends one word, `check` or `install`, to a helper that runs as
/// root. The helper reads the update's source from the administrator's own configuration, and accepts an update only
/// with the signature that the image requires. The helper reports its progress as `martlet update` does.
package enum UpdateHelper {
    /// The environment variable with the path of the helper's socket.
    package static let variable = "MARTLET_UPDATE_SOCKET"

    /// In seconds. The client sends the word right after connecting.
    private static let patience: time_t = 10

    /// Sends the request; does not wait for the result.
    static func ask(for action: UpdateAction, at path: String) throws(OperationError) {
        do throws(ControlError) {
            let connection = try UnixSocket.connected(to: path)
            let word = Array("\(action.rawValue)\n".utf8)
            guard send(connection.descriptor, word, word.count, Int32(MSG_NOSIGNAL)) == word.count else {
                throw .system(operation: "write to", path: path, errno: errno)
            }
        } catch {
            throw OperationError(
                .failed,
                Advice.here(
                    "the helper that installs updates cannot be asked: \(error). Run «\(.machine(.updateHelper))»"))
        }
    }

    /// The action requested over a connection; nil for anything but one known word.
    package static func action(from connection: Int32) -> UpdateAction? {
        var limit = timeval(tv_sec: patience, tv_usec: 0)
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        // One octet more than the longest line: a longer line is no word.
        var octets = [UInt8](repeating: 0, count: "install\n".utf8.count + 1)
        var count = 0
        while count < octets.count, !octets[..<count].contains(0x0A) {
            let room = octets.count - count
            let received = octets[count...].withUnsafeMutableBytes { recv(connection, $0.baseAddress, room, 0) }
            if received < 0, errno == EINTR { continue }
            guard received > 0 else { return nil }
            count += received
        }
        guard octets[..<count].last == 0x0A else { return nil }
        return UpdateAction(rawValue: String(decoding: octets[..<(count - 1)], as: UTF8.self))
    }
}
