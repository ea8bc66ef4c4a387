// SPDX-License-Identifier: Apache-2.0

import MQTT

/// Facts learned about a broker.
package struct BrokerHabits: Sendable {
    package private(set) var version = MQTTConnection.Version.v5
    /// The broker has accepted this version, or has clearly said that it does not speak the other version.
    private(set) var isVersionSettled = false
    /// The broker has refused a retained will.
    private(set) var refusesRetained = false
    /// The broker keeps a session with subscriptions for this client id. Any client may have made the session.
    private(set) var hasStrangeSession = false
    /// Connections in a row without an answer to the subscription of the claim. Some brokers hang up on a client that subscribes
    /// without the right.
    private(set) var claimFailures = 0
    static let claimPatience = 2
    /// Nil before the first connection.
    private(set) var sizes: HistorySizes?
    var contest = SessionContest()
    /// The address, in digits, that spoke another protocol at this gateway's last check after a failure, and the protocol.
    private var otherSpeech: (host: String, speech: SpeechCheck.Speech)?
    /// Addresses, in digits, whose connections failed before CONNACK, the oldest failure first; at most
    /// ``failedLimit``.
    private(set) var failedHosts: [String] = []
    private static let failedLimit = 16

    package init() {}

    /// The broker has accepted this version.
    mutating func accepted(_ version: MQTTConnection.Version) { if version == .v5 { isVersionSettled = true } }
    /// The subscription of the claim has an answer.
    mutating func claimAnswered() { claimFailures = 0 }
    /// A connection ended before the subscription of the claim had an answer.
    mutating func claimUnanswered() { claimFailures += 1 }
    /// A connection has shown which messages of history the broker takes.
    mutating func learn(_ sizes: HistorySizes) { self.sizes = sizes }
    /// The gateway has checked the speech of this host. Nil: the host speaks as the gateway does, or says nothing.
    mutating func checked(_ host: String, _ speech: SpeechCheck.Speech?) { otherSpeech = speech.map { (host, $0) } }

    /// The other protocol of this host, as of the last check.
    func otherSpeech(of host: String) -> SpeechCheck.Speech? {
        otherSpeech.flatMap { $0.host == host ? $0.speech : nil }
    }

    mutating func failed(_ host: String) {
        failedHosts.removeAll { $0 == host }
        if failedHosts.count >= Self.failedLimit { failedHosts.removeFirst() }
        failedHosts.append(host)
    }

    mutating func answered(_ host: String) { failedHosts.removeAll { $0 == host } }

    /// Learns from a failure. A broker that only speaks MQTT 3.1.1 says so, hangs up on the unknown CONNECT without a
    /// word, or does not answer CONNECT. Some brokers accept no retained will.
    ///
    /// - Parameters:
    ///   - retains: The configuration wants a retained will.
    ///   - hasOtherHosts: The broker has other addresses for the same attempt first.
    package mutating func learn(from failure: MQTTFailure, retains: Bool, hasOtherHosts: Bool = false) -> Lesson {
        switch failure {
        case .refused(.unsupportedProtocolVersion):
            version = version == .v5 ? .v3 : .v5
            isVersionSettled = version == .v3
            return isVersionSettled ? .atOnce : .nothing
        case .refused(.retainNotSupported) where retains && !refusesRetained:
            refusesRetained = true
            return .atOnce
        case .broken(let fault) where fault.isUnaskedMessage:
            hasStrangeSession = true
            return .nothing
        case .broken(let fault) where fault.isOfOlderVersion && !isVersionSettled:
            version = .v3
            return .atOnce
        case .library(code: LibraryCode.connectionLost, _) where !isVersionSettled,
            .library(code: LibraryCode.protocolError, _) where !isVersionSettled,
            .library(code: LibraryCode.malformedPacket, _) where !isVersionSettled:
            return turnVersion(hasOtherHosts) ? .atOnce : .nothing
        // An attempt costs seconds, and a broker in trouble is as silent as a broker of the other version: the next
        // broker comes first.
        case .noAnswer where !isVersionSettled, .cutAnswer where !isVersionSettled:
            return turnVersion(hasOtherHosts) ? .inTurn : .nothing
        default:
            return .nothing
        }
    }

    /// - Returns: Whether the next attempt uses the older version for the first time.
    private mutating func turnVersion(_ hasOtherHosts: Bool) -> Bool {
        guard !hasOtherHosts else { return false }
        version = version == .v5 ? .v3 : .v5
        // Each address may accept the other version.
        failedHosts = []
        return version == .v3
    }

    /// The consequence of a failure.
    package enum Lesson: Sendable {
        case nothing
        /// Try the same broker in another way, before any other broker.
        case atOnce
        /// Try the same broker in another way at its next turn.
        case inTurn
    }
}
