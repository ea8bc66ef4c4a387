// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Limits
import Readings

/// Writes the messages about limits: an event, for the broker and the webhook, and the list of crossed limits.
package struct LimitPayload {
    /// Octets of all listed limits. Home Assistant keeps no attributes of more than 16 KiB.
    static let listLimit = 12_288

    let gateway: String

    package init(gateway: String) { self.gateway = gateway }

    /// An event, with its own time.
    ///
    /// - Parameter name: The sensor's own name; nil if unknown.
    package func event(_ event: LimitEvent, name: String?) -> [UInt8] {
        var writer = head()
        writer.literal(",\"event\":\"limit\",\"id\":")
        writer.string(event.id)
        writer.literal(",\"outcome\":")
        writer.string(event.outcome.rawValue)
        if let name {
            writer.literal(",\"name\":")
            writer.string(name)
        }
        writer.literal(",")
        write(event.crossing, to: &writer)
        if let value = event.value {
            writer.literal(",\"value\":")
            writer.number(value)
        }
        if let time = event.at.unixMs {
            writer.literal(",\"time\":")
            writer.time(time)
        }
        writer.literal(",\"boot\":")
        writer.string(event.at.boot)
        writer.literal(",\"up_ms\":")
        writer.integer(event.at.upMs)
        writer.literal("}")
        return writer.octets
    }

    /// The crossed limits by sensor. Limits without room are counted as `more`.
    func list(_ crossed: [LimitCrossing]) -> [UInt8] {
        var items: [UInt8] = []
        var listed = 0
        var sensor: String?
        for crossing in crossed {
            var item = PayloadWriter()
            if crossing.sensor == sensor {
                item.literal(",")
            } else {
                if sensor != nil { item.literal("],") }
                item.string(crossing.sensor)
                item.literal(":[")
            }
            item.literal("{")
            write(crossing, to: &item, withSensor: false)
            if let value = crossing.value {
                item.literal(",\"value\":")
                item.number(value)
            }
            item.literal("}")
            guard items.count + item.count <= Self.listLimit else { break }
            items += item.octets
            sensor = crossing.sensor
            listed += 1
        }
        var writer = head()
        writer.literal(",\"count\":")
        writer.integer(Int64(crossed.count))
        writer.literal(",\"sensors\":{")
        writer.append(items)
        if listed > 0 { writer.literal("]") }
        writer.literal("}")
        if listed < crossed.count {
            writer.literal(",\"more\":")
            writer.integer(Int64(crossed.count - listed))
        }
        writer.literal("}")
        return writer.octets
    }

    private func head() -> PayloadWriter {
        var writer = PayloadWriter()
        writer.literal("{\"v\":1,\"gw\":")
        writer.string(gateway)
        return writer
    }

    /// The keys of a limit, without braces.
    private func write(_ crossing: LimitCrossing, to writer: inout PayloadWriter, withSensor: Bool = true) {
        if withSensor {
            writer.literal("\"sensor\":")
            writer.string(crossing.sensor)
            writer.literal(",")
        }
        if let quantity = crossing.quantity {
            writer.literal("\"quantity\":")
            writer.string(quantity)
            writer.literal(",")
        }
        writer.literal("\"side\":")
        writer.string(crossing.side.rawValue)
        writer.literal(",\"limit\":")
        writer.number(crossing.limit)
        let unit = crossing.quantity.map { SensorLimits.quantity(ofKey: $0)?.details.unit } ?? "s"
        if let unit {
            writer.literal(",\"unit\":")
            writer.string(unit)
        }
        if let since = crossing.since.unixMs {
            writer.literal(",\"since\":")
            writer.time(since)
        }
    }
}

extension PayloadWriter {
    /// A finite number, without a fraction where it is whole. Other numbers are null.
    mutating func number(_ number: Double) {
        guard number.isFinite else { return literal("null") }
        if let whole = Int64(exactly: number) { return integer(whole) }
        append([UInt8]("\(number)".utf8))
    }
}
