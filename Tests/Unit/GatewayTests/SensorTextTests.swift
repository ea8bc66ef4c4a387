// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
@testable import Health
import Testing

@testable import Collector
@testable import Gateway
@testable import Publisher
@testable import Readings
@testable import martlet

@Suite("One sensor in words")
struct SensorTextTests {
    /// 2026-11-23 13:05:33 UTC.
    private static let time: Int64 = 1_795_439_133_000

    private static func status() -> GatewayStatus {
        GatewayHealthTests.status(sensors: 3) {
            for index in $0.collector.sensors.indices {
                $0.collector.sensors[index].name = index < 2 ? "Fridge" : "Door\u{1B}[2J"
                $0.collector.sensors[index].address = "C4:7C:8D:00:11:0\(index + 1)"
            }
            $0.collector.sensors[0].family = "ruuvi"
            $0.collector.sensors[0].values = [
                .init(
                    characteristic: "2a6e", value: "dc0a", source: "notify", uptimeMs: 1_000, unixMs: time,
                    ageMs: 2_000,
                    fields: [DecodedField(quantity: "temperature", value: .number(27.8), unit: "°C")])
            ]
            var rule = SensorRule()
            (rule.id, rule.name, rule.facts.label) = ("cellar", "Cellar", "In the deep cellar")
            $0.collector.awaited = [AwaitedSensor(rule)]
        }
    }

