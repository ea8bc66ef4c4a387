// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Readings
import Testing
import VirtualRadio

@testable import Collector
@testable import GatewayBench

@Suite("Sensors that share few links by turns")
struct SlotTests {
    private static var limits: SlotLimits {
        var limits = SlotLimits()
        (limits.shortestTurn, limits.longestTurn, limits.patience) = (300, 3_000, 3_000)
        return limits
    }

    private static func rule(_ number: Int) -> SensorRule {
        var rule = ListeningScene.rule("s\(number)", address: 0xC000_0000_0000 + UInt64(number))
        rule.subscribe = [.init(service: CounterService.service, characteristic: CounterService.value)]
        return rule
    }

    /// `sensors` counters, each with its own rule, on a controller with room for `links`.
    private static func scene(
        sensors: Int, links: Int, slotLimits: SlotLimits = limits, change: (inout SensorRule) -> Void = { _ in }
    ) throws -> ListeningScene {
        let rules = (1...sensors).map { number in
            var rule = rule(number)
            change(&rule)
            return rule
        }
        let scene = try ListeningScene(
            rules, slotLimits: slotLimits, settings: ControllerSettings(maximumLinks: links))
        for number in 1...sensors { _ = add(number, to: scene) }
        return scene
    }

    private static func add(_ number: Int, to scene: ListeningScene) -> AirNodeID {
        scene.radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .random, value: 0xC000_0000_0000 + UInt64(number)), name: "S\(number)",
                kind: .counter, rate: 20, advertisingInterval: .milliseconds(number.isMultiple(of: 3) ? 200 : 30)))
    }

    private static func count(_ scene: ListeningScene) -> [String: Int] {
        scene.outcome.now.readings.reduce(into: [:]) { $0[$1.device, default: 0] += 1 }
    }

    @Test func `twelve sensors on three links all bring values, again and again, and nobody calls that a drop`()
        async throws
    {
        let scene = try Self.scene(sensors: 12, links: 3)
        let all = await eventually { Self.count(scene).count == 12 }
        try #require(all, "\(Self.count(scene)) \(scene.status("s1")?.link as Any)")
        let before = Self.count(scene)
        let again = await eventually {
            let now = Self.count(scene)
            return before.allSatisfy { now[$0.key, default: 0] > $0.value + 1 }
        }
        #expect(again)
        let haveTurns = await eventually {
            scene.collector.status.sensors.allSatisfy { ($0.turnMs ?? 0) > 0 }
        }
        #expect(haveTurns)
        let status = scene.collector.status
        let online = Dictionary(uniqueKeysWithValues: (1...12).map { ("s\($0)", true) })
        #expect(scene.outcome.now.online == online)
        #expect(status.shortage == SlotShortage(sensors: 12, links: 3))
        #expect(status.sensors.allSatisfy { $0.drops == 0 && $0.lastFailure == nil }, "\(status.sensors)")
        #expect(status.sensors.allSatisfy { $0.health.isPresent })
        let warnings = scene.lines.text.components(separatedBy: "more sensors want a link than the controller bears")
        #expect(warnings.count == 2, "said once")
        let violations = scene.radio.controllerStates().flatMap(\.violations)
        #expect(violations.isEmpty)
    }

    @Test func `what is wanted and not met is said, with what to do`() async throws {
        let scene = try Self.scene(sensors: 6, links: 1) { $0.valueInterval = .seconds(1) }
        let answer = try await firstAnswer(
            where: { $0.answer.contains("the entry wants a value every 1 s, and a value ") },
            { try await scene.collector.explain("s2", within: hangLimit)?.get() })
        let told = try #require(answer)
        #expect(told.answer.contains("the entry wants a value every 1 s, and a value comes every "), "\(told.answer)")
        #expect(told.advice?.contains("another adapter or a second gateway") == true)
        #expect(scene.status("s2")?.wantedMs == 1_000)
    }

    @Test func `one that is away takes nothing from the others for long, and is collected from once it is there`()
        async throws
    {
        let rules = (1...5).map(Self.rule)
        let scene = try ListeningScene(rules, slotLimits: Self.limits, settings: ControllerSettings(maximumLinks: 2))
        let nodes = (1...4).map { Self.add($0, to: scene) }
        let four = await eventually { Self.count(scene).count == 4 }
        try #require(four)
        let before = Self.count(scene)
        let again = await eventually { before.allSatisfy { Self.count(scene)[$0.key, default: 0] > $0.value + 1 } }
        #expect(again && nodes.count == 4)
        _ = Self.add(5, to: scene)
        let fifth = await eventually { Self.count(scene)["s5"] != nil }
        #expect(fifth)
    }

    @Test func `one that says nothing has its time, and no more`() async throws {
        let scene = try ListeningScene(
            (1...3).map(Self.rule), slotLimits: Self.limits, settings: ControllerSettings(maximumLinks: 1))
        _ = scene.radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .random, value: 0xC000_0000_0001), name: "S1", kind: .counter, rate: 0.001,
                advertisingInterval: .milliseconds(30)))
        for number in 2...3 { _ = Self.add(number, to: scene) }
        let others = await eventually { Self.count(scene).count == 2 && scene.status("s1")?.turnMs != nil }
        #expect(others, "\(Self.count(scene))")
        let before = Self.count(scene)
        let again = await eventually { before.allSatisfy { Self.count(scene)[$0.key, default: 0] > $0.value + 1 } }
        #expect(again)
        #expect(scene.status("s1")?.drops == 0)
    }

    @Test func `a poll takes one link of those that are held, and the shortage is said once`()
        async throws
    {
        let scene = try Self.scene(sensors: 4, links: 3) { rule in
            guard rule.id == "s4" else { return }
            (rule.read, rule.subscribe) = (rule.subscribe, [])
            (rule.readInterval, rule.linkUse) = (.seconds(2), .close)
        }
        let all = await eventually { Self.count(scene).count == 4 }
        try #require(all, "\(Self.count(scene))")
        let first = Self.count(scene)["s4", default: 0]
        let (ends, polls) = (scene.controller.statistics.disconnections, 5)
        let polled = await eventually { Self.count(scene)["s4", default: 0] >= first + polls }
        try #require(polled)
        let ended = scene.controller.statistics.disconnections - ends
        // One reading may be under way at each end, and on a busy machine more readings have come than the test awaited.
        let done = Self.count(scene)["s4", default: 0] - first
        #expect(ended <= 2 * UInt64(done) + 2)
        #expect(scene.collector.status.shortage == SlotShortage(sensors: 4, links: 3))
        let warnings = scene.lines.text.components(separatedBy: "more sensors want a link than the controller bears")
        #expect(warnings.count == 2, "said once")
    }

    @Test func `a link that is free again ends the shortage`() async throws {
        let scene = try Self.scene(sensors: 3, links: 2)
        let isShort = await eventually { scene.collector.status.shortage != nil }
        try #require(isShort)
        scene.collector.apply([Self.rule(1), Self.rule(2)])
        let isOver = await eventually {
            let status = scene.collector.status
            return status.shortage == nil && status.sensors.count == 2
                && status.sensors.allSatisfy { $0.link == .collecting && $0.turnMs == nil }
        }
        #expect(isOver, "\(scene.collector.status)")
        #expect(scene.lines.text.contains("there are links for all sensors again"))
    }

    @Test func `new rules look for their sensors at once, though one that is known is away`() async throws {
        let scene = try ListeningScene([Self.rule(1)])
        let away = Self.add(1, to: scene)
        let collects = await eventually { (Self.count(scene)["s1"] ?? 0) > 2 }
        try #require(collects)
        scene.radio.simulateOutOfRange(away)
        let isGone = await eventually { scene.status("s1")?.link == .connecting }
        try #require(isGone)
        scene.collector.apply([Self.rule(1), Self.rule(2)])
        let (isHeld, isScanning) = scene.collector.queue.sync {
            (scene.collector.scan.isHeld, scene.collector.scan.isRunning)
        }
        #expect(!isHeld && isScanning)
    }

    @Test func `a link that is wanted seldom is made slower, and the sensor's radio is on for less`() async throws {
        let scene = try ListeningScene([
            {
                var rule = Self.rule(1)
                rule.valueInterval = .seconds(30)
                return rule
            }()
        ])
        _ = Self.add(1, to: scene)
        let collects = await eventually { (Self.count(scene)["s1"] ?? 0) > 2 }
        try #require(collects)
        // The timer's action, after the sensor's time for its own request.
        let isSlower = await eventually {
            scene.collector.queue.sync { scene.collector.lookForSilence() }
            return scene.collector.queue.sync {
                scene.collector.linked.values.contains { $0.hasLink && !$0.record.mayBeSlower(than: .zero, at: .max) }
            }
        }
        #expect(isSlower)
        let atFirst = try #require(scene.status("s1")?.radioSecondsDay)
        #expect(atFirst > 0)
        let isLess = await eventually {
            scene.collector.queue.sync { scene.collector.lookForSilence() }
            return scene.status("s1")?.radioSecondsDay.map { $0 < atFirst - 50 } ?? false
        }
        #expect(isLess, "\(atFirst): \(scene.status("s1")?.radioSecondsDay as Any)")
    }
}
