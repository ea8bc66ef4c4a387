// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Health
import Testing

@testable import Collector
@testable import Gateway
@testable import Publisher
@testable import Readings
@testable import martlet

extension GatewayStatus {
    /// The status with all present problems, without any delay.
    var judged: GatewayStatus {
        var status = self
        var health = GatewayHealth(isPatient: false)
        _ = health.judge(&status, at: 0)
        return status
    }
}

@Suite("A gateway's own problems")
struct GatewayHealthTests {
    @Test func `another gateway of the same name is a failure, with and without a connection`() {
        for connected in [true, false] {
            let status = Self.status {
                $0.mqtt.connected = connected
                $0.mqtt.namesake = true
            }.judged
            let problem = status.problems?.first { $0.code == .nameTaken }
            #expect(problem?.severity == .failure && problem?.text.contains("two gateways are called g,") == true)
            #expect(problem?.remedy?.contains("martlet identity --new-gateway") == true)
        }
        #expect(Self.status().judged.problems?.contains { $0.code == .nameTaken } != true)
    }

    static func status(sensors: Int = 2, _ change: (inout GatewayStatus) -> Void = { _ in }) -> GatewayStatus {
        var mqtt = PublisherStatistics(broker: "b:1883")
        mqtt.connected = true
        var collector = CollectorStatus()
        collector.sensors = (1...sensors).map {
            SensorStatus(
                id: "s\($0)", name: nil, address: nil, identifier: "i", link: .listening, health: .fresh, rssi: nil,
                readings: 5, drops: 0, reconnects: [:], lastDrop: nil, lastFailure: nil, missing: [], values: [])
        }
        var status = GatewayStatus(
            gateway: "g", version: "1", uptimeS: 1, clock: "synced",
            controller: .init(name: "hci0", state: "powered on", counters: [:]), collector: collector,
            journal: JournalStatistics(path: "/j"), mqtt: mqtt)
        change(&status)
        return status
    }

    private func codes(_ status: GatewayStatus) -> [ProblemCode] { (status.judged.problems ?? []).map(\.code) }

    @Test func `a gateway that works has no problem`() { #expect(codes(Self.status()).isEmpty) }

    @Test func `a silent sensor is a problem in status, with its usual interval`() {
        let silent = Self.status {
            ($0.collector.sensors[0].health, $0.collector.sensors[0].usualMs) = (.silent, 1_000)
        }
        let lines = StatusText.lines(silent.judged)
        #expect(
            lines.contains("! s1: silent: no value comes, though one usually comes every 1 s. Run martlet why s1"),
            "\(lines)")
        #expect(lines.contains { $0.hasPrefix("s1 ") && $0.contains("listening, silent") }, "\(lines)")
        #expect(StatusLine.text(silent.judged).hasPrefix("collecting from 1 of 2 sensors"))
    }

    @Test func `a dead radio is one problem, and no sensor brings values`() {
        let dead = Self.status(sensors: 35) { status in
            status.controller.state = "hci0 is gone"
            for place in status.collector.sensors.indices { status.collector.sensors[place].health = .unknown }
        }
        #expect(codes(dead) == [.radioDown])
        #expect(StatusLine.text(dead.judged).hasPrefix("radio: hci0: hci0 is gone; collecting from 0 of 35 sensors"))
    }

    @Test func `a full disk is one problem, and nobody says that readings are kept`() {
        let full = Self.status(sensors: 35) { status in
            (status.journal.problem, status.journal.isFull) = ("no room", true)
            (status.mqtt.connected, status.mqtt.lastError) = (false, "refused")
            var entry = LedgerEntry()
            entry.dropped = ["memory-full": 3]
            status.journal.sensors = Dictionary(uniqueKeysWithValues: (1...35).map { ("s\($0)", entry) })
        }
        #expect(codes(full) == [.diskFull, .brokerUnreachable])
        #expect(full.judged.problems?.allSatisfy { $0.remedy?.contains("wait in the journal") != true } == true)
    }

