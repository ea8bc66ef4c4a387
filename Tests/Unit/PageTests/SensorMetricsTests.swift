// SPDX-License-Identifier: Apache-2.0

import Health
import Testing

@testable import Collector
@testable import Gateway
@testable import Metrics
@testable import Publisher
@testable import Readings

/// Series of sensors, with the labels that operators give.
struct SensorMetricsTests {
    private static func sensor(_ id: String, _ health: SensorState, _ fields: DecodedField...) -> SensorStatus {
        SensorStatus(
            id: id, name: nil, address: nil, identifier: "i", link: .listening, health: health, rssi: -60, readings: 5,
            drops: 0, reconnects: [:], lastDrop: nil, lastFailure: nil, missing: [],
            values: [
                .init(
                    characteristic: "bthome", value: "00", source: "advert", uptimeMs: 1, unixMs: nil, ageMs: 1,
                    fields: fields)
            ])
    }

    private static func status(site: String? = nil, _ sensors: [SensorStatus], _ rules: [SensorRule] = [])
        -> GatewayStatus
    {
        var collector = CollectorStatus()
        (collector.sensors, collector.awaited) = (sensors, rules.map { AwaitedSensor($0) })
        return GatewayStatus(
            gateway: "g", site: site, version: "1", uptimeS: 1, clock: "synced",
            controller: .init(name: "hci0", state: "powered on", counters: [:]), collector: collector,
            journal: JournalStatistics(path: "/j"), mqtt: PublisherStatistics(broker: "b:1"))
    }

    private static func lines(_ status: GatewayStatus, _ name: String) -> [String] {
        GatewayMetrics(status).text.split(separator: "\n").map(String.init).filter {
            $0.hasPrefix(name + "{") || $0.hasPrefix(name + " ")
        }
    }

    @Test func `a sensor that an entry names is missing for as long as it was not heard`() {
        var named = SensorRule()
        (named.id, named.facts.room) = ("cellar", "Cellar")
        var address = SensorRule()
        address.address = 0xC47C_8D00_1122
        var several = SensorRule()
        several.name = "Thermo*"
        let status = Self.status(
            [Self.sensor("a", .fresh), Self.sensor("b", .neverHeard)], [named, address, several])
        #expect(
            Self.lines(status, "martlet_device_missing") == [
                #"martlet_device_missing{device="a"} 0"#, #"martlet_device_missing{device="b"} 1"#,
                #"martlet_device_missing{device="cellar",room="Cellar"} 1"#,
                #"martlet_device_missing{device="c47c8d001122"} 1"#,
            ])
    }

    @Test func `batteries have a level, and are low as the account of health counts them`() {
        let status = Self.status([
            Self.sensor("a", .fresh, DecodedField(.int(.battery, 10))),
            Self.sensor("b", .fresh, DecodedField(.int(.battery, 11))),
            Self.sensor("c", .fresh, DecodedField(.binary(.batteryLow, true))), Self.sensor("d", .fresh),
        ])
        #expect(
            Self.lines(status, "martlet_device_battery_percent") == [
                #"martlet_device_battery_percent{device="a"} 10"#, #"martlet_device_battery_percent{device="b"} 11"#,
            ])
        let low = Self.lines(status, "martlet_device_battery_low")
        #expect(low.map { $0.suffix(1) } == ["1", "0", "1"])
        #expect(status.collector.sensors.filter { $0.lowBattery != nil }.map(\.id) == ["a", "c"])
    }

    @Test func `a problem of a sensor has a series while it is shown and nobody has acknowledged it`() {
        var silent = Self.sensor("a", .silent)
        silent.room = "Kitchen"
        var address = SensorRule()
        address.address = 0xC47C_8D00_1122
        var status = Self.status([silent, Self.sensor("b", .silent), Self.sensor("c", .fresh)], [address])
        status.journal.problem = "no room"
        var health = GatewayHealth(isPatient: false)
        _ = health.judge(&status, at: 0)
        let name = "martlet_device_problem"
        #expect(
            Set(Self.lines(status, name)) == [
                #"martlet_device_problem{device="a",room="Kitchen",code="sensor-silent"} 1"#,
                #"martlet_device_problem{device="b",code="sensor-silent"} 1"#,
                #"martlet_device_problem{device="c47c8d001122",code="sensor-awaited"} 1"#,
            ])
        for place in (status.problems ?? []).indices where status.problems?[place].sensor == "b" {
            status.problems?[place].severity = .notice
        }
        #expect(Self.lines(status, name).allSatisfy { !$0.contains(#"device="b""#) })
        #expect(Self.lines(status, name).count == 2)
        let maintenance = "martlet_device_maintenance"
        #expect(Self.lines(status, maintenance).isEmpty)
        status.problems = ["a", "gone"].map { Problem(Condition(.sensorMaintenance, $0), on: .package) }
        #expect(
            Self.lines(status, maintenance) == [
                #"martlet_device_maintenance{device="a",room="Kitchen"} 1"#,
                #"martlet_device_maintenance{device="gone"} 1"#,
            ])
        #expect(Self.lines(status, name).isEmpty)
        status.problems = []
        #expect(Self.lines(status, name).isEmpty)
        #expect(GatewayMetrics(status).text.contains("# TYPE martlet_device_problem gauge\n"))
    }

    @Test func `site and room are labels where they are given, and no labels where they are not`() {
        var sensor = Self.sensor("a", .fresh)
        sensor.room = "Kitchen"
        let text = GatewayMetrics(Self.status(site: "Hill \"7\"", [sensor])).text
        let samples = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(samples.allSatisfy { $0.contains(#"site="Hill \"7\"""#) })
        #expect(samples.filter { $0.contains("device=") }.allSatisfy { $0.contains(#"device="a",room="Kitchen""#) })
        let plain = GatewayMetrics(Self.status([Self.sensor("a", .fresh)])).text
        #expect(!plain.contains("site=") && !plain.contains("room="))
    }
}
