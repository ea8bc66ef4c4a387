// SPDX-License-Identifier: Apache-2.0

import Readings

/// How a gateway addresses its consumers: its topics, the content of its messages, and its messages at the start and
/// end of a connection. ``MartletLayout`` has the defaults for all other parts of a layout.
protocol MessageLayout: Sendable {
    var topics: Topics { get }

    /// The broker publishes this message when the gateway goes without a goodbye.
    var will: OutgoingMessage { get }
    /// The first messages of each connection.
    var birth: [OutgoingMessage] { get }
    /// The last message of a connection with an orderly end.
    var goodbye: OutgoingMessage { get }
    func availability(of device: String, isOnline: Bool) -> OutgoingMessage

    /// The common parts of all messages of a sensor.
    ///
    /// - Parameters:
    ///   - device: The `<dev>` of topics.
    ///   - name: The sensor's own name; nil if unknown.
    ///   - offsets: The offsets that the values have.
    ///   - gateway: The gateway that took the readings.
    func sensor(
        _ device: String, name: String?, _ description: SensorDescription?,
        offsets: [Quantity: Field.Decimal], readBy gateway: String
    ) -> LayoutSensor

    /// Writes the message of a present reading.
    ///
    /// - Parameter fields: Nil if no decoder understood the value.
    func writeState(
        of row: JournalRow, time: ReadingTime, boot: String, _ sensor: LayoutSensor, characteristic: String,
        fields: [Field]?, to writer: inout PayloadWriter)

    /// The key of a quantity in present messages.
    ///
    /// - Parameter index: The number among several values, from 1; 0 for a single value.
    func key(of quantity: Quantity, index: UInt8) -> String
}

/// A layout's parts for a sensor, made once for all its messages.
struct LayoutSensor: Sendable {
    /// The start of the objects on `…/history`.
    var head: [UInt8]
    /// The start of present messages.
    var stateHead: [UInt8]
    // Topics.
    var state: String
    var event: String
    var history: String
    var raw: String
}

extension MessageLayout {
    var will: OutgoingMessage { goodbye }

    var birth: [OutgoingMessage] {
        [OutgoingMessage(topic: topics.status, payload: [UInt8]("online".utf8), retain: true)]
    }

    var goodbye: OutgoingMessage {
        OutgoingMessage(topic: topics.status, payload: [UInt8]("offline".utf8), retain: true)
    }

    func availability(of device: String, isOnline: Bool) -> OutgoingMessage {
        OutgoingMessage(
            topic: topics.availability(of: device), payload: [UInt8]((isOnline ? "online" : "offline").utf8),
            retain: true)
    }

    /// The common parts of all messages with readings of this gateway.
    func sensor(_ device: String, name: String?, _ description: SensorDescription?) -> LayoutSensor {
        sensor(device, name: name, description, offsets: [:], readBy: topics.gatewayName)
    }

    func key(of quantity: Quantity, index: UInt8) -> String {
        index == 0 ? quantity.key : "\(quantity.key)_\(index)"
    }
}

extension MQTTConfiguration.Layout {
    func messages(_ topics: Topics) -> any MessageLayout {
        switch self {
        case .martlet: MartletLayout(topics: topics)
        case .theengs: TheengsLayout(topics: topics)
        }
    }
}
