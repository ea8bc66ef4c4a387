// SPDX-License-Identifier: Apache-2.0

import MQTT
import Platform

/// When the next try to connect is made, and what is told of those before; a value.
struct RetrySchedule {
    /// A connection that stood for this long proves that the way is good: the next wait begins small again.
    static let stableTime: Duration = .seconds(30)

    private var pauses: ReconnectPauses
    private var takenOver: Backoff
    /// A connection that stood for so long was not taken over at once.
    private let takenOverTime: Duration
    private(set) var connections = 0
    /// In a row, to log the first and then fewer.
    private(set) var failures = 0

    init(_ delay: ClosedRange<Duration>, takenOver takenOverDelay: ClosedRange<Duration>) {
        pauses = ReconnectPauses(delay)
        takenOver = Backoff(takenOverDelay)
        takenOverTime = takenOverDelay.upperBound
    }

    /// Nothing has been tried yet.
    var isFirst: Bool { connections == 0 && failures == 0 }
    /// Connections made after the first.
    var reconnects: Int { max(0, connections - 1) }
    /// Whether to tell the present failure. The first failure in a row is told, then at doubling distances: a broker
    /// that is away for a day is not news each minute.
    var isNews: Bool { Self.isNews(failures) }
    /// One more failure will be told of.
    var nextIsNews: Bool { Self.isNews(failures + 1) }

    private static func isNews(_ failures: Int) -> Bool { failures & (failures - 1) == 0 }

    mutating func connected() {
        connections += 1
        failures = 0
    }

    /// - Parameters:
    ///   - time: Since the try began.
    ///   - wasAccepted: The broker has accepted the connection.
    /// - Returns: Whether the connection has stood for long.
    mutating func failed(after time: Duration, wasAccepted: Bool) -> Bool {
        failures += 1
        let wasStable = wasAccepted && time >= Self.stableTime
        if wasStable { pauses.reset() }
        if time >= takenOverTime { takenOver.reset() }
        return wasStable
    }

    /// The broker is spoken to otherwise from now on.
    mutating func beginAnew() { pauses.reset() }

    /// The wait where another client uses the session, too. `spread`: 0.5…1.5, by chance.
    mutating func waitOfContest(spread: Double) -> Duration { takenOver.wait(spread: spread) }

    mutating func wait(after failure: MQTTFailure, spread: Double) -> Duration {
        pauses.wait(after: failure, spread: spread)
    }
}
