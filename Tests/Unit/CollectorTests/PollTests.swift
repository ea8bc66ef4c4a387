// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings
import Testing
import VirtualRadio

@testable import Collector
@testable import GatewayBench

/// Sensors polled for their values.
@Suite("Polls", .serialized, .ownThread)
struct PollTests {
    private static let address: UInt64 = 0xC0FF_EE00_0031
    private static let wavePlus = "b42e2a68-ade7-11e4-89d3-123b93f75cba"

    private static func add(_ kind: VirtualSensor.Kind, to scene: ListeningScene) -> AirNodeID {
        scene.radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .random, value: address), name: "Wave", kind: kind, rate: 5,
                advertisingInterval: .milliseconds(30)))
    }

    private static func count(_ scene: ListeningScene, _ characteristic: String) -> Int {
        scene.outcome.now.readings.count { $0.characteristic == characteristic && $0.source == .read }
    }

    @Test(
        "a sensor known by its services needs no UUID; its link is closed after each read, and the sensor stays online")
    func profile() throws {
        var rule = ListeningScene.rule("wave", address: Self.address)
        rule.readInterval = .seconds(1)
        rule.linkUse = .close
        let scene = try ListeningScene([rule])
        _ = Self.add(.airthings, to: scene)
        let isRead = blockingEventually { Self.count(scene, Self.wavePlus) >= 3 }
        try #require(isRead, "\(scene.outcome.now.readings)")
        let status = try #require(scene.status("wave"))
        #expect(status.drops == 0 && status.lastFailure == nil && status.missing.isEmpty, "\(status)")
        #expect(scene.outcome.now.online == ["wave": true])
        let ends = status.reconnects
        #expect(ends.isEmpty)
        let rests = blockingEventually { scene.status("wave")?.link == .resting }
        #expect(rests)
        #expect(scene.status("wave")?.health == .fresh)
        let value = try #require(scene.outcome.now.readings.first)
        let fields = Decoders.decoded(characteristic: value.characteristic, value: value.value) ?? []
        #expect(fields.map(\.quantity).contains("radon") && fields.map(\.quantity).contains("co2"))
        let log = scene.lines.text
        #expect(log.contains("the values were read; the next poll makes a new link"), "\(log)")
    }

    @Test("a profile by name finds the services that the sensor has; the others are not reported as missing")
    func named() throws {
        var rule = ListeningScene.rule("wave", address: Self.address)
        (rule.profile, rule.readInterval) = ("airthings-wave", .seconds(1))
        let scene = try ListeningScene([rule])
        _ = Self.add(.airthings, to: scene)
        let isRead = blockingEventually { Self.count(scene, Self.wavePlus) >= 3 }
        try #require(isRead)
        let status = try #require(scene.status("wave"))
        #expect(status.missing.isEmpty && status.link == .collecting && status.drops == 0, "the link stays: \(status)")
    }

    @Test("reads repeat beside subscriptions, on the permanent link")
    func beside() throws {
        var rule = ListeningScene.rule("climate", address: Self.address)
        rule.subscribe = [SensorRule.Feed(service: 0x181A, characteristic: 0x2A6E)]
        rule.read = [SensorRule.Feed(service: 0x180F, characteristic: 0x2A19)]
        rule.readInterval = .seconds(1)
        let scene = try ListeningScene([rule])
        _ = Self.add(.environment, to: scene)
        let isRead = blockingEventually {
            Self.count(scene, "2a19") >= 3
                && scene.outcome.now.readings.contains { $0.characteristic == "2a6e" && $0.source == .notify }
        }
        #expect(isRead)
        #expect(scene.status("climate")?.drops == 0)
        #expect(!scene.outcome.now.readings.contains { $0.characteristic == "2a6e" && $0.source == .read })
    }

    @Test("a sensor that was away between two polls is connected to at its return; a lost poll does not end its values")
    func gone() throws {
        var rule = ListeningScene.rule("wave", address: Self.address)
        (rule.profile, rule.readInterval, rule.linkUse) = ("airthings-wave", .seconds(1), .close)
        let scene = try ListeningScene([rule])
        let first = Self.add(.airthings, to: scene)
        let isRead = blockingEventually { Self.count(scene, Self.wavePlus) >= 2 }
        try #require(isRead)
        scene.radio.removeSensor(first)
        let isAwaited = blockingEventually { scene.status("wave")?.link == .connecting }
        try #require(isAwaited)
        #expect(scene.outcome.now.online == ["wave": true], "two intervals and a minute have not passed")
        let before = Self.count(scene, Self.wavePlus)
        _ = Self.add(.airthings, to: scene)
        let isBack = blockingEventually { Self.count(scene, Self.wavePlus) >= before + 2 }
        #expect(isBack)
    }

    @Test("a changed entry takes effect while the sensor rests; a known profile stays filled in")
    func changed() throws {
        var rule = ListeningScene.rule("wave", address: Self.address)
        (rule.readInterval, rule.linkUse) = (.seconds(3600), .close)
        let scene = try ListeningScene([rule])
        _ = Self.add(.airthings, to: scene)
        let rests = blockingEventually { scene.status("wave")?.link == .resting }
        try #require(rests)
        // The link ends in the same turn in which the collector hands the value on.
        let isRead = blockingEventually { Self.count(scene, Self.wavePlus) == 1 }
        try #require(isRead)
        rule.readInterval = .seconds(1)
        scene.collector.apply([rule])
        let isReadAgain = blockingEventually { Self.count(scene, Self.wavePlus) >= 3 }
        #expect(isReadAgain)
        #expect(scene.status("wave")?.missing.isEmpty == true)
    }
}
