// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import MQTT
import Readings
import SparkplugB

/// Messages of rows with Sparkplug B.
extension MessageComposer {
    /// The message for a present row; nil with JSON.
    mutating func data(of row: JournalRow, time: ReadingTime, from rows: any DeliveryRows) -> OutgoingMessage? {
        guard let sparkplug else { return nil }
        let metrics = metrics(sparkplug, of: row, time: time, isHistorical: false, from: rows)
        let device = Topics.level(name(of: row.device, from: rows))
        var message = OutgoingMessage(
            topic: sparkplug.topics.device(device, .data), payload: SparkplugPayload.metrics(metrics))
        message.data = SparkplugData(device: device, metrics: metrics, isHistorical: false)
        message.rows = [row.n]
        return message.ofSparkplug()
    }

    /// A reading of the past: a part of a gathered message; nil with JSON.
    mutating func historicalPart(
        of row: JournalRow, time: ReadingTime, from rows: any DeliveryRows
    ) -> OutgoingMessage? {
        guard let sparkplug else { return nil }
        let metrics = metrics(sparkplug, of: row, time: time, isHistorical: true, from: rows)
        let device = Topics.level(name(of: row.device, from: rows))
        var message = OutgoingMessage(
            topic: sparkplug.topics.device(device, .data), payload: SparkplugPayload.metrics(metrics),
            device: row.device, rows: [row.n])
        message.data = SparkplugData(
            device: device, metrics: metrics.map { $0.unknown(at: 0) }, isHistorical: true)
        return message.ofSparkplug()
    }

    private mutating func metrics(
        _ sparkplug: SparkplugComposer, of row: JournalRow, time: ReadingTime, isHistorical: Bool,
        from rows: any DeliveryRows
    ) -> [SparkplugMetric] {
        sparkplug.metrics(
            of: row, time: time, fields: fields(of: row, from: rows),
            characteristic: characteristic(row.characteristic, from: rows).name, isHistorical: isHistorical, now: now)
    }

    private func name(of device: Int64, from rows: any DeliveryRows) -> String {
        let name = try? rows.deviceName(device)
        return name ?? "device-\(device)"
    }
}

extension OutgoingMessage {
    init(_ message: SparkplugMessage) {
        self.init(topic: message.topic, payload: message.metrics)
        quality = .atMostOnce
        order = message.order
    }

    fileprivate func ofSparkplug() -> OutgoingMessage {
        var message = self
        message.quality = .atMostOnce
        message.order = .next
        return message
    }
}
