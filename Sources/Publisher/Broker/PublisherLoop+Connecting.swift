// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Health
import Logging
import MQTT
import Platform

/// The way to the broker, step by step, as a watcher sees it.
extension PublisherLoop {
    /// The failure for people. Before CONNACK, it names the address that was reached, and what was seen there.
    func explained(_ failure: MQTTFailure) -> String {
        let text = failure.explained(at: rotation.current, configuration)
        guard !attempt.wasAccepted, let dialed = attempt.dialed else { return text }
        let place = dialed.host == rotation.current.host ? "" : " (at \(dialed.host))"
        guard failure.isWordless else { return text + place }
        let missing = attempt.step == .tls ? "before TLS was agreed on" : "before it answered CONNECT"
        return "\(rotation.current)\(place): the other end closed the connection \(missing)"
    }

    /// A client id that nobody configured is the gateway's name: a copy of the gateway's disk has both. Another client id alone
    /// would leave two gateways with one name, whose readings nobody can tell apart.
    var copyAdvice: String {
        guard configuration.clientID == nil else { return "" }
        let advice: Advice =
            "; perhaps the other client is a copy of this gateway: run \(.martlet(.identityNew)) on the copy"
        return advice.text(on: surroundings.installation)
    }

    func connect(_ connection: MQTTConnection) throws(MQTTFailure) {
        let dialer = BrokerDialer(
            lookupTime: Self.dialTime, connectTime: Self.dialTime, failed: habits[rotation.position].failedHosts,
            known: surroundings.addresses)
        defer {
            attempt.reached(
                connection.dialedHost.map { ConnectionTry.Dialed(host: $0, hasOthers: connection.hasOtherHosts) })
        }
        try connection.connect(by: dialer, isCancelled: { mailbox.stopBy.map { $0 <= clock.now } ?? false }) { step in
            switch step {
            case .connecting: begin(.connect)
            case .established: begin(configuration.tls == nil ? .broker : .tls)
            }
        }
    }

    func begin(_ step: BrokerStep) {
        attempt.begin(step)
        mailbox.updateStatistics { $0.step = step.rawValue }
        mailbox.progress?.tell(.began(step))
    }

    func watchSubscriptions(of connection: MQTTConnection, at now: MonotonicTime) {
        switch subscriptions.look(awaits: connection.awaitsSubscriptions, at: now) {
        case nil: break
        case .answered(let afterWarning):
            habits[rotation.position].claimAnswered()
            mailbox.updateStatistics {
                $0.step = nil
                if afterWarning { $0.lastError = nil }
            }
        case .late:
            let text = SubscriptionWatch.report(bringsCommands: configuration.subscribes)
            mailbox.updateStatistics { $0.lastError = text }
            logger.warning("\(text)", metadata: ["mqtt.broker": "\(mailbox.statistics.broker)"])
        }
    }
}
