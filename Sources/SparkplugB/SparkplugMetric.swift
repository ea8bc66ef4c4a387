// SPDX-License-Identifier: Apache-2.0

/// One value of a Sparkplug payload: its name, its type, and its time.
package struct SparkplugMetric: Equatable, Sendable {
    /// The data types that a gateway uses, by their codes. Sparkplug 3.0, 6.4.16.
    package enum DataType: UInt32, Sendable {
        case int64 = 4
        case double = 10
        case boolean = 11
        case string = 12
    }

    package enum Value: Equatable, Sendable {
        case int64(Int64)
        case double(Double)
        case boolean(Bool)
        case string(String)

        package var type: DataType {
            switch self {
            case .int64: .int64
            case .double: .double
            case .boolean: .boolean
            case .string: .string
            }
        }
    }

    /// A text beside a value.
    package struct Property: Equatable, Sendable {
        package var key: String
        package var value: String

        package init(_ key: String, _ value: String) { (self.key, self.value) = (key, value) }
    }

    package var name: String
    package var type: DataType
    /// Nil: the metric exists, and its value is unknown.
    package var value: Value?
    /// Milliseconds since 1970 UTC.
    package var timestamp: Int64
    /// The value is of the past: a consumer stores the value, but does not show it as the present value.
    package var isHistorical = false
    package var properties: [Property] = []

    package init(
        _ name: String, _ value: Value, at timestamp: Int64, isHistorical: Bool = false, properties: [Property] = []
    ) {
        self.name = name
        type = value.type
        self.value = value
        self.timestamp = timestamp
        self.isHistorical = isHistorical
        self.properties = properties
    }

    /// The metric without a value, for a birth.
    package func unknown(at timestamp: Int64) -> SparkplugMetric {
        var metric = self
        metric.value = nil
        metric.timestamp = timestamp
        metric.isHistorical = false
        return metric
    }
}
