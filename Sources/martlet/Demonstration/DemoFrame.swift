// SPDX-License-Identifier: Apache-2.0

import Collector
import Gateway
import Publisher
import Readings

/// A moment of the demonstration.
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

    /// Seconds for each page.
    private static let pageTime = 5

    /// The whole picture, within the size of the terminal; surplus sensors are on further pages.
    func lines(columns: Int, rows height: Int) -> [String] {
        let table = table.layout(width: columns)
        let books =
            "received \(journal.received) (\(Self.decimal(receivedRate))/s) = delivered \(journal.delivered) "
            + "(\(Self.decimal(deliveredRate))/s) + buffered \(buffered) + dropped \(dropped)"
        let flight = "in flight to the broker \(mqtt.inFlight) messages, acknowledged \(mqtt.acknowledged)"
        let blank = TextScreen.Line(text: "", rank: 2)
        let news = events.suffix(4).reversed().enumerated().reversed().map { age, text in
            TextScreen.Line(text: text, rank: age < 2 ? 1 : 4)
        }
        let title =
            "Martlet demo \(Self.clock(seconds))  controller \(controller)  broker \(mqtt.broker) \(brokerState)"
        let screen = TextScreen(
            head: [.init(text: title, indent: 2), blank], title: table.header, list: table.rows,
            foot: [blank, .init(text: books, indent: 2), .init(text: flight, rank: 3, indent: 2), blank] + news
                + [blank, .init(text: "Ctrl-C ends it.", rank: 1)])
        return screen.lines(columns: columns, rows: height, turn: seconds / Self.pageTime)
    }

    private var table: TextTable {
        TextTable(
            gap: 1,
            columns: [
                .init(title: "SENSOR", usual: 16), .init(title: "ADDRESS", rank: 4, usual: 17),
                .init(title: "LINK", usual: 10), .init(title: "VALUE", usual: 11, least: 8),
                .init(title: "READINGS", rank: 2, isRightAligned: true),
                .init(title: "/S", rank: 1, isRightAligned: true, usual: 5),
                .init(title: "RECONN", rank: 3, isRightAligned: true),
            ],
            rows: rows.map { row in
                [
                    row.name, row.address, row.link, row.value, String(row.readings), Self.decimal(row.rate),
                    String(row.reconnects),
                ]
            })
    }

    /// The frame in one line.
    var summary: String {
        let heard: Set = [SensorStatus.Link.collecting.rawValue, SensorStatus.Link.listening.rawValue]
        let collecting = rows.count { heard.contains($0.link) }
        return "\(Self.clock(seconds)) sensors \(collecting)/\(rows.count) collecting, received \(journal.received) "
            + "(\(Self.decimal(receivedRate))/s), buffered \(buffered), in flight \(mqtt.inFlight), "
            + "delivered \(journal.delivered) (\(Self.decimal(deliveredRate))/s), dropped \(dropped), broker \(brokerState)"
    }

    /// A decimal with one place.
    private static func decimal(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10))"
    }
}
