// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings
import Testing
import VirtualRadio

@testable import Collector
@testable import GatewayBench

/// Sensors that answer a written command.
@Suite("Commands", .serialized, .ownThread)
struct CommandTests {
    private static let address: UInt64 = 0xC0FF_EE00_0041

    private static func add(_ kind: VirtualSensor.Kind, to scene: ListeningScene) -> AirNodeID {
        scene.radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .random, value: address), name: "BM6", kind: kind, rate: 5,
                advertisingInterval: .milliseconds(30)))
    }

    /// A serial line, which sends each command back.
    private static func echoing(_ commands: [[UInt8]], every interval: Duration?) -> SensorRule {
        var rule = ListeningScene.rule("line", address: address)
        rule.subscribe = [SensorRule.Feed(service: UARTService.service, characteristic: UARTService.transmit)]
        let receive = SensorRule.Feed(service: UARTService.service, characteristic: UARTService.receive)
        rule.write = commands.map { SensorRule.Command(receive, $0) }
        rule.writeInterval = interval
        return rule
    }

    @Test("the commands of an entry follow its subscriptions, in their order, and again after each interval")
    func again() throws {
        let scene = try ListeningScene([Self.echoing([[1], [2, 3]], every: .seconds(1))])
        let sensor = Self.add(.uart, to: scene)
        let isRepeated = blockingEventually { scene.outcome.now.readings.count >= 6 }
        try #require(isRepeated, "\(scene.lines.text)")
        let values = scene.outcome.now.readings.map(\.value)
        for (index, value) in values.enumerated() { #expect(value == (index.isMultiple(of: 2) ? [1] : [2, 3])) }
        let counts = try #require(scene.status("line")?.commands)
        #expect(counts["refused"] == 0 && (counts["written"] ?? 0) >= 6, "\(counts)")
        #expect(scene.radio.violations(of: sensor).isEmpty)
        #expect(scene.status("line")?.missing.isEmpty == true)
    }

    @Test("without an interval the commands are written once a link, and again on the next link")
    func once() throws {
        let scene = try ListeningScene([Self.echoing([[7]], every: nil)])
        let sensor = Self.add(.uart, to: scene)
        let isAnswered = blockingEventually { scene.outcome.now.readings.count == 1 }
        try #require(isAnswered)
        scene.radio.simulateDisconnection(of: sensor)
        let isAnsweredAgain = blockingEventually { scene.outcome.now.readings.count == 2 }
        #expect(isAnsweredAgain)
        let isCounted = blockingEventually { scene.status("line")?.commands?["written"] == 2 }
        #expect(isCounted)
    }

    @Test("a battery monitor sends nothing before its command, and then values that its profile decodes")
    func batteryMonitor() throws {
        var rule = ListeningScene.rule("battery", address: Self.address)
        rule.subscribe = [
            SensorRule.Feed(service: BatteryMonitorService.service, characteristic: BatteryMonitorService.value)
        ]
        let scene = try ListeningScene([rule])
        let sensor = Self.add(.batteryMonitor, to: scene)
        let isCollecting = blockingEventually { scene.status("battery")?.link == .collecting }
        try #require(isCollecting)
        #expect(scene.radio.ledger(of: sensor)?.accepted == 0)
        #expect(scene.status("battery")?.commands == nil)
        (rule.subscribe, rule.profile) = ([], "bm6")
        scene.collector.apply([rule])
        let isAnswered = blockingEventually { scene.outcome.now.readings.count >= 4 }
        try #require(isAnswered, "\(scene.lines.text)")
        let fields = scene.outcome.now.readings.map {
            Decoders.decode(characteristic: $0.characteristic, value: $0.value)
        }
        // The first answer confirms the command.
        #expect(fields.first == .some([]))
        #expect(
            fields.dropFirst().first == [
                .int(.temperature, 20), .int(.battery, 50), .decimal(.voltage, 1200, places: 2), .int(.batteryLow, 0),
                .int(.charging, 0),
            ])
        #expect(scene.radio.violations(of: sensor).isEmpty)
    }

    @Test("a command without its characteristic is reported, and the values still come")
    func missing() throws {
        var rule = Self.echoing([[1]], every: .seconds(1))
        rule.subscribe = [SensorRule.Feed(service: 0x181A, characteristic: 0x2A6E)]
        let scene = try ListeningScene([rule])
        _ = Self.add(.environment, to: scene)
        let isCollecting = blockingEventually { scene.outcome.now.readings.count >= 3 }
        try #require(isCollecting)
        let status = try #require(scene.status("line"))
        let name = "\(SensorRule.Feed(service: UARTService.service, characteristic: UARTService.receive))"
        #expect(status.missing == ["\(name) is not there"])
        #expect(status.commands == ["written": 0, "refused": 0, "left-out": status.commands?["left-out"] ?? 0])
    }

    @Test("a characteristic that takes no writes refuses the command: counted, told once, and the values still come")
    func refused() throws {
        var rule = ListeningScene.rule("line", address: Self.address)
        let feed = SensorRule.Feed(service: 0x181A, characteristic: 0x2A6E)
        rule.subscribe = [feed]
        (rule.write, rule.writeInterval) = ([SensorRule.Command(feed, [1])], .seconds(1))
        let scene = try ListeningScene([rule])
        _ = Self.add(.environment, to: scene)
        let isRefused = blockingEventually { (scene.status("line")?.commands?["refused"] ?? 0) >= 2 }
        try #require(isRefused)
        #expect(scene.status("line")?.lastFailure?.contains("cannot be written") == true)
        #expect(scene.status("line")?.link == .collecting)
        #expect(scene.lines.all.count { $0.contains("a command was refused") } == 1)
    }
}
