// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CMosquitto
import Glibc

/// Looks at an address before a connection is made, or after one has failed.
///
/// libmosquitto waits for a TCP connection for as long as the kernel does, two minutes: with several brokers, one whose
/// machine is down would keep the gateway from the next for that long. And it does not tell a broker that speaks TLS from
/// one that does not.
package enum BrokerProbe {
    /// What a listener speaks.
    package enum Speech: Equatable, Sendable {
        case tls
        /// MQTT without TLS.
        case plain

        /// What a client of its kind says first, with nothing in it that would tell who asks.
        fileprivate func greeting() -> [UInt8] {
            switch self {
            case .tls:
                var octets = [UInt8](repeating: 0, count: 4_096)
                let count = martlet_tls_hello(&octets, Int32(octets.count))
                return Array(octets.prefix(Int(count)))
            case .plain:
                // CONNECT of MQTT 3.1.1, with a clean session and without a client identifier: every broker answers it.
                return [0x10, 12, 0, 4] + Array("MQTT".utf8) + [4, 2, 0, 60, 0, 0]
            }
        }

        /// Whether an answer begins like one of its kind: a handshake or an alert of TLS (RFC 8446, 5.1), or CONNACK.
        fileprivate func isSpoken(in answer: some Collection<UInt8>) -> Bool {
            switch self {
            case .tls: answer.starts(with: [0x16, 3]) || answer.starts(with: [0x15, 3])
            case .plain: answer.first == 0x20
            }
        }
    }

    /// Connects and hangs up; blocks for `timeout` at most, and for as long as looking up the name takes.
    ///
    /// - Parameter connecting: The name was looked up.
    /// - Returns: What is in the way; nil when nothing is.
    package static func failure(
        of address: BrokerAddress, timeout: Duration, connecting: () -> Void = {}
    ) -> MQTTFailure? {
        switch connection(to: address, timeout: timeout, connecting: connecting) {
        case .success(let descriptor):
            close(descriptor)
            return nil
        case .failure(let failure): return failure
        }
    }

    /// Whether the listener answers as one that speaks so; blocks for twice `timeout` at most.
    package static func speaks(_ speech: Speech, at address: BrokerAddress, timeout: Duration) -> Bool {
        guard case .success(let descriptor) = connection(to: address, timeout: timeout) else { return false }
        defer { close(descriptor) }
        let greeting = speech.greeting()
        guard send(descriptor, greeting, greeting.count, Int32(MSG_NOSIGNAL)) == greeting.count else { return false }
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&poll, 1, Int32(clamping: timeout.wholeMilliseconds)) == 1 else { return false }
        var answer: [UInt8] = [0, 0]
        let count = recv(descriptor, &answer, answer.count, Int32(MSG_DONTWAIT))
        return count > 0 && speech.isSpoken(in: answer[..<count])
    }

    /// Tries each address of the host in turn.
    private static func connection(
        to address: BrokerAddress, timeout: Duration, connecting: () -> Void = {}
    ) -> Result<Int32, MQTTFailure> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(address.host, String(address.port), &hints, &list)
        guard code == 0 else { return .failure(.unknownHost(code)) }
        defer { freeaddrinfo(list) }
        connecting()
        var last = MQTTFailure.system(ETIMEDOUT)
        for entry in sequence(first: list, next: { $0?.pointee.ai_next }).prefix(while: { $0 != nil }) {
            guard let entry else { continue }
            switch connection(to: entry.pointee, timeout: timeout) {
            case .success(let descriptor): return .success(descriptor)
            case .failure(let failure): last = failure
            }
        }
        return .failure(last)
    }

    private static func connection(to entry: addrinfo, timeout: Duration) -> Result<Int32, MQTTFailure> {
        let type = entry.ai_socktype | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(entry.ai_family, type, entry.ai_protocol)
        guard descriptor >= 0 else { return .failure(.system(errno)) }
        let code = error(connecting: descriptor, to: entry, timeout: timeout)
        guard code != 0 else { return .success(descriptor) }
        close(descriptor)
        return .failure(.system(code))
    }

    /// The number of the error; 0 when there is a connection.
    private static func error(connecting descriptor: Int32, to entry: addrinfo, timeout: Duration) -> Int32 {
        if connect(descriptor, entry.ai_addr, entry.ai_addrlen) == 0 { return 0 }
        guard errno == EINPROGRESS else { return errno }
        var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard Glibc.poll(&poll, 1, Int32(clamping: timeout.wholeMilliseconds)) == 1 else { return ETIMEDOUT }
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return errno }
        return code
    }
}
