// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CMosquitto
import Glibc

/// Finds the protocol of a listener after a failed connection: libmosquitto gives no hint.
package enum SpeechCheck {
    /// A protocol that a listener may speak.
    package enum Speech: Equatable, Sendable {
        case tls
        /// MQTT without TLS.
        case plain
        /// HTTP. Some web servers wait for a whole line, and have nothing to say about CONNECT.
        case http

        /// The failure of a gateway with another protocol there.
        package var failure: MQTTFailure {
            switch self {
            case .tls: .speaksTLS
            case .plain: .speaksNoTLS
            case .http: .speaksHTTP
            }
        }

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
            case .http:
                // HTTP/1.0 needs no name of a host.
                return Array("HEAD / HTTP/1.0\r\n\r\n".utf8)
            }
        }

        /// The beginnings of an answer in this protocol: a handshake or an alert of TLS (RFC 8446, 5.1), CONNACK, or the status
        /// line of HTTP.
        private var marks: [[UInt8]] {
            switch self {
            case .tls: [[0x16, 3], [0x15, 3]]
            case .plain: [[0x20]]
            case .http: [Array("HTTP/".utf8)]
            }
        }

        /// Whether an answer begins like this protocol; nil while its octets are too few.
        fileprivate func isSpoken(in answer: [UInt8]) -> Bool? {
            if marks.contains(where: { answer.starts(with: $0) }) { return true }
            return marks.contains { $0.starts(with: answer) } ? nil : false
        }
    }

    /// The protocol of a listener without an MQTT connection; nil: the gateway's own protocol, or an unknown protocol.
    /// Blocks for six times `timeout` at most.
    ///
    /// - Parameter usesTLS: The gateway uses TLS.
    package static func speech(at address: BrokerAddress, usesTLS: Bool, timeout: Duration) -> Speech? {
        // A web server with TLS answers a request without TLS in HTTP, too, and is no broker.
        [.http, usesTLS ? .plain : .tls].first { speaks($0, at: address, timeout: timeout) }
    }

    /// Whether the listener answers in this protocol; blocks for three times `timeout` at most.
    package static func speaks(_ speech: Speech, at address: BrokerAddress, timeout: Duration) -> Bool {
        let dialer = BrokerDialer(lookupTime: timeout, connectTime: timeout)
        guard let descriptor = try? dialer.dial(address).get().descriptor else { return false }
        defer { close(descriptor) }
        let greeting = speech.greeting()
        guard send(descriptor, greeting, greeting.count, Int32(MSG_NOSIGNAL)) == greeting.count else { return false }
        let end = ContinuousClock.now + timeout
        var answer: [UInt8] = []
        var octets = [UInt8](repeating: 0, count: 16)
        while true {
            let left = max(.zero, end - .now)
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard Glibc.poll(&poll, 1, Int32(clamping: left.wholeMilliseconds)) == 1 else { return false }
            let count = recv(descriptor, &octets, octets.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return false }
            answer += octets.prefix(count)
            if let isSpoken = speech.isSpoken(in: answer) { return isSpoken }
        }
    }
}
