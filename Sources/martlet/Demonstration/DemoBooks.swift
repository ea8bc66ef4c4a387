// SPDX-License-Identifier: Apache-2.0

import Gateway
import Readings

/// The result of the demonstration: the sensors' own ledgers beside the gateway's books.
struct DemoBooks {
    struct Row {
        var name: String
        /// Values that the sensor's stack accepted for a subscribed client.
        var accepted: Int
        /// Accepted values that our controller handed to its host. The other values were in the air when a link
        /// dropped.
        var handedOver: Int
        /// Values that the collector received.
        var received: Int
    }

    /// A sensor that only sends advertisements.
    struct Heard {
        var name: String
        /// Packets since the sensor's start, each repeated a few times.
        var sent: Int
        /// Packets that our controller handed to its host since the gateway began to listen.
        var handedOver: Int
        /// Readings: a repeated packet counts once.
        var received: Int
    }

    var rows: [Row]
    var heard: [Heard]
    var journal: JournalStatistics

    private var handedOver: Int { rows.reduce(0) { $0 + $1.handedOver } + heard.reduce(0) { $0 + $1.handedOver } }
    private var dropped: Int { journal.dropped.values.reduce(0, +) }
    private var buffered: Int { journal.buffered + journal.waiting }

    /// The faults of the result.
    private var complaints: [String] {
        var complaints: [String] = []
        if journal.delivered == 0 { complaints.append("no reading was delivered") }
        for row in rows where row.received != row.handedOver {
            complaints.append("\(row.name): \(row.handedOver) values were handed over, \(row.received) received")
        }
        for row in heard where row.received == 0 || row.received != row.handedOver {
            complaints.append("\(row.name): \(row.handedOver) packets were handed over, \(row.received) received")
        }
        if journal.received != handedOver {
            complaints.append("\(handedOver) values were handed over, the journal received \(journal.received)")
        }
        if journal.delivered != journal.received {
            complaints.append("\(journal.received) readings were received, \(journal.delivered) delivered")
        }
        if !journal.balances { complaints.append("the journal's books do not add up") }
        return complaints
    }

    var isGood: Bool { complaints.isEmpty }

    var lines: [String] {
        let header = ["SENSOR", "SENT", "HANDED TO THE GATEWAY", "RECEIVED"]
        let table = rows.map { [$0.name, String($0.accepted), String($0.handedOver), String($0.received)] }
        let heard = heard.map { [$0.name, String($0.sent), String($0.handedOver), String($0.received)] }
        let mark = journal.balances ? "✓" : "✗"
        return Text.table([header] + table + heard, rightAligned: [1, 2, 3]) + [
            "",
            "received \(journal.received) = delivered \(journal.delivered) + buffered \(buffered) + dropped \(dropped)  \(mark)",
        ] + (isGood ? ["Nothing was lost."] : complaints.map { "✗ \($0)" })
    }
}
