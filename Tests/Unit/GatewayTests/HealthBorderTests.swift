// SPDX-License-Identifier: Apache-2.0

import Health
import Testing

@testable import Collector
@testable import Gateway
@testable import Publisher
@testable import Readings

@Suite("The borders of a gateway's own problems")
struct HealthBorderTests {
    private static func codes(_ status: GatewayStatus) -> [ProblemCode] { (status.problems ?? []).map(\.code) }

    @Test func `acknowledgements and writes are missing after a minute`() {
        var health = GatewayHealth(isPatient: false)
        var status = GatewayHealthTests.status { ($0.mqtt.inFlight, $0.journal.waiting) = (4, 9) }
        for second: Int64 in [0, 31, 60] {
            _ = health.judge(&status, at: second * 1_000)
            #expect(Self.codes(status).isEmpty, "after \(second) s")
        }
        _ = health.judge(&status, at: 60_001)
        #expect(Self.codes(status) == [.diskFails], "a disk that takes nothing is the cause")
        status.journal.waiting = 0
        _ = health.judge(&status, at: 60_002)
        #expect(Self.codes(status) == [.notAcknowledged])
    }

    @Test func `messages that wait since a lost connection have a minute from the new one on`() {
        var health = GatewayHealth(isPatient: false)
        var status = GatewayHealthTests.status { ($0.mqtt.inFlight, $0.mqtt.connected) = (4, false) }
        for minute: Int64 in 0...5 { _ = health.judge(&status, at: minute * 60_000) }
        status.mqtt.connected = true
        _ = health.judge(&status, at: 310_000)
        #expect(Self.codes(status).isEmpty)
        _ = health.judge(&status, at: 370_001)
        #expect(Self.codes(status) == [.notAcknowledged])
    }

    @Test(arguments: [(SensorStatus.Link.listening, false), (.collecting, true)])
    func `packets that are missed on the air are no loss, values of a link are`(link: SensorStatus.Link, isLoss: Bool) {
        var health = GatewayHealth(isPatient: false)
        var status = GatewayHealthTests.status {
            ($0.journal.sensors, $0.collector.sensors[0].link) = ([:], link)
            $0.collector.sensors[0].gap = 0
        }
        _ = health.judge(&status, at: 0)
        status.collector.sensors[0].gap = 3
        _ = health.judge(&status, at: 1_000)
        #expect(Self.codes(status) == (isLoss ? [.valuesMissing] : []))
    }

    @Test func `a link that failed is no problem of a sensor that another gateway has`() {
        func look(_ state: SensorState) -> [ProblemCode] {
            let status = GatewayHealthTests.status {
                ($0.collector.sensors[0].link, $0.collector.sensors[0].health) = (.waiting, state)
                $0.collector.sensors[0].lastFailure = "no answer"
            }
            return Self.codes(status.judged)
        }
        #expect(look(.elsewhere).isEmpty && look(.late) == [.sensorFails])
    }

    @Test func `a silence began with the sensor's last value, and its known problem is a notice for each reader`() {
        var health = GatewayHealth(isPatient: false)
        var status = GatewayHealthTests.status {
            ($0.collector.sensors[0].health, $0.collector.sensors[0].healthAgeMs) = (.silent, 61_000)
        }
        _ = health.judge(&status, at: 100_000)
        #expect(status.problems?.map(\.ageMs) == [61_000])
        #expect(health.word.acknowledge(ProblemName(.sensorSilent, sensor: "s1"), until: nil) == true)
        _ = health.judge(&status, at: 101_000)
        #expect(health.news.problems.map(\.severity) == [.notice] && health.news.problems == status.problems)
    }
}
