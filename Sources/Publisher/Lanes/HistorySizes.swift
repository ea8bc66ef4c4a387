// SPDX-License-Identifier: Apache-2.0

/// The accepted sizes of a broker, as far as known. Another broker of a cluster may accept more.
struct HistorySizes: Sendable {
    /// Octets of a history message; a refused message lowers the limit permanently.
    var limit: Int
    /// Connections in a row that ended with history in flight and nothing acknowledged.
    var fruitlessConnections = 0
    /// Messages that go separately, each with nothing else in flight, because some message is too large.
    var alone = 0
    /// A row that seems to make the broker hang up, and the number of connections that ended like this.
    var suspect: (row: Int64, connections: Int)?
}
