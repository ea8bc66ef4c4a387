// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Testing

@testable import Collector
@testable import GatewayBench

/// The fate of bonds which the collector made without an operator's request.
@Suite(.ownThread, .timeLimit(.minutes(10)))
struct CandidateBondTests {
    @Test func `the bond of a candidate that never worked goes with it`() async throws {
        var rule = PasskeyAttemptTests.rule("019655")
        // The sensor has a temperature, and no humidity.
        rule.subscribe = [
            SensorRule.Feed(service: BluetoothUUID(0x181A as UInt16), characteristic: BluetoothUUID(0x2A6F as UInt16))
        ]
        let scene = try CollectorScene(rule, passkey: "019655")
        let hasFailed = await eventually { scene.status?.lastFailure?.contains("is not there") == true }
        try #require(hasFailed, "\(scene.log)")
        #expect(scene.controller.bonds.count == 1)
        scene.collector.apply([])
        let isForgotten = await eventually { scene.controller.bonds.isEmpty }
        #expect(isForgotten, "\(scene.log)")
        #expect(scene.log.contains("bond without a value forgotten"), "\(scene.log)")
    }

    @Test func `the bond of a sensor that has worked outlives its rule`() async throws {
        let scene = try CollectorScene(PasskeyAttemptTests.rule("019655"), passkey: "019655")
        let works = await eventually { (scene.status?.readings ?? 0) > 2 }
        try #require(works, "\(scene.log)")
        scene.collector.apply([])
        let isGone = await eventually { scene.collector.status.sensors.isEmpty }
        try #require(isGone, "\(scene.log)")
        #expect(scene.controller.bonds.map(\.isAuthenticated) == [true])
        #expect(!scene.log.contains("bond without a value forgotten"))
    }

    @Test func `a bond without the passkey of the entry is not enough, and nobody pairs anew by himself`() async throws
    {
        let scene = try CollectorScene(PasskeyAttemptTests.rule(nil), passkey: nil)
        let works = await eventually { (scene.status?.readings ?? 0) > 2 }
        try #require(works, "\(scene.log)")
        #expect(scene.controller.bonds.map(\.isAuthenticated) == [false])
        scene.collector.apply([PasskeyAttemptTests.rule("019655")])
        let isRefused = await eventually {
            scene.status?.lastFailure == "the sensor is paired, but not with its passkey"
        }
        try #require(isRefused, "\(scene.log)")
        #expect(
            scene.status?.trouble
                == "the sensor is paired, but not with its passkey: run martlet unpair thermo, then "
                + "martlet pair thermo")
        let readings = scene.status?.readings
        // On the next link neither.
        let failures = { scene.log.components(separatedBy: "set-up failed").count }
        let before = failures()
        let isRefusedAgain = await eventually { failures() > before }
        #expect(isRefusedAgain, "\(scene.log)")
        #expect(scene.status?.readings == readings)
        #expect(scene.sensor.ends.count == 1)
    }

    @Test func `what is kept of another bond says nothing of the one there is`() async throws {
        var rule = PasskeyAttemptTests.rule(nil)
        rule.pair = true
        let facts = LateFacts()
        let scene = try CollectorScene(rule, passkey: nil, facts: facts)
        let works = await eventually { (scene.status?.readings ?? 0) > 2 }
        try #require(works, "\(scene.log)")
        let bond = scene.controller.bonds.map(\.identifier)
        #expect(bond.count == 1)
        let address = PairingSensor.address.compact
        facts.tell(["unproven:\(address)": UUID().uuidString])
        // The record does not say that the sensor works without a bond, either.
        let unpaired = await settled { facts.kept["unpaired:\(address)"] }
        #expect(unpaired == nil)
        scene.sensor.forgetBonds()
        let isTold = await eventually {
            scene.status?.trouble?.contains("the key of its bond is missing") == true
                || scene.log.contains("bond without a value forgotten")
        }
        #expect(isTold, "\(scene.log)")
        #expect(scene.controller.bonds.map(\.identifier) == bond, "\(scene.log)")
    }

    @Test func `a bond without a value of an earlier run goes when the sensor does not know its key`() async throws {
        var rule = PasskeyAttemptTests.rule(nil)
        rule.pair = true
        let facts = LateFacts()
        let scene = try CollectorScene(rule, passkey: nil, facts: facts)
        let works = await eventually { (scene.status?.readings ?? 0) > 2 }
        try #require(works, "\(scene.log)")
        let bond = try #require(scene.controller.bonds.first)
        // No further value proves the bond.
        scene.sensor.pause(true)
        _ = await settled { scene.status?.readings }
        facts.tell(["unproven:\(PairingSensor.address.compact)": bond.identifier.uuidString])
        scene.sensor.forgetBonds()
        let isTold = await eventually {
            scene.status?.trouble?.contains("the key of its bond is missing") == true
                || scene.log.contains("bond without a value forgotten")
        }
        #expect(isTold, "\(scene.log)")
        #expect(scene.log.contains("bond without a value forgotten"), "\(scene.log)")
    }

    @Test func `a bond without a value from before the journal was open is kept when it opens`() async throws {
        var rule = PasskeyAttemptTests.rule(nil)
        rule.pair = true
        let facts = LateFacts()
        let scene = try CollectorScene(rule, passkey: nil, facts: facts)
        scene.sensor.pause(true)
        let isBonded = await eventually { scene.controller.bonds.count == 1 }
        try #require(isBonded, "\(scene.log)")
        let readings = await settled { scene.status?.readings }
        #expect(readings == 0 && facts.kept.isEmpty)
        facts.tell([:])
        let key = "unproven:\(PairingSensor.address.compact)"
        #expect(await eventually { facts.kept[key] != nil }, "\(scene.log)")
        let kept = await settled { facts.kept[key] }
        #expect(kept == scene.controller.bonds.first?.identifier.uuidString, "\(scene.log)")
    }

    @Test func `a sensor whose bond an operator has removed is not paired with by itself at once`() async throws {
        let scene = try CollectorScene(PasskeyAttemptTests.rule(nil), passkey: nil)
        let works = await eventually { (scene.status?.readings ?? 0) > 2 }
        try #require(works, "\(scene.log)")
        guard case .success = await scene.collector.unpair("thermo", within: hangLimit) else {
            Issue.record("\(scene.log)")
            return
        }
        scene.sensor.forgetBonds()
        let isRefused = await eventually {
            scene.log.contains("set-up failed") || !scene.controller.bonds.isEmpty
        }
        #expect(isRefused, "\(scene.log)")
        let bonds = await settled { scene.controller.bonds.count }
        #expect(bonds == 0 && scene.sensor.ends.count == 1, "\(scene.log)")
    }

    @Test func `an entry with a passkey may forbid that the sensor is paired with by itself`() async throws {
        var rule = PasskeyAttemptTests.rule("019655")
        rule.pair = false
        let scene = try CollectorScene(rule, passkey: "019655")
        let isRefused = await eventually {
            scene.log.contains("set-up failed") || !scene.controller.bonds.isEmpty
        }
        #expect(isRefused, "\(scene.log)")
        let bonds = await settled { scene.controller.bonds.count }
        #expect(bonds == 0 && scene.sensor.ends.isEmpty, "\(scene.log)")
    }
}
