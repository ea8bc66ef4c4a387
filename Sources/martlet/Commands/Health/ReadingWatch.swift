// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Gateway
import Readings

/// Finds the new readings from one status to the next: `martlet watch`.
struct ReadingWatch {
    struct News: Encodable, Equatable {
        var sensor: String
        var name: String?
        /// dBm.
        var rssi: Int?
        var value: SensorStatus.Value
        /// The readings between the last shown value and this value, which a status no longer has.
        var skipped: Int?
    }

    private struct Seen {
        var readings: Int
        /// The newest time of each characteristic, in milliseconds since boot.
        var times: [String: Int64]
    }

    private var seen: [String: Seen] = [:]

    /// The values since the last call, the oldest first: the newest of each characteristic. The first call gives all values.
    mutating func news(in sensors: [SensorStatus]) -> [News] {
        var all: [News] = []
        var next: [String: Seen] = [:]
        for sensor in sensors {
            let before = seen[sensor.id]
            var news = sensor.values.filter { value in
                before?.times[value.characteristic].map { $0 < value.uptimeMs } ?? true
            }.map { News(sensor: sensor.id, name: sensor.name, rssi: sensor.rssi, value: $0) }
            news.sort { $0.value.uptimeMs < $1.value.uptimeMs }
            if let before, !news.isEmpty {
                let skipped = sensor.readings.subtractingSaturated(before.readings).subtractingSaturated(news.count)
                if skipped > 0 { news[0].skipped = skipped }
            }
            let times = Dictionary(sensor.values.map { ($0.characteristic, $0.uptimeMs) }) { max($0, $1) }
            next[sensor.id] = Seen(readings: sensor.readings, times: times)
            all += news
        }
        seen = next
        return all.sorted { $0.value.uptimeMs < $1.value.uptimeMs }
    }
}
