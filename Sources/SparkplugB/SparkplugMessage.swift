// SPDX-License-Identifier: Apache-2.0

/// A message of a node or a device without its end: the time and the number of its sending.
package struct SparkplugMessage: Equatable, Sendable {
    /// Its place in the sequence of a node and its devices.
    package enum Order: Equatable, Sendable {
        /// The birth of a node: number 0.
        case first
        case next
    }

    package var topic: String
    /// The metrics, see ``SparkplugPayload/metrics(_:)``.
    package var metrics: [UInt8]
    package var order: Order
}

/// The content of a message with data of a device.
package struct SparkplugData: Equatable, Sendable {
    /// One level of a topic.
    package var device: String
    /// One metric for each name: metrics of the present with their values, metrics of the past as the message defines
    /// them.
    package var metrics: [SparkplugMetric]
    package var isHistorical: Bool

    package init(device: String, metrics: [SparkplugMetric], isHistorical: Bool) {
        (self.device, self.metrics, self.isHistorical) = (device, metrics, isHistorical)
    }

    /// Adds the missing metrics of another message of this device.
    package mutating func merge(_ other: [SparkplugMetric]) {
        for metric in other where !metrics.contains(where: { $0.name == metric.name && $0.type == metric.type }) {
            metrics.append(metric)
        }
    }
}
