// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import HCI
import Testing
import VirtualRadio

@testable import Collector
@testable import GatewayBench

/// A collector's answers about its sensors.
@Suite(.ownThread, .timeLimit(.minutes(10)))
struct WhyTests {
    @Test func `a sensor that drops its link is told of with who ended it, why, and what to do`() async throws {
        let scene = try WhyScene([WhyScene.rule("counter", name: "Counter")])
        let id = scene.add("Counter", at: 1, strength: -91)
        let working = try #require(await scene.why("counter") { $0.lastValueAgeMs != nil }, "\(scene.log)")
        #expect(
            working.state == .link(.collecting)
                && working.answer.hasPrefix("The gateway collects from the sensor; the last value came")
        )
        #expect(working.advice == nil && working.ends.isEmpty)
        #expect(working.events.map(\.kind) == [.heard, .connecting, .connected, .collecting])
        #expect(working.events.allSatisfy { $0.unixMs != nil })
        let link = try #require(working.link)
        // Out of range first, so that the sensor stays away.
        scene.radio.simulateOutOfRange(id)
        scene.radio.simulateDisconnection(of: id, reason: .connectionTimeout)
        let lost = try #require(await scene.why("counter") { $0.state == .link(.connecting) }, "\(scene.log)")
        #expect(lost.answer.contains("0x08 Connection Timeout – the radio lost the link"), "\(lost.answer)")
        #expect(lost.answer.hasPrefix("The sensor is not connected: last heard"), "\(lost.answer)")
        #expect(lost.advice?.hasPrefix("The signal was weak (-") == true, "\(lost.advice ?? "")")
        #expect(lost.ends == [.init(reason: .connectionTimeout, count: 1)])
        let end = try #require(lost.events.last { $0.kind == .linkEnded })
        #expect(end.link == link && end.endedBy == .radio && end.lastedMs != nil)
        #expect((-95 ... -87).contains(end.rssi ?? 0), "\(end)")
        // Back in range, and this time the sensor ends the link.
        scene.radio.simulateInRange(id)
        _ = try #require(
            await scene.why("counter") { $0.state == .link(.collecting) && $0.link != link }, "\(scene.log)")
        scene.radio.simulateDisconnection(of: id, reason: .remoteUserTerminated)
        let again = try #require(await scene.why("counter") { $0.ends.count == 2 && $0.state == .link(.collecting) })
        #expect(again.answer.contains("0x13 Remote User Terminated Connection – the sensor ended"), "\(again.answer)")
        #expect(again.events.last { $0.kind == .linkEnded }?.endedBy == .peer)
    }

    @Test func `the lines of host and collector about the end of a link carry the same number`() async throws {
        let scene = try WhyScene([WhyScene.rule("counter", name: "Counter")])
        let id = scene.add("Counter", at: 1)
        let working = try #require(await scene.why("counter") { $0.lastValueAgeMs != nil }, "\(scene.log)")
        let link = try #require(working.link)
        scene.radio.simulateDisconnection(of: id, reason: .connectionTimeout)
        _ = try #require(await scene.why("counter") { !$0.ends.isEmpty })
        let told = try #require(scene.lines.all.first { $0.hasPrefix("link ended ") })
        #expect(told.contains(" sensor=counter") && told.contains(" peer=00:C0:00:00:00:01 "), "\(told)")
        #expect(told.contains(" link=\(link) ") && told.contains(" ended.by=radio "), "\(told)")
        #expect(told.contains(" reason=0x08 Connection Timeout "), "\(told)")
        #expect(scene.lines.all.count { $0.hasPrefix("link ended ") && $0.contains("link=\(link) ") } == 1)
    }

    @Test func `a link that the gateway ends says why, also when the entry goes; the history can still be asked for`()
        async throws
    {
        let scene = try WhyScene([WhyScene.rule("counter", name: "Counter")])
        _ = scene.add("Counter", at: 1)
        _ = try #require(await scene.why("counter") { $0.lastValueAgeMs != nil }, "\(scene.log)")
        scene.collector.apply([])
        let removed = try #require(await scene.why("counter") { $0.state == .removed }, "\(scene.log)")
        #expect(removed.answer.hasSuffix(" ago: no entry accepts the sensor any more."), "\(removed.answer)")
        #expect(removed.address == "00:C0:00:00:00:01" && removed.advice?.contains("[[sensor]]") == true)
        let end = try #require(removed.events.last { $0.kind == .linkEnded })
        #expect(end.endedBy == .gateway && end.reason == .localHostTerminated)
        #expect(end.detail == "no entry accepts the sensor any more")
        // The sensor's history continues after its return.
        scene.collector.apply([WhyScene.rule("counter", name: "Counter")])
        let back = try #require(await scene.why("counter") { $0.state == .link(.collecting) }, "\(scene.log)")
        #expect(back.events.contains { $0.kind == .removed } && back.events.last?.kind == .collecting)
    }

    @Test func `a sensor that lacks what its entry asks for is told of with what it has, and when the next try comes`()
        async throws
    {
        var rule = WhyScene.rule("counter", name: "Counter")
        rule.subscribe = [
            .init(service: BluetoothUUID(0x180D as UInt16), characteristic: BluetoothUUID(0x2A37 as UInt16))
        ]
        let scene = try WhyScene([rule])
        _ = scene.add("Counter", at: 1)
        let failing = try #require(await scene.why("counter") { $0.nextTryMs != nil }, "\(scene.log)")
        #expect(failing.state == .link(.waiting))
        #expect(
            failing.answer.hasPrefix(
                "The gateway collects nothing from the sensor: the sensor has no heart_rate (180D); it has"))
        #expect(failing.answer.contains("; the next try is in"), "\(failing.answer)")
        #expect(failing.advice?.hasPrefix("Compare the entry with the services") == true)
        let kinds = failing.events.map(\.kind)
        #expect(kinds.contains(.setUpFailed) && kinds.contains(.waiting))
        let repeated = try #require(await scene.why("counter") { $0.events.contains { $0.count > 1 } })
        #expect(repeated.events.count <= 16, "tries are counted, not listed: \(repeated.events.map(\.kind))")
    }

    @Test func `a sensor that stays connected and says nothing is silent, until values come again`() async throws {
        var limits = SilenceLimits()
        (limits.least, limits.factor) = (300, 2)
        let scene = try CollectorScene(PasskeyAttemptTests.rule(nil), passkey: nil, silenceLimits: limits)
        func why() async -> SensorExplanation? {
            try? await scene.collector.explain("thermo", within: hangLimit)?.get()
        }
        func when(_ condition: (SensorExplanation) -> Bool) async -> SensorExplanation? {
            await firstAnswer(where: condition) { await why() }
        }
        _ = try #require(await when { $0.usualMs != nil }, "\(scene.log)")
        scene.sensor.pause(true)
        let silent = try #require(await when { $0.answer.contains("silent") }, "\(scene.log)")
        #expect(
            silent.answer.hasPrefix("The sensor is connected, but silent: no value has come for"),
            "\(silent.answer)")
        #expect(silent.answer.contains("though values usually come every"), "\(silent.answer)")
        #expect(silent.advice?.contains("The link stands") == true)
        #expect(silent.events.last?.kind == .silent && silent.events.last?.usualMs != nil)
        scene.sensor.pause(false)
        let speaking = try #require(await when { $0.events.last?.kind == .speaking }, "\(scene.log)")
        #expect(
            speaking.answer.hasPrefix("The gateway collects from the sensor; the last value came"),
            "\(speaking.answer)")
        #expect(scene.log.contains("no values ") && scene.log.contains("values again "), "\(scene.log)")
    }

    @Test func `sensors are looked at without anybody who asks: silence is told, and the signal measured`() async throws
    {
        var limits = SilenceLimits()
        (limits.least, limits.factor) = (200, 2)
        let scene = try CollectorScene(PasskeyAttemptTests.rule(nil), passkey: nil, silenceLimits: limits)
        let collects = await eventually { (scene.status?.readings ?? 0) > 5 }
        try #require(collects, "\(scene.log)")
        let collector = scene.collector
        // The timer's action.
        func look() -> LinkedSensor? {
            collector.queue.sync {
                collector.lookForSilence()
                return collector.linked.values.first
            }
        }
        #expect(collector.queue.sync { collector.rounds.deadline } != nil, "the timer is set")
        let isMeasured = await eventually { look()?.record.rssi != nil }
        #expect(isMeasured)
        scene.sensor.pause(true)
        let isTold = await eventually {
            _ = look()
            return scene.log.contains("no values ")
        }
        #expect(isTold, "\(scene.log)")
    }

    @Test func `a sensor that refuses pairing is told of with the command that helps`() async throws {
        let scene = try CollectorScene(PasskeyAttemptTests.rule(nil), passkey: "019655")
        let isTold = await eventually { scene.status?.trouble != nil && scene.status?.link == .waiting }
        try #require(isTold, "\(scene.log)")
        let answer = try #require(try await scene.collector.explain("thermo", within: hangLimit)?.get())
        #expect(answer.events.contains { $0.kind == .pairing })
        #expect(answer.events.contains { $0.kind == .pairingFailed && $0.detail != nil }, "\(answer.events)")
        #expect(answer.advice?.hasPrefix("Pairing failed: ") == true, "\(answer.advice ?? "none")")
        #expect(!scene.log.contains("019655"))
    }

    @Test func `what nobody collects from is told of, too: awaited, not accepted, or misspelt`() async throws {
        let scene = try WhyScene([
            WhyScene.rule("fridge", name: "Frigde"), WhyScene.rule("counter", name: "Counter"),
        ])
        _ = scene.add("Fridge", at: 1)
        _ = scene.add("Counter", at: 2)
        let awaited = try #require(
            await scene.why("fridge") { $0.awaited?.nearest.contains { $0.name == "Fridge" } == true }, "\(scene.log)")
        #expect(awaited.state == .awaited && awaited.sensor == "fridge")
        let wants = "its entry asks for the name \"Frigde\"."
        #expect(awaited.answer == "The sensor has not been seen since the gateway started; " + wants)
        #expect(awaited.advice?.contains("\"Fridge\" (00:C0:00:00:00:01, -") == true, "\(awaited.advice ?? "")")
        let stranger = try #require(await scene.why("00:C0:00:00:00:01"))
        #expect(stranger.state == .notAccepted && stranger.rssi != nil)
        #expect(stranger.advice == "To collect from the device: martlet accept 00:C0:00:00:00:01.")
        _ = try #require(await scene.why("counter") { $0.state == .link(.collecting) }, "\(scene.log)")
        #expect(await scene.why("Counter")?.sensor == "counter", "by its name")
        #expect(await scene.why("00:c0:00:00:00:02")?.sensor == "counter", "by its address")
        let misspelt = await scene.answer("cuonter")
        #expect(misspelt == .failure(.init(description: "no sensor is called \"cuonter\" – did you mean \"counter\"?")))
        let digits = await scene.answer("00:C0:00:00:00:A2")
        let near = "no sensor is called \"00:C0:00:00:00:A2\" – did you mean 00:C0:00:00:00:02?"
        #expect(digits == .failure(.init(description: near)))
        guard case .failure(let unknown) = await scene.answer("\u{1B}[2J" + String(repeating: "x", count: 5_000)) else {
            Issue.record("an unknown name has an answer")
            return
        }
        #expect(unknown.description.contains("and no [[sensor]] entry has this name"))
        #expect(!unknown.description.contains("\u{1B}") && unknown.description.utf8.count < 300)
    }

    @Test(arguments: [true, false])
    func `a hundred devices that come and go each leave a bounded history, whether they work or not`(work: Bool)
        async throws
    {
        var rule = WhyScene.rule(nil, name: "Counter *")
        if !work {
            rule.subscribe = [
                .init(service: BluetoothUUID(0x180D as UInt16), characteristic: BluetoothUUID(0x2A37 as UInt16))
            ]
        }
        let scene = try WhyScene([rule])
        // Each goes after a few values, again and again.
        for place in 0..<100 { _ = scene.add("Counter \(place)", at: UInt64(place), dropEvery: 2) }
        let isBusy = await eventually {
            scene.collector.status.sensors.filter { work ? $0.drops > 2 : $0.lastFailure != nil }.count > 10
        }
        try #require(isBusy, "\(scene.collector.status.sensors.map(\.drops))")
        let limit = work ? SensorEvents.limit(sensors: 100) : SensorLife.candidateEvents
        for sensor in scene.collector.status.sensors {
            guard let answer = await scene.why(sensor.id) else { continue }
            #expect(answer.events.count <= limit, "\(answer.events.map(\.kind))")
            #expect(answer.events.filter { $0.kind == .linkEnded }.allSatisfy { $0.endedBy != nil })
        }
        let (departed, events) = scene.collector.queue.sync {
            (scene.collector.departed.all.count, scene.collector.linked.values.map(\.events.all.count).reduce(0, +))
        }
        #expect(departed <= DepartedSensors.maximum)
        #expect(events <= SensorEvents.total)
    }
}
