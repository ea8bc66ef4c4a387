// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import CLinux
import Glibc
import HCITransport

/// Steps against a dead radio that need rights which the gateway lacks. The gateway asks a helper that runs as root,
/// with one line: `power hci0`, `rebind hci0` or `reboot`. The helper answers with one line: `done`, or the reason of
/// its failure.
package enum RadioHelper {
    /// The environment variable with the path of the helper's socket.
    package static let variable = "MARTLET_RADIO_SOCKET"

    private static let success = "done"
    /// Longest question or answer, in octets.
    private static let longestLine = 512
    /// In seconds: drivers load firmware before they report the adapter.
    private static let patience: time_t = 40

    package enum Question: Equatable, Sendable {
        case power(UInt16)
        case rebind(UInt16)
        case reboot

        init?(_ text: String) {
            let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            switch (words.first, words.count) {
            case ("reboot", 1): self = .reboot
            case ("power", 2), ("rebind", 2):
                guard case .hci(let index) = TransportAddress(words[1]) else { return nil }
                self = words[0] == "power" ? .power(index) : .rebind(index)
            default: return nil
            }
        }

        var text: String {
            switch self {
            case .power(let index): "power hci\(index)"
            case .rebind(let index): "rebind hci\(index)"
            case .reboot: "reboot"
            }
        }
    }

    /// Asks the helper, and waits for its answer. Returns the reason of a failure, or nil.
    static func ask(_ question: Question, at path: String) -> String? {
        do throws(ControlError) {
            let connection = try UnixSocket.connected(to: path)
            limitWaiting(on: connection.descriptor)
            guard send(question.text, over: connection.descriptor) else {
                throw .system(operation: "write to", path: path, errno: errno)
            }
            guard let answer = line(from: connection.descriptor) else { return "its helper ended without an answer" }
            return answer == success ? nil : answer
        } catch {
            return "\(error)"
        }
    }

    /// Answers the only question of a connection.
    package static func answer(
        over connection: Int32, hardware: AdapterHardware = AdapterHardware(), reboot: () throws -> Void
    ) {
        limitWaiting(on: connection)
        guard let question = line(from: connection).flatMap({ Question($0) }) else {
            _ = send("a question is power or rebind with the name of an adapter, or reboot", over: connection)
            return
        }
        do {
            switch question {
            case .power(let index): try hardware.cyclePower(index)
            case .rebind(let index): try hardware.rebind(index)
            case .reboot: try reboot()
            }
            _ = send(success, over: connection)
        } catch {
            _ = send(String("\(error)".prefix(longestLine - 1)), over: connection)
        }
    }

    private static func limitWaiting(on connection: Int32) {
        var limit = timeval(tv_sec: patience, tv_usec: 0)
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    private static func send(_ text: String, over connection: Int32) -> Bool {
        let octets = Array(text.utf8.filter { $0 != 0x0A }) + [0x0A]
        return Glibc.send(connection, octets, octets.count, Int32(MSG_NOSIGNAL)) == octets.count
    }

    /// The next line; nil if none comes, or if the line is too long.
    private static func line(from connection: Int32) -> String? {
        var octets: [UInt8] = []
        while octets.count <= longestLine {
            var octet: UInt8 = 0
            let count = recv(connection, &octet, 1, 0)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return nil }
            if octet == 0x0A { return String(decoding: octets, as: UTF8.self) }
            octets.append(octet)
        }
        return nil
    }
}
