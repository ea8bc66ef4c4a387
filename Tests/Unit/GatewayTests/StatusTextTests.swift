// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import Collector
@testable import Gateway
@testable import Health
@testable import Publisher
@testable import Readings
@testable import martlet

@Suite("The status in words")
struct StatusTextTests {
    private var status: GatewayStatus {
        var collector = CollectorStatus()
        collector.sensors = ["fridge", "door"].map { id in
            SensorStatus(
                id: id, name: nil, address: nil, identifier: "i", link: .collecting, health: .fresh, rssi: -60,
                readings: 20, drops: 7,
                reconnects: [:], lastDrop: nil, lastFailure: nil, missing: [], values: [])
        }
        var mqtt = PublisherStatistics(broker: "b:1")
        mqtt.connected = true
        return GatewayStatus(
            gateway: "g", version: "1", uptimeS: 1, clock: "synced",
            controller: .init(name: "hci0", state: "powered on", counters: [:]), collector: collector,
            journal: JournalStatistics(path: "/j"), mqtt: mqtt)
    }

    @Test func `the reason for which the broker is not connected is whole`() {
        let reason = String(repeating: "the broker closed the connection ", count: 9) + "for good"
        var status = status
        (status.mqtt.connected, status.mqtt.lastError) = (false, reason)
        #expect(StatusText.lines(status).contains { $0.hasPrefix("broker ") && $0.hasSuffix("for good") })
    }

    @Test("no full stop follows a question")
    func question() {
        func told(_ text: String) -> [String] {
            var status = status
            status.problems = [
                Problem(
                    code: .brokerUnreachable, severity: .failure, part: "broker", title: "Broker", text: text,
                    remedy: "Readings wait.", ageMs: 0)
            ]
            return SensorTable.troubles(status)
        }
        #expect(told("no answer: is it a broker?") == ["! broker: no answer: is it a broker? Readings wait."])
        #expect(told("no answer") == ["! broker: no answer. Readings wait."])
    }

    @Test("the scan for known sensors is shown while no new ones are looked for")
    func scanning() {
        var status = status
        func line() -> String? { StatusText.lines(status.judged).first { $0.hasPrefix("controller") } }
        #expect(line() == "controller  hci0: powered on")
        status.collector.scanning = true
        #expect(line() == "controller  hci0: powered on, scanning")
        status.collector.scanning = false
        status.collector.sensors[0].link = .listening
        var health = RadioHealth()
        health.isScanning = true
        status.controller.health = health
        #expect(line() == "controller  hci0: powered on, scanning for 1 known sensor")
    }

    @Test("the links of the controller are told with the sensors that share them, or with the other devices")
    func links() {
        var status = status
        func line() -> String? { StatusText.lines(status.judged).first { $0.hasPrefix("controller") } }
        status.controller.slots = ConnectionSlots(used: 5, limit: 5)
        #expect(line() == "controller  hci0: powered on, 5 of 5 links")
        status.collector.shortage = SlotShortage(sensors: 24, links: 5)
        #expect(line() == "controller  hci0: powered on, 5 of 5 links, which 24 sensors share")
        status.collector.shortage = SlotShortage(sensors: 1, links: 0)
        #expect(line() == "controller  hci0: powered on, 5 of 5 links, which other devices hold")
    }

