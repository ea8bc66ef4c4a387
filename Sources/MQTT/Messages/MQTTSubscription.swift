// SPDX-License-Identifier: Apache-2.0

import CMosquitto

/// What a client wants to get. MQTT 5.0, 3.8.3.1.
package struct MQTTSubscription: Hashable, Sendable {
    /// Which of the messages that the broker has retained come at once. With MQTT 3.1.1 all of them do.
    package enum RetainHandling: Sendable {
        case always
        /// Those of a subscription that the session did not have.
        case whenNew
        case never
    }

    package var filter: TopicFilter
    /// The most that messages come with.
    package var quality: QualityOfService
    /// Keeps this client's own messages from coming back; not with MQTT 3.1.1.
    package var excludesOwn: Bool
    package var retainHandling: RetainHandling
    /// A message that is published to be retained says so also to who is there at that time; not with MQTT 3.1.1.
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

    /// libmosquitto leaves them out with MQTT 3.1.1.
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

/// What became of a subscription, or of its end.
package struct SubscriptionResult: Hashable, Sendable {
    package enum Outcome: Hashable, Sendable {
        /// Messages come with this at most. MQTT 5.0, 3.9.3.
        case granted(QualityOfService)
        /// MQTT 3.1.1 has one reason, 0x80, which says nothing. MQTT 3.1.1, 3.9.3.
        case refused(MQTTReason)
        /// The broker has answered UNSUBSCRIBE. libmosquitto keeps to itself what the answer was.
        case ended
    }

    package var filter: TopicFilter
    package var outcome: Outcome
}