    @Test func `readings that the broker refuses keep the gateway from its work`() {
        let refused = Self.status { status in
            status.mqtt.refusedSensors = 2
            status.mqtt.lastError = "readings of s1 refused: not authorized"
        }
        #expect(codes(refused) == [.brokerRefusesReadings])
        #expect(refused.judged.failures.count == 1)
        let complaint = Self.status { $0.mqtt.lastError = "a/b refused: not authorized" }
        #expect(codes(complaint) == [.brokerComplains] && complaint.judged.failures.isEmpty)
    }

    @Test(arguments: [
        (Field(.battery, .int(10)), true), (Field(.battery, .int(11)), false), (Field(.batteryLow, .int(1)), true),
        (Field(.batteryLow, .int(0)), false), (Field(.battery, .int(-1)), false),
    ])
    func `a low battery is a problem`(field: Field, isLow: Bool) {
        let status = Self.status { status in
            status.collector.sensors[0].values = [
                .init(
                    characteristic: "fcd2", value: "", source: "advert", uptimeMs: 0, unixMs: nil, ageMs: 0,
                    fields: [DecodedField(field)])
            ]
        }
        #expect(codes(status) == (isLow ? [.sensorBatteryLow] : []))
    }

    @Test func `an acknowledged failure fails nothing, and a line without a mark tells of it`() {
        var health = GatewayHealth(isPatient: false)
        var status = Self.status { ($0.journal.problem, $0.journal.isFull) = ("no room", true) }
        _ = health.judge(&status, at: 0)
        #expect(status.failures.count == 1)
        #expect(health.word.acknowledge(ProblemName(.diskFull), until: 60_000) == true)
        _ = health.judge(&status, at: 1)
        #expect(status.failures.isEmpty && status.openProblems.isEmpty && status.problems?.count == 1)
        #expect(StatusText.lines(status).contains { $0.hasPrefix("· disk: ") })
        #expect(!StatusText.lines(status).contains { $0.hasPrefix("! ") })
        #expect(!StatusLine.text(status).contains("disk"))
    }

    @Test func `losses of former runs are no news, and one of this run is a problem`() {
        var health = GatewayHealth()
        var entry = LedgerEntry()
        entry.dropped = ["journal-full": 3, "purged": 1]
        func look(at now: Int64) -> [ProblemCode] {
            var status = Self.status { $0.journal.sensors = ["s1": entry] }
            _ = health.judge(&status, at: now)
            return (status.problems ?? []).map(\.code)
        }
        #expect(look(at: 0).isEmpty)
        entry.dropped["purged"] = 7
        #expect(look(at: 1_000).isEmpty, "somebody has wished it so")
        entry.dropped["journal-full"] = 4
        #expect(look(at: 2_000) == [.readingsDropped])
        #expect(look(at: 3_000) == [.readingsDropped])
        #expect(look(at: 3_600_000) == [.readingsDropped], "for an hour")
        #expect(look(at: 3_603_000).isEmpty)
    }

    @Test func `effects are proved by counts that grow`() {
        var watch = EffectWatch()
        var status = Self.status { $0.journal.committed = 70 }
        #expect(watch.look(status, at: 0) == GatewayProofs(), "of a former run")
        status.journal.committed = 71
        (status.mqtt.acknowledged, status.mqtt.liveAcknowledged) = (3, 2)
        status.controller.counters = ["notifications": 1]
        let proofs = watch.look(status, at: 5_000)
        #expect(
            proofs.liveAckAgeMs == 0 && proofs.historyAckAgeMs == 0 && proofs.heardAgeMs == 0
                && proofs.writtenAgeMs == 0)
        status.mqtt.acknowledged = 4
        let later = watch.look(status, at: 9_000)
        #expect(later.liveAckAgeMs == 4_000 && later.historyAckAgeMs == 0 && later.heardAgeMs == 4_000)
    }
}
