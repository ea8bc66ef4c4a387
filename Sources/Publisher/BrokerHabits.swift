// SPDX-License-Identifier: Apache-2.0

import MQTT

/// What has been learned of one broker.
package struct BrokerHabits: Sendable {
    package internal(set) var version = MQTTConnection.Version.v5
    /// The broker has taken this version, or said in so many words that it does not speak the other.
    var isVersionSettled = false
    /// It has refused a will that is retained.
    var refusesRetained = false
    /// It keeps a session with subscriptions for this client id, whoever made them.
    var hasStrangeSession = false
    /// Nil while there was no connection.
    var sizes: HistorySizes?
    var contest = SessionContest()
    /// The address, in digits, that spoke in the other way, with TLS or without, when this gateway last asked after a failure.
    var speaksOtherwise: String?
    /// Addresses, in digits, that took a connection which came to nothing before CONNACK, the longest ago first; at most
    /// ``failedLimit``.
    private(set) var failedHosts: [String] = []
    private static let failedLimit = 16

    package init() {}

    mutating func failed(_ host: String) {
        failedHosts.removeAll { $0 == host }
        if failedHosts.count >= Self.failedLimit { failedHosts.removeFirst() }
        failedHosts.append(host)
    }

    mutating func answered(_ host: String) { failedHosts.removeAll { $0 == host } }

    /// Brokers that only speak MQTT 3.1.1 say so, hang up on the unknown CONNECT without a word, or do not answer it; some take no
    /// retained will.
    ///
    /// - Parameters:
    ///   - retains: The will was to be retained, as far as the configuration is concerned.
    ///   - hasOtherHosts: The broker has addresses that may be tried in the same way first.
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
        // A try costs seconds, and a broker in trouble is as silent as one of the other version: the next broker first.
        case .noAnswer where !isVersionSettled:
            return turnVersion(hasOtherHosts) ? .inTurn : .nothing
        default:
            return .nothing
        }
    }

    /// - Returns: Whether the older version is to be tried, which it was not before.
    private mutating func turnVersion(_ hasOtherHosts: Bool) -> Bool {
        guard !hasOtherHosts else { return false }
        version = version == .v5 ? .v3 : .v5
        // Each address may like the other version.
        failedHosts = []
        return version == .v3
    }

    /// What a failure leads to.
    package enum Lesson: Sendable {
        case nothing
        /// The same broker is to be tried in another way, before any other one.
        case atOnce
        /// The same broker is to be tried in another way when it is its turn again.
        case inTurn
    }
}
