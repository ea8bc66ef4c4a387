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
    /// When this gateway last asked, a connection having failed, the broker spoke in the other way: with TLS or without.
    var speaksOtherwise = false
    /// Addresses, in digits, that took a connection and did not answer CONNECT; at most ``silentLimit``.
    private(set) var silentHosts: Set<String> = []
    private static let silentLimit = 16

    package init() {}

    mutating func fellSilent(_ host: String) {
        if silentHosts.count >= Self.silentLimit { silentHosts = [] }
        silentHosts.insert(host)
    }

    mutating func answered(_ host: String) { silentHosts.remove(host) }

    /// Brokers that only speak MQTT 3.1.1 say so, or hang up on the unknown CONNECT without a word; some take no
    /// retained will.
    ///
    /// - Parameter retains: The will was to be retained, as far as the configuration is concerned.
    /// - Returns: Whether the same broker is to be tried in another way.
    package mutating func learn(from failure: MQTTFailure, retains: Bool) -> Bool {
        switch failure {
        case .refused(.unsupportedProtocolVersion):
            version = version == .v5 ? .v3 : .v5
            isVersionSettled = version == .v3
            return isVersionSettled
        case .refused(.retainNotSupported) where retains && !refusesRetained:
            refusesRetained = true
            return true
        case .broken(let fault) where fault.isUnaskedMessage:
            hasStrangeSession = true
            return false
        case .broken(let fault) where fault.isOfOlderVersion && !isVersionSettled:
            version = .v3
            return true
        case .library(code: LibraryCode.connectionLost, _) where !isVersionSettled,
            .library(code: LibraryCode.protocolError, _) where !isVersionSettled,
            .library(code: LibraryCode.malformedPacket, _) where !isVersionSettled:
            version = version == .v5 ? .v3 : .v5
            return version == .v3
        default:
            return false
        }
    }
}
