// SPDX-License-Identifier: Apache-2.0

import CMosquitto

/// Properties of MQTT 5 that many messages have in common: made once, and copied by the library with each message.
package final class MessageProperties {
    let list: OpaquePointer?
    /// Octets of the properties in a packet, their own length not counted.
    let length: Int

    /// - Parameter expiry: Seconds after which a broker need not deliver the message any more; 0 is never.
    package init(expiry: UInt32 = 0, user: KeyValuePairs<String, String>) {
        var list: OpaquePointer?
        var length = 0
        if expiry > 0 {
            length += 5
            mosquitto_property_add_int32(&list, Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), expiry)
        }
        for (key, value) in user {
            length += 5 + key.utf8.count + value.utf8.count
            mosquitto_property_add_string_pair(&list, Int32(MQTT_PROP_USER_PROPERTY.rawValue), key, value)
        }
        self.list = list
        self.length = length
    }

    deinit {
        var list = list
        mosquitto_property_free_all(&list)
    }
}
