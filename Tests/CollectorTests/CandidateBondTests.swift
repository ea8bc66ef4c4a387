// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Testing

@testable import Collector
@testable import GatewayBench

/// What becomes of bonds that nobody but the collector has asked for. With the other pairings, one after the
/// other.
extension CollectorPairingTests {
    @Test func `the bond of a candidate that never worked goes with it`() async throws {
        var rule = PasskeyTrialTests.rule("019655")
        // It has a temperature, and no humidity.
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
        let scene = try CollectorScene(PasskeyTrialTests.rule("019655"), passkey: "019655")
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
        let scene = try CollectorScene(PasskeyTrialTests.rule(nil), passkey: nil)
        let works = await eventually { (scene.status?.readings ?? 0) > 2 }
        try #require(works, "\(scene.log)")
        #expect(scene.controller.bonds.map(\.isAuthenticated) == [false])
        scene.collector.apply([PasskeyTrialTests.rule("019655")])
        let isRefused = await eventually { scene.status?.lastFailure == "it is paired, but not with its passkey" }
        try #require(isRefused, "\(scene.log)")
        #expect(
            scene.status?.trouble
                == "it is paired, but not with its passkey: run martlet unpair thermo, then martlet pair thermo")
        let readings = scene.status?.readings
        // On the next link neither.
        let failures = { scene.log.components(separatedBy: "set-up failed").count }
        let before = failures()
        let isRefusedAgain = await eventually { failures() > before }
        #expect(isRefusedAgain, "\(scene.log)")
        #expect(scene.status?.readings == readings)
        #expect(scene.sensor.ends.count == 1)
    }
}
