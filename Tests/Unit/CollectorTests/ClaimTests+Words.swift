// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Readings
import Testing
import VirtualRadio

@testable import Collector
@testable import GatewayBench

/// Devices that take no place, and the subject of the operator's decision.
extension ClaimTests {
    /// Encrypted BTHome with a name, without flags, for which there is no room.
    private static func sealed(_ address: UInt64, from first: UInt32 = 0) -> VirtualBroadcaster.Configuration {
        var configuration = SimulatedFamily.bthome.configuration(at: address, period: .milliseconds(20))
        let packet = configuration.packet
        configuration.packet = { Array(packet(first + $0).dropFirst(3)) + [7, 0x09] + Array("Fridge".utf8) }
        return configuration
    }

    private static var silence: SilenceLimits {
        var silence = SilenceLimits()
        (silence.least, silence.unknown, silence.factor) = (1_000, 1_000, 2)
        return silence
    }

    /// How long a device has claimed a place, in milliseconds; nil without a claim.
    private func claim(of address: UInt64, _ scene: ListeningScene) -> Int64? {
        scene.collector.queue.sync { scene.collector.places.claims[address]?.place.span }
    }

    private func provenClaims(_ scene: ListeningScene) -> Int {
        scene.collector.queue.sync { scene.collector.places.claims.values.count { scene.collector.isProven($0) } }
    }

    /// Until the stranger has spoken for much longer than the holder may be silent, or has the place.
    private func outlasts(_ scene: ListeningScene) async -> Bool {
        await eventually { (claim(of: Self.stranger, scene) ?? 0) > 3_000 || Self.holder(scene) == Self.strangerText }
    }

    @Test func `a place from before the journal was open is given back, and was not written down`() async throws {
        let facts = LateFacts()
        let scene = try ListeningScene([Self.rule()], lateFacts: facts, claimLimits: Self.limits())
        _ = scene.radio.addBroadcaster(Self.beacon(Self.stranger))
        // After this many readings the device would hold its place for good.
        #expect(await eventually { (scene.status("fridge")?.readings ?? 0) > 50 })
        #expect(Self.holder(scene) == Self.strangerText && scene.outcome.now.facts[Self.place] == nil)
        facts.tell([Self.place: "c47c8d001122"])
        #expect(await eventually { scene.collector.queue.sync { scene.collector.knowsEarlierRuns } })
        try #require(await eventually { Self.holder(scene) == nil })
        _ = scene.radio.addBroadcaster(Self.beacon(Self.sensor))
        #expect(await eventually { Self.holder(scene) == Self.sensorText })
    }

    @Test func `what the key does not open claims no place, however long the sensor is silent`() async throws {
        let scene = try ListeningScene(
            [Self.rule(key: SimulatedFamily.key)], silenceLimits: Self.silence, claimLimits: Self.limits())
        let sensor = scene.radio.addBroadcaster(Self.sealed(Self.sensor))
        #expect(await eventually { scene.outcome.now.facts[Self.place] == "c47c8d001122" })
        scene.radio.removeSensor(sensor)
        _ = scene.radio.addBroadcaster(Self.beacon(Self.stranger))
        #expect(await outlasts(scene))
        #expect(Self.holder(scene) == Self.sensorText && scene.status("fridge")?.claimedBy == nil)
    }

    @Test func `what the key does not open keeps no place for a sensor that is gone`() async throws {
        let scene = try ListeningScene(
            [Self.rule(key: SimulatedFamily.key)], silenceLimits: Self.silence, claimLimits: Self.limits())
        let sensor = scene.radio.addBroadcaster(Self.sealed(Self.sensor))
        #expect(await eventually { scene.outcome.now.facts[Self.place] == "c47c8d001122" })
        scene.radio.removeSensor(sensor)
        // A stranger at the sensor's address.
        _ = scene.radio.addBroadcaster(Self.beacon(Self.sensor, isPublic: true))
        #expect(await eventually { (scene.status("fridge")?.refused?["not-encrypted"] ?? 0) > 2 })
        _ = scene.radio.addBroadcaster(Self.sealed(Self.stranger))
        #expect(await outlasts(scene))
        #expect(Self.holder(scene) == Self.strangerText)
    }

    @Test func `the place of a button is kept over a restart, however long it is not pressed`() async throws {
        let scene = try ListeningScene(
            [Self.rule()], facts: [Self.place: "c47c8d001122 events"], silenceLimits: Self.silence,
            claimLimits: Self.limits())
        _ = scene.radio.addBroadcaster(Self.beacon(Self.stranger))
        #expect(await outlasts(scene))
        #expect(Self.holder(scene) == nil && scene.outcome.now.readings.isEmpty)
    }

