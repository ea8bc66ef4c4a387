// SPDX-License-Identifier: Apache-2.0

import CMosquitto

/// A client's wish for messages. MQTT 5.0, 3.8.3.1.
package struct MQTTSubscription: Hashable, Sendable {
    /// Which of the broker's retained messages come at once. With MQTT 3.1.1 all of them come.
    package enum RetainHandling: Sendable {
        case always
        /// Only if the session did not have the subscription yet.
        case whenNew
        case never
    }

    package var filter: TopicFilter
    /// The highest QoS of the messages.
    package var quality: QualityOfService
    /// Keeps this client's own messages from coming back; not with MQTT 3.1.1.
    package var excludesOwn: Bool
    package var retainHandling: RetainHandling
    /// Messages to be retained keep their retain flag also for present subscribers; not with MQTT 3.1.1.
    package var keepsRetained: Bool

    package init(
        _ filter: TopicFilter, quality: QualityOfService = .atLeastOnce, excludesOwn: Bool = false,
        retainHandling: RetainHandling = .always, keepsRetained: Bool = false
    ) {
        self.filter = filter
        self.quality = quality
        self.excludesOwn = excludesOwn
        self.retainHandling = retainHandling
        self.keepsRetained = keepsRetained
    }

    /// With MQTT 3.1.1 libmosquitto leaves the options out.
    var options: UInt32 {
        let retain =
            switch retainHandling {
            case .always: MQTT_SUB_OPT_SEND_RETAIN_ALWAYS
            case .whenNew: MQTT_SUB_OPT_SEND_RETAIN_NEW
            case .never: MQTT_SUB_OPT_SEND_RETAIN_NEVER
            }
        return retain.rawValue | (excludesOwn ? MQTT_SUB_OPT_NO_LOCAL.rawValue : 0)
            | (keepsRetained ? MQTT_SUB_OPT_RETAIN_AS_PUBLISHED.rawValue : 0)
    }
}

/// The result of a subscription, or of its end.
package struct SubscriptionResult: Hashable, Sendable {
    package enum Outcome: Hashable, Sendable {
        /// The broker delivers messages with this QoS at most. MQTT 5.0, 3.9.3.
        case granted(QualityOfService)
        /// MQTT 3.1.1 has one reason, 0x80, without a meaning. MQTT 3.1.1, 3.9.3.
        case refused(MQTTReason)
        /// The broker has answered UNSUBSCRIBE. libmosquitto does not pass the answer on.
        case ended
    }

    package var filter: TopicFilter
    package var outcome: Outcome
}
