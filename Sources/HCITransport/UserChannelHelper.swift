// SPDX-License-Identifier: Apache-2.0

import CBlueZ
import Glibc

/// Opens user channels for a gateway without privileges: the process that parses octets from the air then has no other
/// right.
///
/// A connection is one question and one answer, each a packet. The question is `hci0`. The answer is `open` with the
/// socket (SCM_RIGHTS), or two lines: the kind of error and its message.
package enum UserChannelHelper {
    /// The environment variable with the path of the helper's socket.
    package static let variable = "MARTLET_CONTROLLER_SOCKET"

    private static let success = "open"
    private static let maximumPacket = 2_048
    /// How long to wait for the helper, in seconds: longer than a small board takes to start it. The helper may then
    /// wait for the adapter.
    private static let patience: time_t = 10
    /// How long to wait for room in the socket, in seconds. The socket is systemd's, and takes a packet at once. Both
    /// waits together stay well below the watchdog's 30 s.
    private static let sendingPatience: time_t = 2
    /// How long the helper tries a busy adapter, and how often, in milliseconds. The kernel keeps adapters busy while
    /// it sets them up; without the retries, systemd would start the helper again for each attempt.
    private static let busyLimit: UInt32 = 3_000
    private static let busyInterval: UInt32 = 100

    // MARK: The gateway's end

    /// Asks the helper, and waits for its answer.
    static func ask(for index: UInt16, at path: String, _ words: TransportWords) throws(TransportError) -> Int32 {
        // An adapter that the kernel does not have is no reason to start the helper: adapters come late, and the
        // gateway asks until they come.
        guard AdapterHolder.adapters().contains("hci\(index)") else { throw UserChannel.noAdapter(index: index, words) }
        let subject = "hci\(index): its helper at \(path)"
        let connection = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard connection >= 0 else { throw .systemCall("socket", on: subject) }
        defer { close(connection) }
        guard var address = sockaddr_un(path: path) else {
            throw TransportError(kind: .other, message: "\(subject): the path is longer than 107 octets")
        }
        limitWaiting(on: connection)
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(connection, $0, size) }
        }
        guard status == 0 else {
            let error = TransportError.systemCall("connect", on: subject)
            throw TransportError(
                kind: error.kind, message: "\(error.message). Run «\(words.command(.restartHelper))»")
        }
        return try ask(for: index, over: connection, words)
    }

    /// Asks the helper at the other end of a connection.
    package static func ask(
        for index: UInt16, over connection: Int32, _ words: TransportWords = .library
    ) throws(TransportError) -> Int32 {
        let subject = "hci\(index): its helper"
        limitWaiting(on: connection)
        guard send("hci\(index)", over: connection) else { throw .systemCall("send", on: subject) }
        var descriptor: Int32 = -1
        guard let answer = receive(from: connection, descriptor: &descriptor) else {
            throw .systemCall("receive", on: subject)
        }
        if answer == success, descriptor >= 0 { return descriptor }
        if descriptor >= 0 { close(descriptor) }
        let lines = answer.split(separator: "\n", maxSplits: 1)
        guard lines.count == 2, let kind = TransportError.Kind(rawValue: String(lines[0])) else {
            throw TransportError(
                kind: .other, message: "\(subject) ended without an answer; see «\(words.command(.machineLog))»")
        }
        throw TransportError(kind: kind, message: String(lines[1]))
    }

    // MARK: The helper's end

    /// Answers the one question of a connection. An error also goes to the asker.
    package static func answer(
        over connection: Int32,
        opening open: (UInt16) throws(TransportError) -> Int32
    ) throws(TransportError) {
        limitWaiting(on: connection)
        var unwanted: Int32 = -1
        guard let question = receive(from: connection, descriptor: &unwanted) else {
            throw .systemCall("receive", on: "a question")
        }
        if unwanted >= 0 { close(unwanted) }
        do throws(TransportError) {
            guard case .hci(let index) = TransportAddress(question) else {
                throw TransportError(kind: .other, message: "a question is the name of an adapter, like hci0")
            }
            let descriptor = try openPatiently(index, opening: open)
            defer { close(descriptor) }
            guard send(success, over: connection, descriptor: descriptor) else {
                throw .systemCall("send", on: "an answer")
            }
        } catch {
            _ = send("\(error.kind.rawValue)\n\(error.message)", over: connection)
            throw error
        }
    }

    private static func openPatiently(
        _ index: UInt16, opening open: (UInt16) throws(TransportError) -> Int32
    ) throws(TransportError) -> Int32 {
        for _ in 0..<busyLimit / busyInterval {
            do throws(TransportError) {
                return try open(index)
            } catch {
                guard error.kind.isPassing else { throw error }
                usleep(busyInterval * 1_000)
            }
        }
        return try open(index)
    }

    // MARK: Packets

    private static func limitWaiting(on connection: Int32) {
        for (option, seconds) in [(SO_RCVTIMEO, patience), (SO_SNDTIMEO, sendingPatience)] {
            var limit = timeval(tv_sec: seconds, tv_usec: 0)
            setsockopt(connection, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    private static func send(_ text: String, over connection: Int32, descriptor: Int32 = -1) -> Bool {
        let octets = Array(text.utf8.prefix(maximumPacket))
        while true {
            let count = octets.withUnsafeBytes {
                cbluez_send_descriptor(connection, $0.baseAddress, $0.count, descriptor)
            }
            if count < 0, errno == EINTR { continue }
            return count == octets.count
        }
    }

    /// Empty when the other end has gone; nil with errno after an error.
    private static func receive(from connection: Int32, descriptor: inout Int32) -> String? {
        var octets = [UInt8](repeating: 0, count: maximumPacket)
        while true {
            let count = octets.withUnsafeMutableBytes {
                cbluez_receive_descriptor(connection, $0.baseAddress, $0.count, &descriptor)
            }
            if count < 0, errno == EINTR { continue }
            return count < 0 ? nil : String(decoding: octets.prefix(count), as: UTF8.self)
        }
    }
}

extension sockaddr_un {
    /// Nil for a path of more than 107 octets: the address has no room for it.
    init?(path: String) {
        self.init()
        let octets = Array(path.utf8)
        guard octets.count < MemoryLayout.size(ofValue: sun_path) else { return nil }
        sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &sun_path) { $0.copyBytes(from: octets) }
    }
}
