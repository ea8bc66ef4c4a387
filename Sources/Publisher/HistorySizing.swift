// SPDX-License-Identifier: Apache-2.0

import MQTT

/// Decides how large messages of history may be at a broker, and learns it from refusals and from how connections end; a
/// value.
///
/// Some brokers (mosquitto 2.0) close the connection on a message above their limit, and their answer is lost with it. Once
/// may be an outage, twice in a row is suspicious; a broker that says so is believed. Where the largest is a single row, that
/// cannot be made smaller, and goes alone from then on: then the answer is not lost, and a broker that has none shows which
/// row it is.
struct HistorySizing {
    /// Connections that the broker has to end over one and the same row before that is given up.
    static let triesOfOneRow = 5

    /// What the end of a connection says of the history that was on its way.
    enum Verdict: Equatable {
        case nothing
        /// The broker does not take this row even by itself.
        case refused(Int64)
        /// The broker has hung up so many times over this row, as far as can be told.
        case blamed(Int64, connections: Int)
        /// Messages are smaller from now on than those of so many octets.
        case smaller(than: Int, isSaid: Bool)
    }

    /// Octets of a history message at a broker of which nothing is known.
    private let beginning: Int
    /// What has been learned of this broker.
    private(set) var sizes: HistorySizes
    /// Octets of a message that this broker takes by its own word.
    private var maximumMessage = Int.max
    /// A message of history that had to go alone was the last to go.
    private var hadTurn = false
    /// Rows of history were acknowledged on this connection.
    private var hasDelivered = false
    /// The last connection ended with history on its way, and none acknowledged.
    private(set) var endedOverHistory = false

    init(limit: Int) {
        beginning = limit
        sizes = HistorySizes(limit: limit)
    }

    /// Octets of a history message.
    var limit: Int { min(sizes.limit, maximumMessage) }

    // MARK: - Messages that go alone

    /// The next message of history has to go with nothing else on its way.
    var goesAlone: Bool { sizes.alone > 0 }

    /// Live values that never stop would not let such a message go: they take turns with it, a round trip each.
    var isHistorysTurn: Bool { goesAlone && !hadTurn }

    /// - Parameter went: Such a message is on its way; false is the live lane's turn.
    mutating func hadTurn(_ went: Bool) { hadTurn = went }

    /// A message of history has gone out.
    mutating func sent() {
        if sizes.alone > 0 { sizes.alone -= 1 }
    }

    // MARK: - What the broker says

    /// - Parameter learned: What was learned of this broker before; nil is nothing.
    mutating func begin(_ learned: HistorySizes?, maximumMessage: Int) {
        sizes = learned ?? HistorySizes(limit: beginning)
        self.maximumMessage = max(maximumMessage, 1)
        hasDelivered = false
    }

    mutating func delivered() { hasDelivered = true }

    /// The broker does not take a message of so many octets.
    ///
    /// - Returns: False where such messages are not sent any more.
    mutating func shrink(below octets: Int) -> Bool {
        guard octets / 2 < limit else { return false }
        sizes.limit = max(octets / 2, 1)
        return true
    }

    /// - Parameters:
    ///   - isOverdue: The connection was ended because nothing was acknowledged.
    ///   - window: What was on its way.
    mutating func end(_ failure: MQTTFailure?, isOverdue: Bool, _ window: InFlightWindow) -> Verdict {
        endedOverHistory = window.historyCount > 0 && !hasDelivered
        // Who breaks the protocol says nothing of sizes.
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

    /// The broker has hung up over this row, as far as can be told: not for ever.
    private mutating func blame(_ n: Int64) -> Verdict {
        let connections = sizes.suspect.map { $0.row == n ? $0.connections + 1 : 1 } ?? 1
        sizes.suspect = (n, connections)
        sizes.alone = max(sizes.alone, 2)
        guard connections >= Self.triesOfOneRow else { return .nothing }
        // Messages were made smaller for nothing.
        sizes = HistorySizes(limit: beginning)
        return .blamed(n, connections: connections)
    }
}
