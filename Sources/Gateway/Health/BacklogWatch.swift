// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Publisher
import Readings

/// Measures how fast a backlog is delivered, by the journal's books; a value.
struct BacklogWatch: Equatable, Sendable {
    /// Milliseconds that a rate is made of, at most. The time is long enough for messages with many readings.
    private static let window: Int64 = 60_000
    /// Milliseconds before there is a rate.
    private static let shortest: Int64 = 4_000
    private static let maximumSamples = 64
    /// A live gateway has a few readings on their way at all times.
    private static let least = 100

    private struct Sample: Equatable {
        /// Milliseconds since boot.
        var at: Int64
        var delivered: Int
        var buffered: Int
    }

    private var samples: [Sample] = []

    /// Nil without a backlog, without a connection, and before there is a rate.
    ///
    /// - Parameter now: Milliseconds since boot.
    mutating func look(_ status: GatewayStatus, at now: Int64) -> Backlog? {
        let journal = status.journal
        guard status.mqtt.connected, journal.buffered >= Self.least else {
            samples.removeAll()
            return nil
        }
        // The books begin anew with a new journal.
        if let last = samples.last, last.delivered > journal.delivered { samples.removeAll() }
        samples.removeAll { now.subtractingSaturated($0.at) > Self.window }
        if samples.last?.at != now, samples.count < Self.maximumSamples {
            samples.append(Sample(at: now, delivered: journal.delivered, buffered: journal.buffered))
        }
        guard let first = samples.first else { return nil }
        let time = now.subtractingSaturated(first.at)
        guard time >= Self.shortest else { return nil }
        let seconds = Double(time) / 1_000
        let perSecond = Double(journal.delivered.subtractingSaturated(first.delivered)) / seconds
        let shrinking = Double(first.buffered.subtractingSaturated(journal.buffered)) / seconds
        return Backlog(
            rows: journal.buffered, perSecond: (perSecond * 10).rounded() / 10,
            secondsLeft: shrinking > 0.01 ? Int64(min(Double(journal.buffered) / shrinking, 1e12).rounded(.up)) : nil)
    }
}
