// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

/// A gateway's messages to a broker, for a program that imitates many gateways.
///
/// The publisher's own parts make the topics and payloads.
package struct GatewayMessages: Sendable {
    private let layout: MartletLayout

    /// - Parameters:
    ///   - prefix: The first levels of all topics.
    ///   - gateway: The gateway's id.
    package init(prefix: String, gateway: String) {
        layout = MartletLayout(topics: Topics(prefix: prefix, gateway: gateway))
    }

    /// The broker publishes this message when the gateway goes without a goodbye.
    package var will: OutgoingMessage { layout.will }
    /// The first message of each connection.
    package var online: OutgoingMessage { status("online") }
    /// The last message of a connection with an orderly end.
    package var offline: OutgoingMessage { layout.goodbye }

    package func information(_ information: GatewayInformation) -> OutgoingMessage {
        OutgoingMessage(topic: layout.topics.information, payload: information.payload ?? [], retain: true)
    }

    /// - Parameter device: The sensor's `<dev>`.
    package func availability(of device: String, isOnline: Bool) -> OutgoingMessage {
        layout.availability(of: device, isOnline: isOnline)
    }

    /// A present reading.
    ///
    /// - Parameters:
    ///   - device: The `<dev>` of the sensor.
    ///   - name: The sensor's own name.
    ///   - boot: 8 hexadecimal digits.
    package func reading(
        _ row: JournalRow, of device: String, name: String?, boot: String, fields: [Field],
        with writer: inout PayloadWriter
    ) -> OutgoingMessage {
        let sensor = layout.sensor(device, name: name, nil)
        writer.removeAll()
        layout.writeState(
            of: row, time: ReadingTime(unixMilliseconds: row.unixMilliseconds, quality: row.quality), boot: boot,
            sensor,
            characteristic: "", fields: fields, to: &writer)
        return OutgoingMessage(topic: sensor.state, payload: writer.octets)
    }

    /// The statistics, which go out with QoS 0.
    package func statistics(_ journal: JournalStatistics, published: Int, at stamp: TimeStamp) -> OutgoingMessage {
        var lanes = LaneCounts()
        lanes.live = published
        lanes.acknowledged = journal.delivered
        let statistics = GatewayStatistics(
            gateway: layout.topics.gateway, stamp: stamp, journal: journal, lanes: lanes, history: .normal,
            slots: nil)
        return OutgoingMessage(topic: layout.topics.statistics, payload: statistics.payload)
    }

    private func status(_ word: String) -> OutgoingMessage {
        OutgoingMessage(topic: layout.topics.status, payload: [UInt8](word.utf8), retain: true)
    }
}

extension OutgoingMessage {
    /// Makes the broker forget the retained message on this topic.
    package var erased: OutgoingMessage { OutgoingMessage(topic: topic, payload: [], retain: true) }
}
