// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Health
import Publisher
import Readings
import Testing

@testable import Collector
@testable import Doctor
@testable import Gateway
@testable import Platform

/// A running gateway's report has priority over the machine's appearance.
@Suite("Faults of a running gateway")
struct RunningGatewayTests {
    private func running(_ change: (inout GatewayStatus) -> Void = { _ in }) -> Doctor.Running {
        var mqtt = PublisherStatistics(broker: "a:1883")
        mqtt.connected = true
        var status = GatewayStatus(
            gateway: "g", version: "1", uptimeS: 1, clock: "synced",
            controller: .init(name: "hci0", state: "powered on", counters: [:]), collector: CollectorStatus(),
            journal: JournalStatistics(path: "/j"), mqtt: mqtt)
        change(&status)
        var health = GatewayHealth(isPatient: false)
        _ = health.judge(&status, at: 0)
        return .answers(status)
    }

    private func clock(_ state: String, unixMs: Int64?) -> ClockStatus {
        ClockStatus(
            state: state, source: nil, unixMs: unixMs, errorMs: nil, offsetMs: nil, ageS: 60, boot: "b", uptimeMs: 1,
            systemUnixMs: 0, kernelSynchronized: false, kernelErrorMs: 0, leapSecond: .none, steps: 0, lastStepMs: nil)
    }

    @Test func `the time is as the gateway knows it, whatever the kernel says of its clock`() throws {
        let tree = try Tree()
        tree.surroundings.isClockSynchronized = { false }
        func finding(_ clock: ClockStatus) -> Finding? {
            tree.doctor(running: running { ($0.time, $0.clock) = (clock, clock.state) }).clock().first
        }
        let known = finding(clock("synced", unixMs: 1_800_000_000_000))
        #expect(known?.verdict == .fine && known?.found.contains("2027-01-15") == true, "\(String(describing: known))")
        #expect(finding(clock("holdover", unixMs: 1_800_000_000_000))?.verdict == .note)
        let unknown = finding(clock("unsynced", unixMs: nil))
        #expect(unknown?.verdict == .failure && unknown?.remedy?.contains("martlet clock set --now") == true)
    }

