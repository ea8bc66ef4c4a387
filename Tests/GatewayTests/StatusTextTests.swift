// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gateway
@testable import martlet

@Suite("The status in words")
struct StatusTextTests {
    private var status: GatewayStatus {
        var collector = CollectorStatus()
        collector.sensors = ["fridge", "door"].map { id in
            SensorStatus(
                id: id, name: nil, address: nil, identifier: "i", link: .collecting, rssi: -60, readings: 20, drops: 7,
                reconnects: [:], lastDrop: nil, lastFailure: nil, missing: [], values: [])
        }
        return GatewayStatus(
            gateway: "g", version: "1", uptimeS: 1, clock: "synced",
            controller: .init(name: "hci0", state: "powered on", counters: [:]), collector: collector,
            journal: JournalStatistics(path: "/j"), mqtt: PublisherStatistics(broker: "b:1"))
    }

    @Test("links that ended are called so, and are no readings that were lost")
    func disconnects() throws {
        let lines = StatusText.lines(status)
        let header = try #require(lines.first { $0.hasPrefix("SENSOR") })
        #expect(header.contains("DISCONNECTS") && !header.contains("DROP"))
        #expect(!lines.contains { $0.hasPrefix("!") })
    }

    @Test("readings that were given up are shown by sensor and reason, and so are values that never came")
    func losses() {
        var status = status
        var entry = LedgerEntry()
        (entry.received, entry.missing, entry.dropped) = (20, 5, ["journal-age": 12, "refused": 1, "purged": 0])
        status.journal.sensors = ["fridge": entry, "door": LedgerEntry()]
        // Since the start of the gateway only two were missed.
        status.collector.sensors[0].gap = 2
        #expect(
            StatusText.lines(status).filter { $0.hasPrefix("!") } == [
                "! fridge: 5 values never came, as it numbers them",
                "! fridge: 13 readings dropped: 12 journal-age, 1 refused",
            ])
    }

    @Test("what a damaged file calls a reason does nothing to the terminal")
    func hostileReasons() {
        var status = status
        status.journal.dropped = ["\u{1B}[2J": 3]
        #expect(!StatusText.lines(status).joined().contains("\u{1B}"))
    }
}
