// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Testing

@testable import Gateway

/// What becomes of bonds that nobody but the collector has asked for. With the other tests of pairings, one after the
/// other.
extension PairingProcessTests {
    @Test func `the bond of a candidate that never worked goes with it`() async throws {
        var rule = PasskeyTrialTests.rule("019655")
        // It has a temperature, and no humidity.
        rule.subscribe = [
            SensorRule.Feed(service: BluetoothUUID(0x181A as UInt16), characteristic: BluetoothUUID(0x2A6F as UInt16))
        ]
        let scene = try CollectorScene(rule, passkey: "019655")
        let hasFailed = try await soon { scene.status?.lastFailure?.contains("is not there") == true }
        try #require(hasFailed, "\(scene.log)")
        #expect(scene.controller.bonds.count == 1)
        scene.collector.apply([])
        let isForgotten = try await soon { scene.controller.bonds.isEmpty }
        #expect(isForgotten, "\(scene.log)")
        #expect(scene.log.contains("bond without a value forgotten"), "\(scene.log)")
    }

    @Test func `the bond of a sensor that has worked outlives its rule`() async throws {
        let scene = try CollectorScene(PasskeyTrialTests.rule("019655"), passkey: "019655")
        let works = try await soon { (scene.status?.readings ?? 0) > 2 }
        try #require(works, "\(scene.log)")
        scene.collector.apply([])
        let isGone = try await soon { scene.collector.status.sensors.isEmpty }
        try #require(isGone, "\(scene.log)")
        #expect(scene.controller.bonds.map(\.isAuthenticated) == [true])
        #expect(!scene.log.contains("bond without a value forgotten"))
    }

    @Test func `a bond without the passkey of the entry is not enough, and nobody pairs anew by himself`() async throws
    {
        let scene = try CollectorScene(PasskeyTrialTests.rule(nil), passkey: nil)
        let works = try await soon { (scene.status?.readings ?? 0) > 2 }
        try #require(works, "\(scene.log)")
        #expect(scene.controller.bonds.map(\.isAuthenticated) == [false])
        scene.collector.apply([PasskeyTrialTests.rule("019655")])
        let isRefused = try await soon { scene.status?.lastFailure == "it is paired, but not with its passkey" }
        try #require(isRefused, "\(scene.log)")
        #expect(
            scene.status?.trouble
                == "it is paired, but not with its passkey: run martlet unpair thermo, then martlet pair thermo")
        let readings = scene.status?.readings
        // On the next link neither.
        let failures = { scene.log.components(separatedBy: "set-up failed").count }
        let before = failures()
        let isRefusedAgain = try await soon { failures() > before }
        #expect(isRefusedAgain, "\(scene.log)")
        #expect(scene.status?.readings == readings)
        #expect(scene.sensor.ends.count == 1)
    }
}
