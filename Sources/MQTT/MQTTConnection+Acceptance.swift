// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Glibc

/// The broker's answers about the connection: CONNACK and DISCONNECT.
extension MQTTConnection {
    /// The broker's values in CONNACK.
    package struct Acceptance: Equatable {
        package var receiveMaximum = 65_535
        package var maximumPacketSize = Int.max
        package var retainAvailable = true
        package var wildcardsAvailable = true

        package init() {}
    }

    func connected(_ code: Int32, _ properties: OpaquePointer?) {
        guard code == 0 else {
            let reason = code >= 0x80 ? MQTTReason(rawValue: UInt8(truncatingIfNeeded: code)) : .init(returnCode: code)
            if reason.isElsewhere { return fail(.elsewhere(reason, reference: Self.reference(in: properties))) }
            return fail(.refused(reason))
        }
        var acceptance = Acceptance()
        var short: UInt16 = 0
        var long: UInt32 = 0
        var flag: UInt8 = 0
        if mosquitto_property_read_int16(properties, MQTT_PROP_RECEIVE_MAXIMUM.identifier, &short, false) != nil {
            acceptance.receiveMaximum = max(Int(short), 1)
        }
        if mosquitto_property_read_int32(properties, MQTT_PROP_MAXIMUM_PACKET_SIZE.identifier, &long, false) != nil {
            acceptance.maximumPacketSize = Int(long)
        }
        if mosquitto_property_read_byte(properties, MQTT_PROP_RETAIN_AVAILABLE.identifier, &flag, false) != nil {
            acceptance.retainAvailable = flag != 0
        }
        if mosquitto_property_read_byte(properties, MQTT_PROP_WILDCARD_SUB_AVAILABLE.identifier, &flag, false) != nil {
            acceptance.wildcardsAvailable = flag != 0
        }
        self.acceptance = acceptance
        // With a callback the library formats a line for each packet, which costs microseconds even if no code reads
        // the line.
        mosquitto_log_callback_set(handle, nil)
    }

    func disconnected(_ code: Int32) {
        guard code >= 0x80 else { return record(code == 0 ? Int32(MOSQ_ERR_CONN_LOST.rawValue) : code) }
        let reason = MQTTReason(rawValue: UInt8(truncatingIfNeeded: code))
        // The library does not pass the properties of DISCONNECT on.
        fail(reason.isElsewhere ? .elsewhere(reason, reference: nil) : .disconnected(reason))
    }

    /// The server reference (MQTT 5, 3.2.2.3.16), made safe for a log.
    private static func reference(in properties: OpaquePointer?) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        defer { free(text) }
        guard mosquitto_property_read_string(properties, MQTT_PROP_SERVER_REFERENCE.identifier, &text, false) != nil,
            let text
        else { return nil }
        return String(
            String(cString: text).unicodeScalars.prefix(200).map {
                (0x21...0x7E).contains($0.value) ? Character($0) : "?"
            }
        )
    }
}
