// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Health
import Journal
import Limits
import Logging
import Synchronization
import Testing

@testable import Collector
@testable import Gateway
@testable import GatewayBench
@testable import Platform
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

    @Test func `a copied gateway has a problem until an operator has told it apart`() {
        let problem = Self.status { $0.copiedFrom = "gw-a" }.judged.problems?.first
        #expect(problem?.code == .gatewayCopied && problem?.text.hasPrefix("gw-a was copied to this machine") == true)
        for verb in ["--same-gateway", "--new-gateway", "restart"] {
            #expect(problem?.remedy?.contains(verb) == true, "\(verb)")
        }
    }

    @Test func `news about a problem that an operator knows of are notices`() {
        var health = GatewayHealth(isPatient: false)
        var down = Self.status { $0.mqtt.connected = false }
        let shown = health.judge(&down, at: 0)
        #expect(shown.map(\.problem.severity) == [.failure] && shown.first?.problem.logLevel == .error)
        #expect(health.word.acknowledge(ProblemName(.brokerUnreachable), until: nil) == true)
        var up = Self.status()
        #expect(health.judge(&up, at: 1_000).map(\.problem.severity) == [.notice])
        #expect(health.judge(&down, at: 2_000).map(\.problem.severity) == [.notice])
        #expect(health.news.events.map(\.problem.severity) == [.failure, .notice, .notice])
    }

    @Test func `a silent sensor is a problem in status, with its usual interval`() {
        let silent = Self.status {
            ($0.collector.sensors[0].health, $0.collector.sensors[0].usualMs) = (.silent, 1_000)
        }
        let lines = StatusText.lines(silent.judged)
        #expect(
            lines.contains("! s1: Silent: no value comes, though one usually comes every 1 s. Run martlet why s1"),
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
        // Their states are told half a minute later.
        let early = Self.status(sensors: 35) { $0.controller.state = "hci0 is gone" }
        for status in [dead, early] {
            let line = StatusLine.text(status.judged)
            #expect(line.hasPrefix("radio: hci0: hci0 is gone; no values come from the 35 sensors"), "\(line)")
        }
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

    /// Free octets, and the problems.
    private static let rooms: [(UInt64, [ProblemCode])] = [
        (0, [.diskFull]), (1_048_575, [.diskFull]), (1_048_576, [.diskLow]), (209_715_200, []),
    ]

    @Test(arguments: rooms)
    func `a disk without a MiB is full before the first write fails`(free: UInt64, found: [ProblemCode]) {
        let status = Self.status {
            $0.system = SystemStatus(disk: .init(freeBytes: free, totalBytes: 1 << 30))
            $0.journal.notice = free < 1 << 20 ? "5 MiB free" : nil
        }
        #expect(codes(status) == found)
        let problem = status.judged.problems?.first
        if free < 1 << 20 { #expect(problem?.text == "less than 1 MiB of 1024 MiB is free: new readings may be lost") }
    }

    @Test func `a full disk asks for room once`() {
        let full = Self.status { ($0.journal.problem, $0.journal.isFull) = ("\(JournalError.full(path: "/j"))", true) }
        let problem = full.judged.problems?.first
        let words = "\(problem?.text ?? "") \(problem?.remedy ?? "")".lowercased()
        #expect(words.ranges(of: "room").count == 1, "\(words)")
    }

    /// The problems after some minutes in which nothing has an effect.
    private func codes(
        minutes: Int64, _ change: (inout GatewayStatus, _ minute: Int64) -> Void
    ) -> [ProblemCode] {
        var health = GatewayHealth(isPatient: false)
        var status = Self.status()
        for minute in 0...minutes {
            change(&status, minute)
            _ = health.judge(&status, at: minute * 60_000)
        }
        return (status.problems ?? []).map(\.code)
    }

    @Test func `messages without any acknowledgement are a failure, from the first minute of a run on`() {
        #expect(codes(minutes: 2) { status, _ in status.mqtt.inFlight = 4 } == [.notAcknowledged])
        // One lane brings the proof for the connection.
        let some = codes(minutes: 5) { status, minute in
            (status.mqtt.inFlight, status.mqtt.acknowledged) = (4, Int(minute))
        }
        #expect(some.isEmpty)
        #expect(codes(minutes: 5) { status, _ in status.mqtt.inFlight = 0 }.isEmpty)
        let away = codes(minutes: 5) { status, _ in (status.mqtt.inFlight, status.mqtt.connected) = (4, false) }
        #expect(away == [.brokerUnreachable])
    }

    @Test func `readings that wait for a disk which takes none are a failure, though the disk reports no error`() {
        #expect(codes(minutes: 2) { status, _ in status.journal.waiting = 9 } == [.diskFails])
        let slow = codes(minutes: 5) { status, minute in
            (status.journal.waiting, status.journal.committed) = (9, numericCast(minute))
        }
        #expect(slow.isEmpty)
    }

    @Test func `a radio that listens and hears nobody is a problem after ten minutes`() {
        func heard(_ count: UInt64, minutes: Int64) -> [ProblemCode] {
            codes(minutes: minutes) { status, minute in
                (status.collector.scanning, status.uptimeS) = (true, Int(minute) * 60)
                status.controller.counters = ["advertising_reports": minute < 2 ? count : count &+ 1]
            }
        }
        #expect(heard(0, minutes: 9).isEmpty)
        #expect(heard(5, minutes: 12).isEmpty)
        #expect(heard(5, minutes: 13) == [.radioSilent])
        let still = codes(minutes: 30) { status, minute in status.uptimeS = Int(minute) * 60 }
        #expect(still.isEmpty, "a radio that need not listen hears nobody")
    }

    @Test func `a radio that hears nobody is the problem, and no sensor is`() throws {
        var health = GatewayHealth(isPatient: false)
        var status = Self.status { status in
            status.collector.sensors[0].health = .unknown
            status.collector.unheardMs = 25_000
            status.controller.health = RadioHealth()
        }
        _ = health.judge(&status, at: 100_000)
        #expect(status.problems?.map(\.code) == [.radioSilent])
        let problem = try #require(status.problems?.first)
        #expect(problem.ageMs == 25_000 && problem.text == "the gateway listens, and has heard no device for 25 s")
        // Values come on links, and the scan brings nothing.
        status.controller.counters["notifications"] = 7
        status.collector.unheardMs = 30_000
        _ = health.judge(&status, at: 105_000)
        #expect(status.problems?.map(\.text) == ["the scan has heard no device for 30 s; links work"])
        // The radio has found its fault, or works again.
        status.controller.health?.trouble = "nothing was heard in 60 s of scanning"
        _ = health.judge(&status, at: 110_000)
        #expect(status.problems?.map(\.code) == [.radioTrouble])
        status.controller.health?.trouble = nil
        (status.collector.unheardMs, status.collector.sensors[0].health) = (nil, .fresh)
        _ = health.judge(&status, at: 115_000)
        #expect(status.problems?.isEmpty == true)
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

    @Test func `the light follows the account: the first failure, the last one, and the word of an operator`() {
        let keeper = HealthKeeper(on: .package, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let shown = Mutex<[Bool]>([])
        keeper.onFailure { hasFailure in shown.withLock { $0.append(hasFailure) } }
        let full = Self.status { ($0.journal.problem, $0.journal.isFull) = ("no room", true) }
        let warned = Self.status { $0.journal.notice = "5 MiB free" }
        _ = keeper.judge(Self.status(), at: 0)
        _ = keeper.judge(warned, at: 1_000)
        #expect(shown.withLock { $0 }.isEmpty)
        for second: Int64 in 2...5 { _ = keeper.judge(full, at: second * 1_000) }
        #expect(shown.withLock { $0 } == [true])
        _ = keeper.change { $0.acknowledge(ProblemName(.diskFull), until: nil) }
        _ = keeper.judge(full, at: 6_000)
        #expect(shown.withLock { $0 } == [true, false])
        _ = keeper.change { $0.withdraw(ProblemName(.diskFull)) }
        _ = keeper.judge(full, at: 7_000)
        for second: Int64 in 8...400 { _ = keeper.judge(Self.status(), at: second * 1_000) }
        #expect(shown.withLock { $0 } == [true, false, true, false])
    }

    @Test func `the log tells the problems that the collector does not tell, once each`() {
        let lines = LogLines()
        let keeper = HealthKeeper(on: .package, logger: lines.logger)
        let bad = Self.status { status in
            status.journal.notice = "5 MiB free"
            status.collector.sensors[0].health = .silent
            status.limits = [
                LimitStatus(
                    sensor: "s1", quantity: "temperature", side: .above, limit: 8, isCrossed: true, value: 8.5)
            ]
        }
        for second: Int64 in 0...3 { _ = keeper.judge(bad, at: second * 1_000) }
        #expect(
            lines.text.split(separator: "\n").map(String.init).sorted() == [
                "warning a problem cause=5 MiB free problem.code=disk-low",
                "warning a problem cause=Temperature went above 8 °C: 8.5 °C problem.code=limit-above sensor=s1",
            ], "\(lines.text)")
        lines.clear()
        for second: Int64 in 4...900 { _ = keeper.judge(Self.status(), at: second * 1_000) }
        #expect(lines.all.count == 2 && lines.all.allSatisfy { $0.hasPrefix("a problem is over") }, "\(lines.text)")
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