    @Test func `a sensor is found by each of its names, an entry by its own, and a doubt is told`() throws {
        let collector = Self.status().collector
        for name in ["s3", "C4:7C:8D:00:11:03", "c4:7c:8d:00:11:03"] {
            guard case .sensor(let sensor) = try collector.named(name) else { return #expect(Bool(false), "\(name)") }
            #expect(sensor.id == "s3")
        }
        guard case .awaited(let entry) = try collector.named("Cellar") else { return #expect(Bool(false)) }
        #expect(entry.entry == "cellar")
        let twins = #expect(throws: DeviceName.Unclear.self) { _ = try collector.named("Fridge") }
        #expect(twins?.description == "\"Fridge\" may be s1 or s2: say which.")
        let unknown = #expect(throws: DeviceName.Unclear.self) { _ = try collector.named("attic") }
        #expect(unknown?.description == "no device is called \"attic\"")
        let slips = [
            ("s33", "\"s3\""), ("celar", "\"cellar\""), ("C4:7C:8D:00:21:03", "C4:7C:8D:00:11:03"),
        ]
        for (name, meant) in slips {
            let unknown = #expect(throws: DeviceName.Unclear.self) { _ = try collector.named(name) }
            #expect(unknown?.description == "no device is called \"\(name)\" – did you mean \(meant)?")
        }
    }

    @Test func `all that is known of it is shown, with its problems, and times have their zone`() throws {
        let status = Self.status()
        let problems = [("s1", "no value for 5 min"), ("s2", "another sensor")].map { sensor, text in
            Problem(
                code: .sensorSilent, severity: .warning, part: "sensors", sensor: sensor, title: sensor, text: text,
                remedy: nil, ageMs: 0)
        }
        let zone = try #require(TimeZone(secondsFromGMT: 5_400))
        let lines = SensorText.lines(.sensor(status.collector.sensors[0]), problems: problems, zone: zone)
        #expect(lines.contains("temperature   27.8 °C (2 s ago, 2026-11-23T14:35:33+01:30)"), "\(lines)")
        #expect(lines.contains("family        ruuvi") && !lines.contains { $0.hasPrefix("disconnects") })
        #expect(lines.filter { $0.hasPrefix("!") } == ["! s1: no value for 5 min"])
        let door = SensorText.lines(.sensor(status.collector.sensors[2]), problems: [], columns: 40, zone: .gmt)
        #expect(!door.joined().contains("\u{1B}") && door.allSatisfy { Text.width($0) <= 40 })
        let awaited = SensorText.lines(.awaited(status.collector.awaited[0]), problems: [], zone: .gmt)
        #expect(Array(awaited.prefix(2)) == ["entry         cellar", "label         In the deep cellar"])
    }

    @Test func `completion offers the ids of sensors and entries, and no text that a shell would take apart`() {
        var status = Self.status()
        status.collector.sensors[1].id = "a;rm -rf"
        #expect(SensorCompletion.ids(status) == ["s1", "s3", "cellar"])
        status.problems = [("s3", "sensors"), ("a;rm", "sensors"), (nil, "disk"), ("s3", "sensors")].map {
            sensor, part in
            Problem(
                code: .sensorSilent, severity: .warning, part: part, sensor: sensor, title: "", text: "", remedy: nil,
                ageMs: 0)
        }
        #expect(SensorCompletion.problems(status) == ["disk", "s3"])
    }

    @Test(arguments: [
        (0, "UTC", "2026-11-23T13:05:33Z"), (3_600, "UTC+01:00", "2026-11-23T14:05:33+01:00"),
        (-12_600, "UTC-03:30", "2026-11-23T09:35:33-03:30"),
    ])
    func `a time says which zone it has`(_ seconds: Int, _ offset: String, _ text: String) throws {
        let zone = try #require(TimeZone(secondsFromGMT: seconds))
        #expect(ZonedTime.offset(of: zone, at: Date(timeIntervalSince1970: 1_795_439_133)) == offset)
        #expect(ZonedTime.text(Self.time, zone) == text)
    }

    @Test func `colour goes by the first sign of a line, and only where it is wanted`() {
        let lines = ["! fridge: silent", "  more", "✓ clock", "SENSOR  NAME", "✗ broker"]
        #expect(Paint.lines(lines, isWanted: false) == lines)
        let painted = Paint.lines(lines, isWanted: true)
        #expect(painted[0] == "\u{1B}[33m! fridge: silent\u{1B}[0m" && painted[1] == "  more")
        #expect(painted.map { $0.hasPrefix("\u{1B}[") } == [true, false, true, true, true])
    }
}

@Suite("New readings from one status to the next")
struct ReadingWatchTests {
    private func sensor(_ id: String, readings: Int, _ times: Int64...) -> SensorStatus {
        SensorStatus(
            id: id, name: nil, address: nil, identifier: "i", link: .listening, rssi: -60, readings: readings, drops: 0,
            reconnects: [:], lastDrop: nil, lastFailure: nil, missing: [],
            values: times.enumerated().map { index, time in
                .init(
                    characteristic: "2a6\(index)", value: "dc0a", source: "notify", uptimeMs: time, unixMs: nil,
                    ageMs: 0)
            })
    }

    @Test func `each reading comes once, in the order of time, and those between are counted`() {
        var watch = ReadingWatch()
        let first = watch.news(in: [sensor("a", readings: 9, 30, 10), sensor("b", readings: 1, 20)])
        #expect(first.map(\.value.uptimeMs) == [10, 20, 30])
        let second = watch.news(in: [sensor("a", readings: 9, 30, 10), sensor("b", readings: 1, 20)])
        #expect(second.isEmpty)
        let news = watch.news(in: [sensor("a", readings: 13, 50, 10), sensor("b", readings: 2, 40)])
        #expect(news.map(\.sensor) == ["b", "a"] && news.map(\.skipped) == [nil, 3])
        #expect(WatchCommand.line(news[1], zone: .gmt).hasSuffix("(and 3 before it)"))
    }

    @Test func `a gateway that was restarted counts from the beginning`() {
        var watch = ReadingWatch()
        _ = watch.news(in: [sensor("a", readings: 500, 30)])
        let news = watch.news(in: [sensor("a", readings: 1, 40)])
        #expect(news.count == 1 && news[0].skipped == nil)
        let last = watch.news(in: [sensor("a", readings: .min, 50)])
        #expect(last.count == 1)
    }
}
