// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Glibc

/// A message that the broker has sent to this client. Every field comes from another client.
package struct IncomingMessage: Equatable, Sendable {
    package var topic: TopicName
    package var payload: [UInt8]
    /// The broker may repeat a message with QoS 1.
    package var quality: QualityOfService
    /// The message was already retained when the subscription was made. MQTT 5.0, 3.3.1.3.
    package var isRetained: Bool

    // With MQTT 5 only.

    /// The sender declares the payload to be UTF-8; the declaration is unchecked. MQTT 5.0, 3.3.2.3.2.
    package var isText = false
    /// Seconds for which the message stays useful, less the seconds in the broker; nil is for ever. MQTT 5.0,
    /// 3.3.2.3.3.
    package var expiry: UInt32?
    /// The topic for the answer. Any client may have chosen any topic: the answering side decides which topics it
    /// allows. MQTT 5.0, 3.3.2.3.5.
    package var responseTopic: TopicName?
    /// The correlation data that the answer has to carry. MQTT 5.0, 3.3.2.3.6.
    package var correlation: CorrelationData?
    /// MQTT 5.0, 3.3.2.3.9.
    package var contentType: String?

    /// Octets whose number the sender determines.
    var octets: Int {
        let properties: [Int?] = [responseTopic?.text.utf8.count, correlation?.octets.count, contentType?.utf8.count]
        return properties.reduce(topic.text.utf8.count + payload.count) { $0 + ($1 ?? 0) }
    }
}

extension IncomingMessage {
    /// Copies a message of libmosquitto.
    ///
    /// - Parameter properties: The message's MQTT 5 properties.
    /// - Returns: Nil if a topic is invalid; brokers pass on any response topic of a client.
    init?(_ message: mosquitto_message, _ properties: OpaquePointer?) {
        guard let text = message.topic, let topic = try? TopicName(String(cString: text)) else { return nil }
        self.topic = topic
        payload = Array(UnsafeRawBufferPointer(start: message.payload, count: max(Int(message.payloadlen), 0)))
        quality = message.qos == 0 ? .atMostOnce : .atLeastOnce
        isRetained = message.retain
        if let response = Self.text(MQTT_PROP_RESPONSE_TOPIC, in: properties) {
            guard let topic = try? TopicName(response) else { return nil }
            responseTopic = topic
        }
        contentType = Self.text(MQTT_PROP_CONTENT_TYPE, in: properties)
        isText = Self.octet(MQTT_PROP_PAYLOAD_FORMAT_INDICATOR, in: properties) == 1
        expiry = Self.number(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL, in: properties)
        correlation = Self.octets(MQTT_PROP_CORRELATION_DATA, in: properties).flatMap { CorrelationData($0) }
    }

    private static func octet(_ property: mqtt5_property, in properties: OpaquePointer?) -> UInt8? {
        var octet: UInt8 = 0
        return mosquitto_property_read_byte(properties, property.identifier, &octet, false) == nil ? nil : octet
    }

    private static func number(_ property: mqtt5_property, in properties: OpaquePointer?) -> UInt32? {
        var number: UInt32 = 0
        return mosquitto_property_read_int32(properties, property.identifier, &number, false) == nil ? nil : number
    }

    private static func octets(_ property: mqtt5_property, in properties: OpaquePointer?) -> [UInt8]? {
        var data: UnsafeMutableRawPointer?
        var count: UInt16 = 0
        defer { free(data) }
        guard mosquitto_property_read_binary(properties, property.identifier, &data, &count, false) != nil else {
            return nil
        }
        return Array(UnsafeRawBufferPointer(start: data, count: Int(count)))
    }

    private static func text(_ property: mqtt5_property, in properties: OpaquePointer?) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        defer { free(text) }
        guard mosquitto_property_read_string(properties, property.identifier, &text, false) != nil else { return nil }
        return text.map { String(cString: $0) }
    }
}
