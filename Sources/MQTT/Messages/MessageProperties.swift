// SPDX-License-Identifier: Apache-2.0

import CMosquitto

/// Properties of MQTT 5 for messages of ours. Many messages may share an object: the library copies the properties.
package final class MessageProperties {
    let list: OpaquePointer?
    /// Octets of the properties in a packet, without the field for their length.
    let length: Int

    /// - Parameters:
    ///   - expiry: Seconds after which a broker need not deliver the message any more; 0 is never.
    ///   - responseTopic: The topic for the answer. MQTT 5.0, 3.3.2.3.5.
    ///   - correlation: In a request, the octets that the answer has to carry; in an answer, the octets of the request.
    ///     MQTT 5.0, 3.3.2.3.6.
    package init(
        expiry: UInt32 = 0, responseTopic: TopicName? = nil, correlation: CorrelationData? = nil,
        user: KeyValuePairs<String, String> = [:]
    ) {
        var list: OpaquePointer?
        var length = 0
        if expiry > 0 {
            length += 5
            mosquitto_property_add_int32(&list, MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.identifier, expiry)
        }
        if let responseTopic {
            length += 3 + responseTopic.text.utf8.count
            mosquitto_property_add_string(&list, MQTT_PROP_RESPONSE_TOPIC.identifier, responseTopic.text)
        }
        if let octets = correlation?.octets {
            length += 3 + octets.count
            mosquitto_property_add_binary(
                &list, MQTT_PROP_CORRELATION_DATA.identifier, octets, UInt16(clamping: octets.count))
        }
        for (key, value) in user {
            length += 5 + key.utf8.count + value.utf8.count
            mosquitto_property_add_string_pair(&list, MQTT_PROP_USER_PROPERTY.identifier, key, value)
        }
        self.list = list
        self.length = length
    }

    deinit {
        var list = list
        mosquitto_property_free_all(&list)
    }
}
