// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing

@testable import GatewayBench
@testable import MQTT

/// A second connection finds the protocol of a listener.
struct SpeechCheckTests {
    /// A listener without a word before these octets. The answer comes octet by octet.
    private final class PatientServer: Sendable {
        private let listener: Int32
        let port: UInt16

        init(hears end: String, answers: [UInt8]) throws {
            listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = Broker.loopback(0)
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let listens = withUnsafeMutablePointer(to: &address) { [listener] pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listener, $0, length) == 0 && listen(listener, 8) == 0
                        && getsockname(listener, $0, &length) == 0
                }
            }
            guard listens else { throw POSIXError(.EADDRINUSE) }
            port = UInt16(bigEndian: address.sin_port)
            Thread.detachNewThread { [listener] in
                while true {
                    let connection = accept(listener, nil, nil)
                    guard connection >= 0 else { return }
                    Thread.detachNewThread { Self.meet(connection, end, answers) }
                }
            }
        }

        private static func meet(_ connection: Int32, _ end: String, _ answer: [UInt8]) {
            defer { close(connection) }
            var heard: [UInt8] = []
            var octet: [UInt8] = [0]
            while !heard.suffix(end.utf8.count).elementsEqual(end.utf8) {
                guard recv(connection, &octet, 1, 0) == 1 else { return }
                heard += octet
            }
            for octet in answer {
                _ = send(connection, [octet], 1, Int32(MSG_NOSIGNAL))
            }
            // A close with unread octets would be a reset.
            shutdown(connection, Int32(SHUT_WR))
            while recv(connection, &octet, 1, 0) == 1 {}
        }

        deinit {
            shutdown(listener, Int32(SHUT_RDWR))
            close(listener)
        }
    }

    @Test func `a web server that waits for a whole line is recognised`() throws {
        let server = try PatientServer(
            hears: "\r\n\r\n", answers: Array("HTTP/1.0 501 Not Implemented\r\n\r\n".utf8))
        let address = BrokerAddress(host: "127.0.0.1", port: server.port)
        #expect(SpeechCheck.speaks(.http, at: address, timeout: .seconds(30)))
        #expect(SpeechCheck.speech(at: address, usesTLS: false, timeout: .seconds(30)) == .http)
        #expect(SpeechCheck.speech(at: address, usesTLS: true, timeout: .seconds(30))?.failure == .speaksHTTP)
    }

    @Test func `a broker is no web server`() throws {
        let broker = try PatientServer(hears: "", answers: [0x20, 2, 0, 0])
        let address = BrokerAddress(host: "127.0.0.1", port: broker.port)
        #expect(!SpeechCheck.speaks(.http, at: address, timeout: .seconds(30)))
        #expect(SpeechCheck.speech(at: address, usesTLS: true, timeout: .seconds(30)) == .plain)
        #expect(SpeechCheck.speech(at: address, usesTLS: false, timeout: .seconds(30)) == nil)
    }
}
