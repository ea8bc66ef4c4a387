// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CMosquitto
import Glibc

/// Asks a listener whether it speaks TLS, after a connection has failed: libmosquitto gives no hint.
package enum SpeechCheck {
    /// A protocol that a listener may speak.
    package enum Speech: Equatable, Sendable {
        case tls
        /// MQTT without TLS.
        case plain

        /// The first octets of a client of this protocol, with no hint of the client's identity.
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

        /// Whether an answer begins like this protocol: a handshake or an alert of TLS (RFC 8446, 5.1), or CONNACK.
        fileprivate func isSpoken(in answer: some Collection<UInt8>) -> Bool {
            switch self {
            case .tls: answer.starts(with: [0x16, 3]) || answer.starts(with: [0x15, 3])
            case .plain: answer.first == 0x20
            }
        }
    }

    /// Whether the listener answers in this protocol; blocks for three times `timeout` at most.
    package static func speaks(_ speech: Speech, at address: BrokerAddress, timeout: Duration) -> Bool {
        let dialer = BrokerDialer(lookupTime: timeout, connectTime: timeout)
        guard let descriptor = try? dialer.dial(address).get().descriptor else { return false }
        defer { close(descriptor) }
        let greeting = speech.greeting()
        guard send(descriptor, greeting, greeting.count, Int32(MSG_NOSIGNAL)) == greeting.count else { return false }
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&poll, 1, Int32(clamping: timeout.wholeMilliseconds)) == 1 else { return false }
        var answer: [UInt8] = [0, 0]
        let count = recv(descriptor, &answer, answer.count, Int32(MSG_DONTWAIT))
        return count > 0 && speech.isSpoken(in: answer[..<count])
    }
}