    @Test func `what the account says of a part is the verdict on that part, and no other`() throws {
        let tree = try Tree()
        try tree.write("/var/lib/martlet/journal.db", "SQLite format 3\u{0}")
        tree.surroundings.disk = { _ in (5 << 20, 1 << 33) }
        #expect(
            tree.doctor(running: running()).disk().map(\.verdict) == [.note, .fine],
            "the gateway has another disk, or room enough")
        let low = running { $0.journal.notice = "5 MiB free" }
        #expect(tree.doctor(running: low).disk().map(\.verdict) == [.warning, .note])
        let late = running { $0.late = ["the journal does not answer"] }
        #expect(tree.doctor(running: late).service().prefix(2).map(\.verdict) == [.fine, .failure])
    }

    @Test func `a problem that an operator knows of is a note, and the gateway is healthy`() throws {
        let tree = try Tree()
        guard case .answers(var status) = running({ $0.controller.state = "hci0 is gone" }) else { return }
        status.problems?[0].severity = .notice
        let radio = tree.doctor(running: .answers(status)).radio()
        #expect(radio.map(\.verdict) == [.note] && Diagnosis(version: "1", findings: radio).isHealthy)
    }

    @Test func `no values come from a controller that does not work, whatever the states of sensors still are`() throws
    {
        let tree = try Tree()
        func sensors(_ state: String) -> Finding? {
            let status = running { status in
                status.controller.state = state
                status.collector.sensors = ["fridge", "attic"].map {
                    SensorStatus(
                        id: $0, name: nil, address: nil, identifier: "i", link: .listening, health: .fresh, rssi: nil,
                        readings: 5, drops: 0, reconnects: [:], lastDrop: nil, lastFailure: nil, missing: [], values: []
                    )
                }
            }
            return tree.doctor(running: status).sensors().first
        }
        #expect(sensors("powered on")?.found == "values come from 2 of 2")
        let dead = sensors("hci0 is gone")
        #expect(
            dead?.found == "no values come: not from fridge, attic" && dead?.verdict == .note,
            "\(String(describing: dead))")
    }

    @Test func `the adapter of a running gateway is as bad as the account says`() throws {
        let tree = try Tree()
        guard case .answers(var status) = running({ $0.controller.state = "hci0 is gone" }) else { return }
        func finding() -> Finding { tree.doctor(running: .answers(status)).controller(of: status) }
        let down = finding()
        #expect(down.verdict == .failure && down.found == "hci0: hci0 is gone", "\(down)")
        #expect(down.remedy?.hasPrefix("Stop the gateway and ask again") == true)
        for place in (status.problems ?? []).indices { status.problems?[place].severity = .notice }
        let checks = tree.doctor(running: .answers(status))
        #expect(checks.adapter().map(\.verdict) == [.note] && checks.radio().map(\.verdict) == [.note])
        // The account shows a dead controller after 10 s.
        status.problems = []
        #expect(finding().verdict == .note && finding().found == "hci0: hci0 is gone")
        status.controller.state = "powered on"
        #expect(finding().verdict == .fine && finding().found == "hci0 works for the gateway")
    }

    @Test func `a controller in trouble is a failure, as in the account`() throws {
        let tree = try Tree()
        let doctor = tree.doctor(
            running: running {
                var health = RadioHealth()
                health.trouble = "hears nothing"
                $0.controller.health = health
            })
        #expect(doctor.adapter().map(\.verdict) == [.failure] && doctor.radio().map(\.verdict) == [.failure])
        #expect(doctor.adapter().first?.found == "hears nothing")
    }

    @Test func `memory that grows is warned of, with how much in how long`() throws {
        let tree = try Tree()
        func finding(_ memory: MemoryStatus?) -> Finding? {
            tree.doctor(running: running { $0.system = SystemStatus(memory: memory) }).machine().dropFirst().first
        }
        #expect(finding(nil) == nil)
        var memory = MemoryStatus(
            residentBytes: 90 << 20, ownBytes: 7 << 20 + 600 << 10, hourlyLows: [1 << 20, 7 << 20])
        #expect(finding(memory)?.verdict == .fine)
        #expect(finding(memory)?.found == "the gateway has 7.5 MiB of memory for itself")
        memory.isGrowing = true
        #expect(finding(memory)?.verdict == .warning)
        #expect(finding(memory)?.found == "the gateway's own memory grows: from 1.0 MiB to 7.0 MiB in 1 hours")
        #expect(finding(memory)?.remedy?.contains("martlet support-bundle") == true)
    }

    @Test func `a broker's address is said once, with what to do`() throws {
        let tree = try Tree()
        func finding(_ error: String?) -> Finding? {
            tree.doctor(
                running: running { ($0.mqtt.connected, $0.mqtt.lastError) = (false, error) }
            ).broker().first
        }
        let refused = finding("a:1883: connection refused")
        #expect(refused?.verdict == .failure && refused?.found == "a:1883: connection refused")
        #expect(refused?.remedy?.hasSuffix("mosquitto_sub -h a -p 1883 -t '$SYS/#' -C 1 -v") == true)
        #expect(finding("the broker refuses the connection")?.found == "a:1883: the broker refuses the connection")
        #expect(finding(nil)?.found == "a:1883: not connected yet")
    }

    @Test func `each sensor that sends no values is named`() throws {
        let tree = try Tree()
        func sensor(_ id: String, _ health: SensorState) -> SensorStatus {
            SensorStatus(
                id: id, name: nil, address: nil, identifier: "i", link: .listening, health: health, rssi: nil,
                readings: 0, drops: 0, reconnects: [:], lastDrop: nil, lastFailure: nil, missing: [], values: [])
        }
        var rule = SensorRule()
        (rule.id, rule.name) = ("cellar", "Cellar")
        let found = tree.doctor(
            running: running {
                $0.collector.sensors = [sensor("a", .fresh), sensor("b", .silent), sensor("c", .silent)]
                $0.collector.awaited = [AwaitedSensor(rule)]
            }
        ).sensors().first
        #expect(found?.found == "values come from 1 of 4; not from b, c, cellar")
        #expect(found?.remedy == "Why not from the others: martlet why b")
    }

    @Test func `a sensor without values that an operator knows of is a note`() throws {
        let tree = try Tree()
        func sensor(_ id: String, _ health: SensorState) -> SensorStatus {
            SensorStatus(
                id: id, name: nil, address: nil, identifier: "i", link: .listening, health: health, rssi: nil,
                readings: 5, drops: 0, reconnects: [:], lastDrop: nil, lastFailure: nil, missing: [], values: [])
        }
        guard
            case .answers(var status) = running({
                $0.collector.sensors = [sensor("a", .fresh), sensor("b", .silent), sensor("c", .silent)]
            })
        else { return }
        func acknowledge(_ id: String) {
            for place in (status.problems ?? []).indices where status.problems?[place].sensor == id {
                status.problems?[place].severity = .notice
            }
        }
        acknowledge("b")
        let half = tree.doctor(running: .answers(status)).sensors()
        #expect(half.count { $0.verdict == .warning } == 2, "\(half)")
        #expect(half.first?.verdict == .warning && half.first?.remedy?.hasSuffix("martlet why c") == true)
        acknowledge("c")
        let all = tree.doctor(running: .answers(status)).sensors()
        #expect(all.map(\.verdict) == [.note, .note, .note], "\(all)")
        #expect(all.first?.found == "values come from 1 of 3; not from b, c")
    }

    @Test func `certificates of a running gateway are as its account has them, an operator's word included`() throws {
        let tree = try Tree()
        try tree.write("/ca.pem", "no certificate")
        let text = "[mqtt]\nhost = \"a\"\n[mqtt.tls]\nenabled = true\nca_file = \"/ca.pem\"\n"
        func verdicts(_ running: Doctor.Running) -> [Finding.Verdict] {
            tree.doctor(text, running: running).certificates().map(\.verdict)
        }
        let ended = CertificateStatus(key: "mqtt.tls.ca_file", file: "/ca.pem")
        let known = running {
            $0.time = clock("synced", unixMs: 1_800_000_000_000)
            $0.system = SystemStatus(certificates: [ended])
        }
        #expect(verdicts(known) == [.failure])
        guard case .answers(var status) = known else { return }
        for place in (status.problems ?? []).indices { status.problems?[place].severity = .notice }
        #expect(verdicts(.answers(status)) == [.note])
        #expect(verdicts(running { _ in }) == [.note], "the gateway has not looked yet")
        #expect(verdicts(.silent("no gateway")) == [.failure])
    }

    @Test func `history that is paused while readings wait is not proved by the live lane`() throws {
        let tree = try Tree()
        func finding(_ mode: String, buffered: Int) -> Finding? {
            tree.doctor(
                running: running {
                    ($0.mqtt.acknowledged, $0.mqtt.liveAcknowledged, $0.mqtt.historyMode) = (2, 2, mode)
                    $0.journal.buffered = buffered
                }
            ).broker().first
        }
        let paused = finding("paused", buffered: 812)
        #expect(paused?.verdict == .warning, "\(String(describing: paused))")
        #expect(paused?.found == "history is paused, and 812 readings wait")
        #expect(paused?.remedy == "martlet buffer resume")
        #expect(finding("paused", buffered: 1)?.found.hasSuffix("1 reading waits") == true)
        #expect(finding("paused", buffered: 0)?.verdict == .fine)
        #expect(finding("normal", buffered: 812)?.verdict == .fine)
        #expect(finding("draining", buffered: 812)?.verdict == .fine)
    }

    @Test func `a switch that blocks another adapter is no failure`() throws {
        let tree = try Tree()
        for (name, value) in [("type", "bluetooth"), ("soft", "1"), ("hard", "0")] {
            try tree.write("/sys/class/rfkill/rfkill0/\(name)", value + "\n")
        }
        #expect(tree.doctor(running: running()).switches().map(\.verdict) == [.note])
        let isBlocked = running { $0.controller.state = "hci0 is blocked by rfkill" }
        #expect(tree.doctor(running: isBlocked).switches().map(\.verdict) == [.failure])
        let other = "[bluetooth]\ncontroller = \"tcp:127.0.0.1:1\"\n[[sensor]]\nname = \"a\"\n"
        #expect(tree.doctor(other).switches().map(\.verdict) == [.note])
    }

    @Test(
        "a service that has not started is a failure where no gateway runs",
        arguments: [
            ("inactive", Finding.Verdict.note, Finding.Verdict.failure), ("activating", .warning, .warning),
        ])
    func service(state: String, beside: Finding.Verdict, alone: Finding.Verdict) throws {
        let tree = try Tree()
        let text = "LoadState=loaded\nActiveState=\(state)\nSubState=start\nUnitFileState=enabled\n"
        tree.surroundings.unit = { _ in Systemd.parse(text) }
        #expect(tree.doctor(running: running()).service().dropFirst().map(\.verdict) == [beside])
        #expect(tree.doctor().service().dropFirst().map(\.verdict) == [alone])
    }

    @Test func `a broker that refuses each reading keeps the gateway from its work`() throws {
        let tree = try Tree()
        let refused = tree.doctor(
            running: running { status in
                status.mqtt.refusedSensors = 1
                status.mqtt.lastError = "readings of t refused: not authorized"
            }
        ).broker()
        #expect(refused.map(\.verdict) == [.failure] && refused[0].found.contains("not authorized"), "\(refused)")
        #expect(refused[0].remedy?.contains("access list") == true)
    }

    @Test func `a sensor that is silent brings no values, and a radio that is dead is a failure`() throws {
        let tree = try Tree()
        func sensor(_ health: SensorState) -> SensorStatus {
            SensorStatus(
                id: "cold", name: nil, address: nil, identifier: "i", link: .listening, health: health, rssi: nil,
                readings: 5,
                drops: 0, reconnects: [:], lastDrop: nil, lastFailure: nil, missing: [], values: [])
        }
        let fresh = tree.doctor(running: running { $0.collector.sensors = [sensor(.fresh)] }).sensors()
        #expect(fresh.map(\.verdict) == [.fine] && fresh[0].found == "values come from 1 of 1")
        let silent = tree.doctor(running: running { $0.collector.sensors = [sensor(.silent)] }).sensors()
        #expect(silent.map(\.verdict) == [.warning, .warning], "\(silent)")
        #expect(silent.first?.found == "no values come: not from cold")
        let dead = tree.doctor(
            running: running { status in
                status.collector.sensors = [sensor(.unknown)]
                status.controller.state = "hci0 is gone"
            })
        #expect(dead.sensors().map(\.found) == ["no values come: not from cold"])
        #expect(dead.radio().map(\.verdict) == [.failure])
    }

    @Test func `what works is proved by its effect`() throws {
        let tree = try Tree()
        try tree.write("/var/lib/martlet/journal.db", "SQLite format 3\u{0}")
        tree.surroundings.disk = { _ in (1 << 32, 1 << 33) }
        let doctor = tree.doctor(
            running: running { status in
                (status.mqtt.acknowledged, status.mqtt.liveAcknowledged) = (2, 1)
                status.controller.counters = ["advertising_reports": 4]
            })
        #expect(doctor.broker().first?.found.contains("live less than 1 s ago, history less than 1 s ago") == true)
        #expect(doctor.radio().first?.found == "something was heard less than 1 s ago")
        let idle = tree.doctor(running: running())
        #expect(idle.broker().first?.found.contains("no reading was acknowledged since") == true)
        #expect(idle.radio().map(\.verdict) == [.note])
        let disk = idle.disk().first
        #expect(disk?.verdict == .note && disk?.found.contains("no reading was written since") == true)
    }

    @Test func `what has no effect for long is no fine part`() throws {
        let tree = try Tree()
        try tree.write("/var/lib/martlet/journal.db", "SQLite format 3\u{0}")
        tree.surroundings.disk = { _ in (1 << 32, 1 << 33) }
        func doctor(_ change: @escaping (inout GatewayStatus) -> Void) -> Doctor {
            guard case .answers(var status) = running(change) else { return tree.doctor() }
            var health = GatewayHealth(isPatient: false)
            for minute: Int64 in 0...20 { _ = health.judge(&status, at: minute * 60_000) }
            return tree.doctor(running: .answers(status))
        }
        let deaf = doctor { ($0.collector.scanning, $0.uptimeS) = (true, 1_200) }
        #expect(deaf.radio().map(\.verdict) == [.warning], "\(deaf.radio())")
        let stuck = doctor { $0.mqtt.inFlight = 3 }
        #expect(stuck.broker().map(\.verdict) == [.failure], "\(stuck.broker())")
        let slow = doctor { $0.journal.waiting = 3 }
        #expect(slow.disk().first?.verdict == .failure, "\(slow.disk())")
    }
}
