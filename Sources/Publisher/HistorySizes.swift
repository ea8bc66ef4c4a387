// SPDX-License-Identifier: Apache-2.0

/// What one broker has shown of the sizes that it takes: another one of a cluster may take more.
struct HistorySizes: Sendable {
    /// Octets of a history message; what the broker did not take lowers it for good.
    var limit: Int
    /// Connections in a row that ended with history on its way and nothing acknowledged.
    var fruitlessConnections = 0
    /// Messages that are still to go one at a time, each with nothing else on its way: one of them is too large.
    var alone = 0
    /// A row over which the broker seems to hang up, and how many connections have ended so.
    var suspect: (row: Int64, connections: Int)?
}
