// SPDX-License-Identifier: Apache-2.0

import SwiftProtobuf

/// The octets of payloads.
///
/// A payload is made in two steps: its metrics when they are known, its time and its number in the sequence at the time
/// of sending. The parts of a protobuf message may stand in any order, so the second part simply follows the first.
package enum SparkplugPayload {
    /// The metrics of a payload; several such parts may follow each other.
    package static func metrics(_ metrics: [SparkplugMetric]) -> [UInt8] {
        octets(of: WirePayload.with { $0.metrics = metrics.map(WirePayload.Metric.init) })
    }

    /// The end of a payload.
    ///
    /// - Parameters:
    ///   - timestamp: The time of sending, in milliseconds since 1970 UTC.
    ///   - sequence: 0…255; nil for the death of a node, which has no number.
    package static func end(timestamp: Int64, sequence: UInt8?) -> [UInt8] {
        octets(
            of: WirePayload.with {
                $0.timestamp = UInt64(max(timestamp, 0))
                if let sequence { $0.seq = UInt64(sequence) }
            })
    }

    private static func octets(of payload: WirePayload) -> [UInt8] {
        // Only a missing required field fails, and these messages have no required fields.
        (try? payload.serializedBytes()) ?? []
    }
}

extension WirePayload.Metric {
    fileprivate init(_ metric: SparkplugMetric) {
        self.init()
        name = metric.name
        timestamp = UInt64(max(metric.timestamp, 0))
        datatype = metric.type.rawValue
        if metric.isHistorical { isHistorical = true }
        switch metric.value {
        // Signed numbers are sent as their two's complement. Sparkplug 3.0, 6.4.16.
        case .int64(let number): longValue = UInt64(bitPattern: number)
        case .double(let number): doubleValue = number
        case .boolean(let flag): booleanValue = flag
        case .string(let text): stringValue = text
        case nil: isNull = true
        }
        guard !metric.properties.isEmpty else { return }
        properties = WirePayload.PropertySet.with {
            $0.keys = metric.properties.map(\.key)
            $0.values = metric.properties.map { property in
                WirePayload.PropertyValue.with {
                    $0.type = SparkplugMetric.DataType.string.rawValue
                    $0.stringValue = property.value
                }
            }
        }
    }
}

/// A request to the node: an NCMD. Any client may have written the octets.
package struct SparkplugCommand: Equatable, Sendable {
    /// The sender asks for all births anew.
    package var wantsRebirth = false
    /// The number of metrics that the sender wants to write; writing is forbidden.
    package var others = 0

    /// - Throws: If the octets are no payload.
    package init(_ octets: [UInt8]) throws {
        var options = BinaryDecodingOptions()
        // A payload of ours has four levels. Other payloads may nest templates and sets, which are skipped.
        options.messageDepthLimit = 16
        options.discardUnknownFields = true
        let payload = try WirePayload(serializedBytes: octets, options: options)
        for metric in payload.metrics {
            if metric.name == SparkplugMachine.rebirthMetric, metric.value == .booleanValue(true) {
                wantsRebirth = true
            } else {
                others += 1
            }
        }
    }
}
