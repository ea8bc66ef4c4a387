// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings
import SparkplugB

/// Makes Sparkplug metrics of readings.
struct SparkplugComposer: Sendable {
    let topics: SparkplugTopics

    /// The metrics of a row.
    ///
    /// - Parameters:
    ///   - fields: Nil if no decoder understood the value: the value goes as hexadecimal digits.
    ///   - now: The time for a reading whose own time will never be known, in milliseconds since 1970 UTC, because
    ///     every metric needs a time. The metric's property `clock` shows this case.
    func metrics(
        of row: JournalRow, time: ReadingTime, fields: [Field]?, characteristic: String, isHistorical: Bool, now: Int64
    ) -> [SparkplugMetric] {
        let timestamp = time.unixMilliseconds ?? now
        let clock: [SparkplugMetric.Property] =
            time.quality == .synced ? [] : [.init("clock", time.quality.rawValue)]
        func metric(_ name: String, _ value: SparkplugMetric.Value, unit: String?) -> SparkplugMetric {
            let units: [SparkplugMetric.Property] = unit.map { [.init("engUnit", $0)] } ?? []
            return SparkplugMetric(
                name, value, at: timestamp, isHistorical: isHistorical, properties: units + clock)
        }
        var metrics = (fields ?? []).map { field in
            let (name, value) = Self.value(of: field)
            return metric(name, value, unit: field.quantity.details.unit)
        }
        if fields == nil {
            metrics.append(metric("raw/\(characteristic)", .string(row.value.hexadecimal), unit: nil))
        }
        if let rssi = row.rssi { metrics.append(metric("rssi", .int64(Int64(rssi)), unit: "dBm")) }
        return metrics
    }

    /// The type follows from the name alone, because consumers know the type from the birth.
    private static func value(of field: Field) -> (name: String, SparkplugMetric.Value) {
        switch (field.quantity.details.kind, field.value) {
        case (.binary, .int(let number)): (field.key, .boolean(number != 0))
        case (.event, let value), (.text, let value): (field.key, .string(text(of: value)))
        case (_, .array): (field.key, .string(text(of: field.value)))
        case (_, .string(let text)): ("\(field.key)/text", .string(text))
        case (_, let value): (field.key, .double(value.number ?? 0))
        }
    }

    /// A list as JSON: few tools know Sparkplug's arrays, which are octets.
    private static func text(of value: Field.Value) -> String {
        if case .string(let text) = value { return text }
        var writer = PayloadWriter()
        writer.value(value)
        return String(decoding: writer.octets, as: UTF8.self)
    }
}
