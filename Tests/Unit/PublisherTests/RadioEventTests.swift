// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluetoothCore
@testable import GatewayBench
@testable import MQTT
@testable import Publisher

@Suite("Steps for the radio, over MQTT")
struct RadioEventTests {
    private static let topic = "martlet/gw/gw/event"

    @Test func `each step is told once, in its order, and not retained`() throws {
        var bench = MachineBench()
        var health = RadioHealth()
        health.record(.taken, step: .reset, reason: "no \"answer\"", uptimeMs: 5_000)
        bench.radio = health.events
        bench.begin()
        bench.publish()
        health.record(.cured, step: .reset, reason: "the radio does its work again", uptimeMs: 6_000, lastedMs: 1_000)
        bench.radio = health.events
        bench.publish()
        bench.publish()
        let told = bench.sent.filter { $0.topic == Self.topic }
        #expect(told.count == 2 && told.allSatisfy { !$0.retain })
        let first = try #require(told.first).object
        #expect(first["event"] as? String == "radio" && first["outcome"] as? String == "taken")
        #expect(first["step"] as? String == "reset" && first["reason"] as? String == "no \"answer\"")
        #expect(first["up_ms"] as? Int == 5_000 && first["lasted_ms"] == nil && first["gw"] as? String == "gw")
        let last = try #require(told.last).object
        #expect(last["outcome"] as? String == "cured" && last["lasted_ms"] as? Int == 1_000)
    }

    @Test func `without a fault there is no such topic`() {
        var bench = MachineBench()
        bench.begin()
        bench.publish()
        #expect(!bench.sent.isEmpty && !bench.sent.contains { $0.topic == Self.topic })
    }
}
