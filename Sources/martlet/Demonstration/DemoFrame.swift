// SPDX-License-Identifier: Apache-2.0

import Gateway

/// One moment of the demonstration.
struct DemoFrame {
    struct Row {
        var name: String
        var address: String
        var link: String
        var value: String
        var readings: Int
        var rate: Double
        var reconnects: Int
    }

    var uptime: Duration
    var controller: String
    var mqtt: PublisherStatistics
    var journal: JournalStatistics
    var receivedRate: Double
    var deliveredRate: Double
    var rows: [Row]
    var events: [String]

    static func clock(_ seconds: Int) -> String {
        let rest = seconds % 60
        return "\(seconds / 60):\(rest < 10 ? "0" : "")\(rest)"
    }

    private var seconds: Int { Int(uptime / .seconds(1)) }
    private var dropped: Int { journal.dropped.values.reduce(0, +) }
    private var buffered: Int { journal.buffered + journal.waiting }
    private var brokerState: String { mqtt.connected ? "connected" : "not connected" }

    /// The whole picture, no wider and higher than the terminal.
    func lines(columns: Int, rows height: Int) -> [String] {
        var lines = [
            "Martlet demo \(Self.clock(seconds))  controller \(controller)  broker \(mqtt.broker) \(brokerState)", "",
            Self.line("SENSOR", "ADDRESS", "LINK", "VALUE", "READINGS", "/S", "RECONN"),
        ]
        // Title, header, books, events and the last line take eleven rows.
        let room = max(1, height - 12)
        lines += rows.prefix(room).map { row in
            Self.line(
                row.name, row.address, row.link, row.value, String(row.readings), Self.decimal(row.rate),
                String(row.reconnects))
        }
        if rows.count > room { lines.append("… and \(rows.count - room) more") }
        lines += [
            "",
            "received \(journal.received) (\(Self.decimal(receivedRate))/s) = delivered \(journal.delivered) "
                + "(\(Self.decimal(deliveredRate))/s) + buffered \(buffered) + dropped \(dropped)",
            "in flight to the broker \(mqtt.inFlight) messages, acknowledged \(mqtt.acknowledged)", "",
        ]
        lines += events.suffix(4)
        lines += ["", "Ctrl-C ends it."]
        return lines.map { String($0.prefix(columns)) }
    }

    /// The same in one line.
    var summary: String {
        let collecting = rows.count { $0.link == SensorStatus.Link.collecting.rawValue }
        return "\(Self.clock(seconds)) sensors \(collecting)/\(rows.count) collecting, received \(journal.received) "
            + "(\(Self.decimal(receivedRate))/s), buffered \(buffered), in flight \(mqtt.inFlight), "
            + "delivered \(journal.delivered) (\(Self.decimal(deliveredRate))/s), dropped \(dropped), broker \(brokerState)"
    }

    private static func line(
        _ name: String, _ address: String, _ link: String, _ value: String, _ readings: String, _ rate: String,
        _ reconnects: String
    ) -> String {
        [
            Text.fit(name, 16), Text.fit(address, 17), Text.fit(link, 10), Text.fit(value, 11),
            Text.fit(readings, 8, right: true), Text.fit(rate, 5, right: true), Text.fit(reconnects, 6, right: true),
        ].joined(separator: " ")
    }

    /// One decimal place.
    private static func decimal(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10))"
    }
}
