// SPDX-License-Identifier: Apache-2.0

import Readings

/// How a gateway speaks to its consumers: the topics that it uses, what its messages hold, and what it says when it comes
/// and goes. What a layout does not say for itself is as ``MartletLayout`` has it.
protocol MessageLayout: Sendable {
    var topics: Topics { get }

    /// What the broker publishes when the gateway is gone without a goodbye.
    var will: OutgoingMessage { get }
    /// The first messages of each connection.
    var birth: [OutgoingMessage] { get }
    /// The last message of a connection that is ended in order.
    var goodbye: OutgoingMessage { get }
    func availability(of device: String, isOnline: Bool) -> OutgoingMessage

    /// What is the same for all messages of a sensor.
    ///
    /// - Parameters:
    ///   - device: The `<dev>` of topics.
    ///   - name: What the sensor calls itself; nil when that is not known.
    ///   - gateway: The gateway that took the readings.
    func sensor(
        _ device: String, name: String?, _ description: SensorDescription?, readBy gateway: String
    ) -> LayoutSensor

    /// Writes the message of one reading that is the present.
    ///
    /// - Parameter fields: Nil where no decoder understood the value.
    func writeState(
        of row: JournalRow, time: ReadingTime, boot: String, _ sensor: LayoutSensor, characteristic: String,
        fields: [Field]?, to writer: inout PayloadWriter)

    /// The key of a quantity in messages of the present.
    ///
    /// - Parameter index: Which of several, from 1; 0 where there is only one.
    func key(of quantity: Quantity, index: UInt8) -> String
}

/// What a layout makes of a sensor, once for all its messages.
struct LayoutSensor: Sendable {
    /// What the objects on `…/history` begin with.
    var head: [UInt8]
    /// The same of the messages of the present.
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

    /// The same of readings that this gateway takes.
    func sensor(_ device: String, name: String?, _ description: SensorDescription?) -> LayoutSensor {
        sensor(device, name: name, description, readBy: topics.gatewayName)
    }

    func key(of quantity: Quantity, index: UInt8) -> String {
        index == 0 ? quantity.rawValue : "\(quantity.rawValue)_\(index)"
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
