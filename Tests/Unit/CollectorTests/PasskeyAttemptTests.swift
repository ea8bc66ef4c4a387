// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Logging
import Testing
import VirtualRadio

@testable import Collector
@testable import CoreBluetooth
@testable import GatewayBench

/// The collector risks a fixed passkey only a limited number of times.
struct PasskeyAttemptTests {
    static func rule(_ passkey: String?, address: UInt64? = nil) -> SensorRule {
        var rule = SensorRule()
        rule.id = "thermo"
        rule.name = "Thermo"
        rule.address = address
        rule.subscribe = [
            SensorRule.Feed(service: BluetoothUUID(0x181A as UInt16), characteristic: BluetoothUUID(0x2A6E as UInt16))
        ]
        rule.passkey = passkey.map { Secret($0) }
        return rule
    }

    @Test func `three pairings may fail, and success or an operator makes it good`() {
        let rule = Self.rule("019656")
        var attempts = PasskeyAttempts()
        for _ in 0..<2 {
            for _ in 0..<PasskeyAttempts.limit {
                #expect(attempts.allows(rule))
                attempts.risked(rule)
            }
            #expect(!attempts.allows(rule))
            for _ in 0..<10 { attempts.risked(rule) }
            #expect(attempts.allows(Self.rule("019656", address: 1)), "another rule")
            #expect(attempts.allows(Self.rule("019655")), "another passkey")
            attempts.reset(rule)
        }
        #expect(attempts.allows(rule))
    }

    @Test func `what has not begun does not count, nor does a pairing without a passkey`() {
        let (rule, other) = (Self.rule("019656"), Self.rule(nil))
        var attempts = PasskeyAttempts()
        for _ in 0..<10 {
            attempts.risked(rule)
            attempts.withdrew(rule)
            attempts.withdrew(rule)
            attempts.risked(other)
        }
        #expect(attempts.allows(rule) && attempts.allows(other))
    }
}

/// Pairings with a passkey that may be wrong.
@Suite(.ownThread, .timeLimit(.minutes(10)))
struct PasskeyPairingTests {
    @Test func `a passkey that fails three times waits for an operator`() async throws {
        let scene = try CollectorScene(PasskeyAttemptTests.rule("019656"), passkey: "019655")
        let isStopped = await eventually { scene.status?.trouble?.contains("run martlet pair thermo") == true }
        try #require(isStopped, "\(scene.log)")
        #expect(scene.sensor.ends.count == PasskeyAttempts.limit)
        // On later links the collector does not pair, and collects nothing.
        let isRefused = await eventually {
            scene.status?.lastFailure?.contains("not paired with its passkey") == true
        }
        try #require(isRefused, "\(scene.log)")
        #expect(scene.status?.trouble?.contains("failed 3 times") == true, "\(scene.status?.trouble ?? "")")
        #expect(scene.sensor.ends.count == PasskeyAttempts.limit)
        #expect(scene.sensor.controller.bonds.isEmpty)

        // An operator may try at once. This sensor, a host of ours with a fixed passkey, has reached its own limit.
        scene.collector.pair("thermo", PairingDialogue(passkey: CBPasskey("019655")))
        let isTried = await eventually { scene.status?.trouble?.contains("Too many attempts") == true }
        #expect(isTried, "\(scene.log)")
        #expect(!scene.log.contains("019655") && !scene.log.contains("019656"))
    }

    @Test func `pairings that the sensor begins and fails count, too`() async throws {
        let rule = PasskeyAttemptTests.rule("019655")
        let scene = try CollectorScene(rule, passkey: "019655")
        let works = await eventually { (scene.status?.readings ?? 0) > 2 }
        try #require(works, "\(scene.log)")
        let bond = try #require(scene.controller.bonds.first)
        let peer = CBPeer(address: PairingSensor.address, identifier: bond.identifier)
        func allows() -> Bool { scene.collector.queue.sync { scene.collector.restraint.attempts.allows(rule) } }
        for _ in 0..<PasskeyAttempts.limit {
            #expect(allows())
            scene.collector.queue.sync {
                scene.collector.controller(
                    scene.controller, didEndPairingWith: peer, result: .failure(CBPairingError(.confirmationFailed)))
            }
        }
        #expect(!allows())
    }
}
