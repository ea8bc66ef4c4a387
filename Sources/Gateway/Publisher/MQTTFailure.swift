// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Glibc

/// Why a connection was not made, or ended.
enum MQTTFailure: Error, Equatable, Sendable {
    /// The broker answered CONNECT with this.
    case refused(MQTTReason)
    /// The broker ended the connection with this.
    case disconnected(MQTTReason)
    /// The broker sends its clients elsewhere; the reference is what it says of where.
    case elsewhere(MQTTReason, reference: String?)
    /// The broker sent what MQTT forbids, or what a publisher does not get.
    case broken(PacketFault)
    /// What the configuration names cannot be used.
    case unusable(String)
    /// The message does not fit into a packet that the broker takes; the connection stands.
    case tooLarge
    /// What the library says; `detail` is its last complaint, or the system's.
    case library(code: Int32, detail: String?)
    /// No CONNACK within the time for it.
    case noAnswer
    /// A message was sent and not acknowledged for this long.
    case noAcknowledgement(Duration)
    /// A message was not acknowledged before its id came round again.
    case messageIDsUsedUp

    /// An error of libmosquitto; reads errno, so it has to be the first thing after the call that failed.
    init(code: Int32, detail: String? = nil) {
        // A write finds out in other words than a read that the broker has hung up.
        if code == Int32(MOSQ_ERR_ERRNO.rawValue), errno == EPIPE || errno == ECONNRESET {
            self = .library(code: Int32(MOSQ_ERR_CONN_LOST.rawValue), detail: detail)
            return
        }
        let system = code == Int32(MOSQ_ERR_ERRNO.rawValue) && errno != 0 ? String(cString: strerror(errno)) : nil
        self = .library(code: code, detail: detail ?? system)
    }

    /// The broker has hung up without saying why.
    var isWordless: Bool {
        if case .library(code: Int32(MOSQ_ERR_CONN_LOST.rawValue), _) = self { true } else { false }
    }
}

extension MQTTFailure: CustomStringConvertible {
    var description: String {
        switch self {
        case .refused(let reason): return "connection refused: \(reason)"
        case .disconnected(let reason): return "disconnected by the broker: \(reason)"
        case .elsewhere(let reason, let reference):
            // Not followed: it could send password and readings to anybody.
            return reference.map { "\(reason); it names \($0)" } ?? "\(reason)"
        case .unusable(let reason): return reason
        case .broken(let fault): return "the broker, or somebody on the way to it, breaks the protocol: \(fault)"
        case .tooLarge: return "a message is larger than the broker's Maximum Packet Size"
        case .noAnswer: return "no answer to CONNECT: is it an MQTT broker, and does it expect TLS?"
        case .noAcknowledgement(let time):
            return "the broker has not acknowledged a message for \(time): what was sent goes again on a new connection"
        case .messageIDsUsedUp:
            return "the broker has not acknowledged a message, but many after it: it goes again on a new connection"
        case .library(let code, let detail):
            // For a system call's failure the library repeats errno, whatever that has become meanwhile.
            if code == Int32(MOSQ_ERR_ERRNO.rawValue), let detail { return detail }
            let text = mosquitto_strerror(code).map { String(cString: $0) } ?? "error \(code)"
            return detail.map { "\(text) (\($0))" } ?? text
        }
    }
}
