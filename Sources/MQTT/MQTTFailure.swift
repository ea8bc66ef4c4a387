// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Glibc

/// Why a connection was not made, or ended.
package enum MQTTFailure: Error, Equatable, Sendable {
    /// The broker answered CONNECT with this.
    case refused(MQTTReason)
    /// The broker ended the connection with this.
    case disconnected(MQTTReason)
    /// The broker sends its clients to another server; the reference is the broker's hint.
    case elsewhere(MQTTReason, reference: String?)
    /// The broker sent a packet that MQTT forbids, or that a publisher does not get.
    case broken(PacketFault)
    /// The host's name cannot be looked up; the code is getaddrinfo(3)'s.
    case unknownHost(Int32)
    /// The host's name was not looked up within this time.
    case lookupTimedOut(Duration)
    /// A system call failed; the code is errno's.
    case system(Int32)
    /// The broker speaks TLS, and the gateway did not.
    case speaksTLS
    /// The broker speaks MQTT without TLS, and the gateway did not.
    case speaksNoTLS
    /// A server for HTTP answers there.
    case speaksHTTP
    /// The broker's certificate is not good; `isAboutTime`: not yet, or no longer, by the system's clock.
    case certificate(String, isAboutTime: Bool)
    /// A file or a value of the configuration cannot be used.
    case unusable(String)
    /// The message does not fit into a packet that the broker takes; the connection continues.
    case tooLarge
    /// The message's topic is no topic name, and no broker gets it; the connection continues.
    case topic(TopicFault)
    /// An error of the library; `detail` is the last complaint of the library or the system.
    case library(code: Int32, detail: String?)
    /// No CONNACK came in time.
    case noAnswer
    /// The answer to CONNECT began and did not end; the number of received octets.
    case cutAnswer(octets: Int)
    /// No TLS handshake within the time for CONNACK: CONNECT has not gone out.
    case noHandshake
    /// A message was sent and not acknowledged for this long.
    case noAcknowledgement(Duration)
    /// A message was not acknowledged before its id came up again.
    case messageIDsUsedUp

    /// An error of libmosquitto. The initializer reads errno, so call it directly after the failed call.
    package init(code: Int32, detail: String? = nil) {
        // A write and a read have different words for a connection that the broker has closed.
        if code == Int32(MOSQ_ERR_ERRNO.rawValue), errno == EPIPE || errno == ECONNRESET {
            self = .library(code: Int32(MOSQ_ERR_CONN_LOST.rawValue), detail: detail)
            return
        }
        switch code {
        case Int32(MOSQ_ERR_ERRNO.rawValue) where errno != 0 && detail == nil: self = .system(errno)
        // The library puts getaddrinfo's code, which is negative, into errno.
        case Int32(MOSQ_ERR_EAI.rawValue): self = .unknownHost(errno < 0 ? errno : EAI_NONAME)
        default: self = .library(code: code, detail: detail)
        }
    }

    /// The broker itself has refused, and its other addresses will answer alike. A server that is not available now, is
    /// busy, or has had too many connections speaks for itself alone (MQTT 5.0, 3.2.2.2; MQTT 3.1.1, 3.2.2.3).
    package var isWordOfBroker: Bool {
        switch self {
        case .refused(let reason), .elsewhere(let reason, _), .disconnected(let reason):
            ![0x88, 0x89, 0x97, 0x9F].contains(reason.rawValue)
        // The answer of a broker that only speaks MQTT 3.1.1.
        case .broken(let fault): fault.isOfOlderVersion
        default: false
        }
    }

    /// The broker has closed the connection without a reason.
    package var isWordless: Bool {
        if case .library(code: Int32(MOSQ_ERR_CONN_LOST.rawValue), _) = self { true } else { false }
    }
}

extension MQTTFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .refused(let reason) where reason == .badUserNameOrPassword || reason == .notAuthorized:
            // Brokers confuse the two reasons, and do not tell the real cause.
            return "the broker refuses the connection: \(reason.named): user or password wrong, or not allowed: check "
                + "mqtt.username, the password, and what the broker allows this user"
        case .refused(let reason): return "the broker refuses the connection: \(reason)"
        case .disconnected(let reason): return "disconnected by the broker: \(reason)"
        case .elsewhere(let reason, let reference):
            // The client never follows the reference: password and readings could go to any server.
            return reference.map { "\(reason); it names \($0)" } ?? "\(reason)"
        case .unknownHost(let code): return String(cString: gai_strerror(code))
        case .lookupTimedOut(let time): return "the look-up of the broker's name has not ended within \(time)"
        case .system(let code): return String(cString: strerror(code))
        case .speaksTLS: return "the broker speaks TLS"
        case .speaksHTTP: return "a web server answers there, and no MQTT broker"
        case .speaksNoTLS: return "the broker does not speak TLS"
        case .certificate(let problem, _): return "the broker's certificate: \(problem)"
        case .unusable(let reason): return reason
        case .broken(let fault): return "the broker, or somebody on the way to it, breaks the protocol: \(fault)"
        case .topic(let fault): return "a message has a topic that is none: \(fault)"
        case .tooLarge: return "a message is larger than the broker's Maximum Packet Size"
        case .noAnswer: return "no answer to CONNECT: is it an MQTT broker, and does it expect TLS?"
        case .cutAnswer(let octets):
            return "the answer to CONNECT is cut off after \(octets) \(octets == 1 ? "octet" : "octets")"
        case .noHandshake: return "TLS was begun and not agreed on: does the broker listen there for TLS (mqtt.port)?"
        case .noAcknowledgement(let time):
            return "the broker has not acknowledged a message for \(time): what was sent goes again on a new connection"
        case .messageIDsUsedUp:
            return "the broker has not acknowledged a message, but many after it: it goes again on a new connection"
        case .library(let code, let detail):
            // For a failed system call the library prints errno, which may have changed meanwhile.
            if code == Int32(MOSQ_ERR_ERRNO.rawValue) { return detail ?? "a system call failed" }
            let known = mosquitto_strerror(code).map { String(cString: $0) }
            // The library's text for an unknown code.
            var text = known.flatMap { $0 == "Unknown error." ? nil : $0 } ?? "libmosquitto's error \(code)"
            // In most places more text follows.
            if text.hasSuffix(".") { text.removeLast() }
            return detail.map { "\(text) (\($0))" } ?? text
        }
    }
}