    @Test("steps for the radio are shown while they last, and for an hour")
    func radio() {
        var health = RadioHealth()
        health.record(.taken, step: .reset, reason: "it did not answer", uptimeMs: 1_000)
        health.trouble = "it did not answer"
        func told() -> [String] {
            var status = status
            status.controller.health = health
            return SensorTable.troubles(status.judged)
        }
        #expect(told() == ["! radio: it did not answer; the controller was reset"])
        health.record(.taken, step: .power, reason: "it did not answer", uptimeMs: 3_000)
        health.record(.failed, step: .power, reason: "there is no switch", uptimeMs: 3_000)
        #expect(
            told() == ["! radio: it did not answer; power could not be done: there is no switch"])
        health.trouble = nil
        health.record(.cured, step: .power, reason: "", uptimeMs: 10_000, lastedMs: 9_000)
        let cures = RadioText.cures(health, at: 3_609_999)
        #expect(
            cures.count == 1 && cures[0].contains("brought back 59 min") && cures[0].contains("after 9 s"), "\(cures)")
        #expect(RadioText.cures(health, at: 3_610_000).isEmpty)
    }

    @Test("readings dropped on request are no problem")
    func wished() {
        var status = status
        var books = LedgerEntry()
        books.dropped = ["covered": 60, "purged": 1, "coalesced": 2, "dead-band": 3]
        status.journal.sensors = ["fridge": books]
        #expect(!StatusText.lines(status.judged).contains { $0.contains("dropped:") })
        books.dropped["journal-full"] = 4
        status.journal.sensors = ["fridge": books]
        #expect(StatusText.lines(status.judged).contains("! fridge: 4 readings dropped: 4 journal-full"))
    }

    @Test("ended links are named as such, and are no lost readings")
    func disconnects() throws {
        let lines = StatusText.lines(status.judged)
        let header = try #require(lines.first { $0.hasPrefix("SENSOR") })
        #expect(header.contains("DISCONNECTS") && !header.contains("DROP"))
        #expect(!lines.contains { $0.hasPrefix("!") })
    }

    @Test("dropped readings are shown by sensor and reason, and so are missing values")
    func losses() {
        var status = status
        var entry = LedgerEntry()
        (entry.received, entry.missing, entry.dropped) = (20, 5, ["journal-age": 12, "refused": 1, "purged": 0])
        status.journal.sensors = ["fridge": entry, "door": LedgerEntry()]
        // Since the start of the gateway only two were missed.
        status.collector.sensors[0].gap = 2
        #expect(
            StatusText.lines(status.judged).filter { $0.hasPrefix("!") } == [
                "! fridge: 5 values never came, as it numbers them",
                "! fridge: 13 readings dropped: 12 journal-age, 1 refused",
            ])
    }

    private func value(_ characteristic: String, _ value: String, ageMs: Int64?) -> SensorStatus.Value {
        SensorStatus.Value(
            characteristic: characteristic, value: value, source: "notify", uptimeMs: 0, unixMs: nil, ageMs: ageMs,
            fields: Decoders.decoded(characteristic: characteristic, value: [UInt8](hexadecimal: value) ?? []))
    }

    @Test("a value has its age, and a much older value than the newest has its own age")
    func ages() throws {
        var status = status
        status.collector.sensors[0].values = [
            value("2a6e", "dc0a", ageMs: 2_400), value("2a19", "61", ageMs: 3 * 3_600_000),
        ]
        let lines = StatusText.lines(status.judged)
        let row = try #require(lines.first { $0.hasPrefix("fridge") })
        #expect(row.hasSuffix("27.8 °C, 97 % (3 h)   2 s"), "\(row)")
        #expect(
            lines.contains { $0.hasPrefix("door") && $0.split(separator: " ").suffix(2) == ["–", "–"] }, "\(lines)")
        #expect(
            [0, 119_999, 120_000, 7_200_000, 172_800_000].map(SensorTable.age) == [
                "0 s", "119 s", "2 min", "2 h", "2 d",
            ])
    }

    @Test("in JSON a value has its octets, its meaning, and its age")
    func json() throws {
        var status = status
        status.collector.sensors[0].values = [
            value("2a6e", "dc0a", ageMs: 7), value("2a37", "10500003", ageMs: 8), value("2a6e", "0080", ageMs: 9),
            value("fff1", "00", ageMs: nil),
        ]
        let text = String(decoding: try ControlCoding.encode(status.collector.sensors[0].values), as: UTF8.self)
        #expect(
            text == """
                [{"age_ms":7,"characteristic":"2a6e","fields":[{"quantity":"temperature","unit":"°C","value":27.8}],\
                "source":"notify","uptime_ms":0,"value":"dc0a"},{"age_ms":8,"characteristic":"2a37","fields":\
                [{"quantity":"heart_rate","unit":"bpm","value":80},{"quantity":"rr_interval","unit":"s","value":[0.75]}],\
                "source":"notify","uptime_ms":0,"value":"10500003"},{"age_ms":9,"characteristic":"2a6e","fields":[],\
                "source":"notify","uptime_ms":0,"value":"0080"},\
                {"characteristic":"fff1","source":"notify","uptime_ms":0,"value":"00"}]
                """)
        let copy = try ControlCoding.decode([SensorStatus.Value].self, from: Array(text.utf8))
        #expect(copy == status.collector.sensors[0].values)
    }

    @Test("an entry without a sensor has a row, and its criteria")
    func unseen() {
        var status = status
        var rule = SensorRule()
        (rule.id, rule.name) = ("cellar", "Frigde")
        let heard = AwaitedSensor.Heard(
            name: "Fridge\u{1B}[2J\u{202E}", address: "C4:7C:8D:00:11:01", rssi: -62, connectable: false,
            likeness: .service, ageMs: 1)
        status.collector.awaited = [AwaitedSensor(rule)]
        #expect(
            StatusText.lines(status.judged).contains { $0.hasPrefix("cellar  Frigde") && $0.contains("not seen yet") })
        let beginning = "! cellar: not seen yet; its entry asks for the name \"Frigde\". "
        #expect(
            StatusText.lines(status.judged).contains(
                beginning + "Nothing like it was heard lately: is it switched on and near?"))
        status.collector.awaited[0].nearest = [heard]
        let hint =
            "In the air: \"Fridge?[2J?\" (C4:7C:8D:00:11:01, -62 dBm, has the service, does not let itself be "
            + "connected to)"
        #expect(StatusText.lines(status.judged).contains(beginning + hint))
        // The head says why nothing is heard.
        status.controller.state = "hci0 is busy"
        #expect(!StatusText.lines(status.judged).contains { $0.hasPrefix("! cellar") })
    }

    @Test("the status shows why a sensor is not collected from, and the sensor's missing parts")
    func reasons() {
        var status = status
        status.collector.sensors[0].link = .waiting
        status.collector.sensors[0].lastFailure = "the sensor has no heart_rate (180D)"
        status.collector.sensors[1].missing = ["181A/2A6F is not there"]
        #expect(
            StatusText.lines(status.judged).filter { $0.hasPrefix("!") } == [
                "! door: not everything is there: 181A/2A6F is not there",
                "! fridge: the sensor has no heart_rate (180D); it is tried again",
            ])
        status.collector.sensors[0].trouble = "the sensor is paired, but not with its passkey"
        #expect(StatusText.lines(status.judged).contains("! fridge: the sensor is paired, but not with its passkey"))
    }

    @Test("a reason from a damaged file does nothing to the terminal")
    func hostileReasons() {
        var status = status
        status.journal.dropped = ["\u{1B}[2J": 3]
        #expect(!StatusText.lines(status.judged).joined().contains("\u{1B}"))
    }
}
