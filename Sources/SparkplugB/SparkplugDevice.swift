// SPDX-License-Identifier: Apache-2.0

/// The metrics of one device that consumers know, and the metrics of its next birth.
struct SparkplugDevice: Sendable {
    /// Metrics of one device. A sensor with more metrics begins anew with the metrics of its newest message.
    static let maximumMetrics = 512

    /// In the order of their arrival, with the newest values of the present.
    private(set) var metrics: [SparkplugMetric] = []
    private var places: [String: Int] = [:]
    /// Nil until the device's state is known.
    var isOnline: Bool?
    /// The device is alive for consumers: they know its metrics.
    var isBorn = false
    /// The device is removed: no message follows its death.
    var isRemoved = false

    /// Adds metrics that the next birth must contain.
    ///
    /// - Returns: Whether consumers do not know a metric, or know a metric with another type.
    mutating func define(_ new: [SparkplugMetric]) -> Bool {
        guard new.contains(where: { place(of: $0) == nil }) else { return false }
        if metrics.count + new.count > Self.maximumMetrics { (metrics, places) = ([], [:]) }
        for metric in new where place(of: metric) == nil {
            let unknown = metric.unknown(at: 0)
            if let place = places[metric.name] {
                metrics[place] = unknown
            } else {
                places[metric.name] = metrics.count
                metrics.append(unknown)
            }
        }
        return true
    }

    /// Keeps present values for the next birth; their metrics must be defined before.
    mutating func record(_ new: [SparkplugMetric]) {
        for metric in new {
            guard let place = place(of: metric), metrics[place].timestamp <= metric.timestamp else { continue }
            metrics[place].value = metric.value
            metrics[place].timestamp = metric.timestamp
        }
    }

    /// The metrics of a birth; metrics without a value have the time of sending.
    func birth(at timestamp: Int64) -> [SparkplugMetric] {
        metrics.map { $0.value == nil ? $0.unknown(at: timestamp) : $0 }
    }

    private func place(of metric: SparkplugMetric) -> Int? {
        places[metric.name].flatMap { metrics[$0].type == metric.type ? $0 : nil }
    }
}
