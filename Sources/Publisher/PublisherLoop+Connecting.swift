// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Logging
import MQTT
import Platform

/// The way to the broker, step by step, as a watcher sees it.
extension PublisherLoop {
    /// The address that an attempt has reached.
    struct Dialed {
        /// In digits.
        let host: String
        /// The broker's name has another address to try.
        let hasOthers: Bool
    }

    /// An attempt has ended before CONNACK. The address has failed, unless the broker has spoken for all of its
    /// addresses.
    ///
    /// - Returns: Whether to try another address of the broker at once.
    func blameAddress(for failure: MQTTFailure) -> Bool {
        guard let dialed, !failure.isWordOfBroker else { return false }
        habits[rotation.position].failed(dialed.host)
        guard dialed.hasOthers, addressesTried < NameLookup.limit else { return false }
        addressesTried += 1
        return true
    }

    /// The failure for people. Before CONNACK, the text names the reached address and its behaviour.
    func explained(_ failure: MQTTFailure, wasAccepted: Bool) -> String {
        let text = failure.explained(at: rotation.current, configuration)
        guard !wasAccepted, let dialed else { return text }
        let place = dialed.host == rotation.current.host ? "" : " (at \(dialed.host))"
        guard failure.isWordless else { return text + place }
        let missing = step == .tls ? "before TLS was agreed on" : "before it answered CONNECT"
        return "\(rotation.current)\(place): the other end closed the connection \(missing)"
    }

    func connect(_ connection: MQTTConnection) throws(MQTTFailure) {
        let dialer = BrokerDialer(
            lookupTime: Self.dialTime, connectTime: Self.dialTime, failed: habits[rotation.position].failedHosts,
            known: surroundings.addresses)
        defer { dialed = connection.dialedHost.map { Dialed(host: $0, hasOthers: connection.hasOtherHosts) } }
        try connection.connect(by: dialer, isCancelled: { mailbox.stopBy.map { $0 <= clock.now } ?? false }) { step in
            switch step {
            case .connecting: begin(.connect)
            case .established: begin(configuration.tls == nil ? .broker : .tls)
            }
        }
    }

    func begin(_ step: BrokerStep) {
        self.step = step
        mailbox.updateStatistics { $0.step = step.rawValue }
        mailbox.progress?.tell(.began(step))
    }

    func watchSubscriptions(of connection: MQTTConnection, at now: MonotonicTime) {
        switch subscriptions.look(awaits: connection.awaitsSubscriptions, at: now) {
        case nil: break
        case .answered(let afterWarning):
            mailbox.updateStatistics {
                $0.step = nil
                if afterWarning { $0.lastError = nil }
            }
        case .late:
            let limit = SubscriptionWatch.limit.components.seconds
            let text = "the broker has not answered SUBSCRIBE for \(limit) s: no command arrives"
            mailbox.updateStatistics { $0.lastError = text }
            logger.warning("\(text)", metadata: ["mqtt.broker": "\(mailbox.statistics.broker)"])
        }
    }
}
