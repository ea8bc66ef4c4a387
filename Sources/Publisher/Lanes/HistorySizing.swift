// SPDX-License-Identifier: Apache-2.0

import MQTT

/// Decides how large messages of history may be at a broker, and learns from refusals and from the ends of connections;
/// a value.
///
/// Some brokers (mosquitto 2.0) close the connection on a message above their limit, and their answer is lost. A single
/// end may be an outage; two in a row are suspicious. A broker's own word is believed. If the largest message is a
/// single row, the row cannot become smaller, so it goes alone from then on. Then the answer is not lost, and the end
/// of a connection without an answer shows the guilty row.
struct HistorySizing {
    /// Number of connections that must end over the same row before the row is given up.
    static let triesOfOneRow = 5

    /// The lesson of a connection's end about the history in flight.
    enum Verdict: Equatable {
        case nothing
        /// The broker does not accept this row even alone.
        case refused(Int64)
        /// The broker has probably hung up over this row so many times.
        case blamed(Int64, connections: Int)
        /// Messages are smaller from now on than this number of octets.
        case smaller(than: Int, isSaid: Bool)
    }

    /// Octets of a history message at an unknown broker.
    private let beginning: Int
    /// The facts learned about this broker.
    private(set) var sizes: HistorySizes
    /// Octets of a message that this broker accepts by its own word.
    private var maximumMessage = Int.max
    /// The last message was a history message that had to go alone.
    private var hadTurn = false
    /// Rows of history were acknowledged on this connection.
    private var hasDelivered = false
    /// The last connection ended with history in flight, and nothing acknowledged.
    private(set) var endedOverHistory = false

    init(limit: Int) {
        beginning = limit
        sizes = HistorySizes(limit: limit)
    }

    /// Octets of a history message.
    var limit: Int { min(sizes.limit, maximumMessage) }

    // MARK: - Messages that go alone

    /// The next message of history has to go with nothing else in flight.
    var goesAlone: Bool { sizes.alone > 0 }

    /// Continuous live values would block a message that goes alone, so both take turns, a round trip each.
    var isHistorysTurn: Bool { goesAlone && !hadTurn }

    /// - Parameter went: A message that goes alone is in flight; false: the live lane's turn.
    mutating func hadTurn(_ went: Bool) { hadTurn = went }

    /// A message of history was sent.
    mutating func sent() {
        if sizes.alone > 0 { sizes.alone -= 1 }
    }

    // MARK: - The broker's answers

    /// - Parameter learned: Earlier facts about this broker; nil: none.
    mutating func begin(_ learned: HistorySizes?, maximumMessage: Int) {
        sizes = learned ?? HistorySizes(limit: beginning)
        self.maximumMessage = max(maximumMessage, 1)
        hasDelivered = false
    }

    mutating func delivered() { hasDelivered = true }

    /// The broker does not accept a message of so many octets.
    ///
    /// - Returns: False if messages of this size are no longer sent.
    mutating func shrink(below octets: Int) -> Bool {
        guard octets / 2 < limit else { return false }
        sizes.limit = max(octets / 2, 1)
        return true
    }

    /// - Parameters:
    ///   - isOverdue: The connection was ended because nothing was acknowledged.
    ///   - window: The messages in flight.
    mutating func end(_ failure: MQTTFailure?, isOverdue: Bool, _ window: InFlightWindow) -> Verdict {
        endedOverHistory = window.historyCount > 0 && !hasDelivered
        // A broken protocol says nothing about sizes.
        if case .broken = failure { return .nothing }
        guard !isOverdue else { return .nothing }
        guard window.historyCount > 0 else {
            if hasDelivered { sizes.fruitlessConnections = 0 }
            return .nothing
        }
        let largest = window.largest
        let isSaid = failure == .disconnected(.packetTooLarge)
        if isSaid, largest.single > largest.gathered, window.count == 1, let refused = window.rowAlone {
            return .refused(refused)
        }
        if !isSaid {
            guard !hasDelivered else {
                sizes.fruitlessConnections = 0
                return .nothing
            }
            sizes.fruitlessConnections += 1
            guard sizes.fruitlessConnections > 1 else { return .nothing }
            if failure?.isWordless == true, let suspect = window.rowAlone { return blame(suspect) }
        }
        if largest.single > largest.gathered {
            sizes.alone = 2 * window.historyCount
            return .nothing
        }
        return shrink(below: largest.gathered) ? .smaller(than: largest.gathered, isSaid: isSaid) : .nothing
    }

    /// The broker has probably hung up over this row, but this may not last.
    private mutating func blame(_ n: Int64) -> Verdict {
        let connections = sizes.suspect.map { $0.row == n ? $0.connections + 1 : 1 } ?? 1
        sizes.suspect = (n, connections)
        sizes.alone = max(sizes.alone, 2)
        guard connections >= Self.triesOfOneRow else { return .nothing }
        // Messages became smaller for nothing.
        sizes = HistorySizes(limit: beginning)
        return .blamed(n, connections: connections)
    }
}
