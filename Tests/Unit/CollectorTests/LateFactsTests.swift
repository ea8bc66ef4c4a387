// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Testing

@testable import Collector
@testable import GatewayBench

/// A collector that begins before the journal is open.
@Suite(.ownThread, .timeLimit(.minutes(10)))
struct LateFactsTests {
    @Test func `what earlier runs kept is used, and not written over, when the journal opens late`() async throws {
        var rule = PasskeyAttemptTests.rule(nil)
        rule.sequence = rule.subscribe.first.map { SensorRule.Sequence(feed: $0) }
        // The collector does not pair by itself before it knows whether the sensor has worked without a bond.
        rule.pair = true
        let facts = LateFacts()
        let scene = try CollectorScene(rule, passkey: nil, facts: facts)
        let works = await eventually { (scene.status?.readings ?? 0) > 2 }
        try #require(works, "\(scene.log)")
        // The collector has stored nothing yet: a new fact would replace an unknown old one.
        #expect(facts.kept.isEmpty, "\(facts.kept)")
        let known = UUID().uuidString
        facts.tell(["sequence:thermo": "7", "\(rule.key)#0": known])
        // The number is used once, and the sensor takes its place in the list.
        let isUsed = await eventually { facts.kept["sequence:thermo"]?.isEmpty == true }
        #expect(isUsed, "\(facts.kept)")
        func places() -> [String: String] { facts.kept.filter { $0.key.hasPrefix("\(rule.key)#") } }
        let hasPlace = await eventually {
            places().count == (rule.isSingle ? 1 : 2) && places().values.contains(known) != rule.isSingle
        }
        #expect(hasPlace, "\(places())")
    }

    @Test(arguments: [true, false])
    func `a sensor is not paired with by itself before it is known whether it has worked without`(worked: Bool)
        async throws
    {
        let facts = LateFacts()
        let scene = try CollectorScene(PasskeyAttemptTests.rule(nil), passkey: nil, facts: facts)
        func failures() -> Int { scene.log.components(separatedBy: "set-up failed").count - 1 }
        let isRefused = await eventually { failures() > 1 || !scene.controller.bonds.isEmpty }
        try #require(isRefused, "\(scene.log)")
        #expect(scene.controller.bonds.isEmpty && scene.sensor.ends.isEmpty && scene.status?.readings == 0)
        #expect(scene.status?.trouble?.contains("run martlet pair thermo") == true)
        facts.tell(worked ? ["unpaired:\(PairingSensor.address.compact)": "unpaired"] : [:])
        if worked {
            let before = failures()
            let isRefusedAgain = await eventually { failures() > before + 1 || !scene.controller.bonds.isEmpty }
            #expect(isRefusedAgain, "\(scene.log)")
            #expect(scene.controller.bonds.isEmpty && scene.sensor.ends.isEmpty)
        } else {
            let works = await eventually { (scene.status?.readings ?? 0) > 2 }
            #expect(works, "\(scene.log)")
            #expect(scene.controller.bonds.count == 1)
        }
    }

    @Test func `a sensor that gave values without a bond before the journal was open is remembered`() async throws {
        let rule = PasskeyAttemptTests.rule(nil)
        let facts = LateFacts()
        let scene = try CollectorScene(rule, passkey: nil, isPlain: true, facts: facts)
        let works = await eventually { (scene.status?.readings ?? 0) > 2 }
        try #require(works, "\(scene.log)")
        #expect(facts.kept.isEmpty)
        facts.tell([:])
        // The sensor's place is kept in the same turn.
        let isKept = await eventually { facts.kept.keys.contains { $0.hasPrefix(rule.key) } }
        try #require(isKept, "\(facts.kept)")
        #expect(await eventually { facts.kept["unpaired:\(PairingSensor.address.compact)"] == "unpaired" })
    }

    @Test func `a pairing by the operator ends the mark of a sensor that worked without`() async throws {
        let facts = LateFacts()
        let scene = try CollectorScene(PasskeyAttemptTests.rule(nil), passkey: nil, isPlain: true, facts: facts)
        let works = await eventually { (scene.status?.readings ?? 0) > 2 }
        try #require(works, "\(scene.log)")
        facts.tell([:])
        let mark = "unpaired:\(PairingSensor.address.compact)"
        let isMarked = await eventually { facts.kept[mark] == "unpaired" }
        try #require(isMarked, "\(scene.log)")
        let dialogue = PairingDialogue(passkey: nil)
        dialogue.listen { [weak dialogue] word, _ in
            if case .message(let message) = word, message.kind == .consent { dialogue?.answer(PairingReply("yes")) }
        }
        scene.collector.pair("thermo", dialogue)
        let isOver = await eventually { dialogue.isOver }
        try #require(isOver, "\(scene.log)")
        #expect(scene.controller.bonds.count == 1, "\(scene.log)")
        #expect(await eventually { facts.kept[mark] == "" }, "the next run may pair with the sensor by itself")
    }
}
