// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Logging
import MQTT
import Platform

/// The way to the broker, step by step, as it is told to who looks on.
extension PublisherLoop {
    func connect(_ connection: MQTTConnection) throws(MQTTFailure) {
        let dialer = BrokerDialer(
            lookupTime: Self.dialTime, connectTime: Self.dialTime, silent: habits[rotation.position].silentHosts)
        defer { dialedHost = connection.dialedHost }
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