    @Test func `the place is that of a sensor of events until the sensor sends a value`() async throws {
        let scene = try ListeningScene([Self.rule()], claimLimits: Self.limits())
        // BTHome with a button alone.
        let button = scene.radio.addBroadcaster(
            VirtualBroadcaster.Configuration(
                address: DeviceAddress(kind: .random, value: Self.sensor), interval: .milliseconds(20)
            ) { packet in
                [2, 0x01, 0x06, 7, 0x09] + Array("Fridge".utf8)
                    + [8, 0x16, 0xD2, 0xFC, 0x44, 0x00, UInt8(truncatingIfNeeded: packet), 0x3A, 0x01]
            })
        #expect(await eventually { scene.outcome.now.facts[Self.place] != nil })
        #expect(scene.outcome.now.facts[Self.place] == "c47c8d001122 events")
        scene.radio.removeSensor(button)
        _ = scene.radio.addBroadcaster(Self.beacon(Self.sensor))
        #expect(await eventually { scene.outcome.now.facts[Self.place] == "c47c8d001122" })
    }

    @Test func `the counter of a sensor that is let go is written down`() async throws {
        let scene = try ListeningScene([Self.rule(key: SimulatedFamily.key)], claimLimits: Self.limits())
        let collector = scene.collector
        let sensor = scene.radio.addBroadcaster(Self.sealed(Self.sensor, from: 100))
        #expect(await eventually { (scene.status("fridge")?.readings ?? 0) > 5 })
        scene.radio.removeSensor(sensor)
        let last = await settled {
            collector.queue.sync { collector.listened[Self.sensor]?.packets.replay.last }
        }
        _ = try await collector.trust("fridge", Self.stranger, within: hangLimit)?.get()
        let kept = scene.outcome.now.facts["counter:c47c8d001122"]?.split(separator: " ").first.flatMap { UInt32($0) }
        #expect(last != nil && kept == last)
    }

    @Test func `a device with a link does not take the place of a sensor that an earlier run has listened to`()
        async throws
    {
        var rule = Self.rule()
        rule.subscribe = [SensorRule.Feed(service: CounterService.service, characteristic: CounterService.value)]
        let scene = try ListeningScene(
            [rule], facts: ["place:\(rule.key)": "deadbeef0001"], claimLimits: Self.limits())
        _ = scene.radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .random, value: Self.sensor), name: "Fridge", kind: .counter, rate: 20))
        #expect(await eventually { scene.collector.queue.sync { scene.collector.scan.isRunning } })
        let taken = await settled(for: .seconds(1)) { scene.collector.queue.sync { scene.collector.linked.count } }
        #expect(taken == 0)
        _ = try await scene.collector.trust("fridge", Self.sensor, within: hangLimit)?.get()
        #expect(await eventually { (scene.status("fridge")?.readings ?? 0) > 2 }, "the place was all that it lacked")
    }

    @Test func `a word without an address is about the counter first`() async throws {
        let scene = try ListeningScene([Self.rule(key: SimulatedFamily.key)], claimLimits: Self.limits())
        let old = scene.radio.addBroadcaster(Self.sealed(Self.sensor, from: 50_000))
        #expect(await eventually { (scene.status("fridge")?.readings ?? 0) > 5 })
        scene.radio.removeSensor(old)
        _ = scene.radio.addBroadcaster(Self.sealed(Self.stranger))
        #expect(await eventually { scene.status("fridge")?.claimedBy == Self.strangerText })
        _ = scene.radio.addBroadcaster(Self.sealed(Self.sensor, from: 100))
        #expect(await eventually { scene.status("fridge")?.counterBack == true })
        let told = try await scene.collector.trust("fridge", nil, within: hangLimit)?.get()
        #expect(told?.sensor == "fridge" && told?.address == nil)
        #expect(Self.holder(scene) == Self.sensorText && scene.status("fridge")?.counterBack == nil)
    }

    @Test func `a word without an address is refused where several devices claim to be the sensor`() async throws {
        let scene = try ListeningScene(
            [Self.rule()], facts: [Self.place: "c47c8d001122"], claimLimits: Self.limits())
        for address in [Self.stranger, Self.stranger + 1] { _ = scene.radio.addBroadcaster(Self.beacon(address)) }
        #expect(await eventually { provenClaims(scene) == 2 })
        let answer = await scene.collector.trust("fridge", nil, within: hangLimit)
        guard case .failure(let failure) = answer else {
            Issue.record("\(String(describing: answer))")
            return
        }
        #expect(failure.description.contains("\(Self.strangerText) or DE:AD:BE:EF:00:02"))
        #expect(Self.holder(scene) == nil && scene.outcome.now.facts[Self.place] == "c47c8d001122")
    }

    @Test func `a device with a link is the sensor until the operator names another one`() async throws {
        var rule = Self.rule()
        rule.subscribe = [SensorRule.Feed(service: CounterService.service, characteristic: CounterService.value)]
        let scene = try ListeningScene([rule], claimLimits: Self.limits())
        _ = scene.radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .random, value: Self.sensor), name: "Fridge", kind: .counter, rate: 20))
        #expect(await eventually { (scene.status("fridge")?.readings ?? 0) > 2 })
        #expect(Self.holder(scene) == Self.sensorText)
        let told = try await scene.collector.trust("fridge", Self.stranger, within: hangLimit)?.get()
        #expect(told?.address == Self.strangerText)
        #expect(scene.collector.queue.sync { !scene.collector.linked.values.contains(where: \.life.isProven) })
    }
}
