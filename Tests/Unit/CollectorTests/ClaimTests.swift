// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Platform
import Readings
import Testing
import VirtualRadio

@testable import Collector
@testable import GatewayBench

/// Two devices that claim to be one sensor, and crowds that claim to be many sensors.
@Suite(.timeLimit(.minutes(10)))
struct ClaimTests {
    static let sensor: UInt64 = 0xC47C_8D00_1122
    static let stranger: UInt64 = 0xDEAD_BEEF_0001

    static func rule(key: [UInt8]? = nil) -> SensorRule {
        var rule = ListeningScene.rule("fridge")
        rule.name = "Fridge"
        rule.bindKey = key.map { Secret($0.hexadecimal) }
        return rule
    }

    static func limits(_ change: (inout ClaimLimits) -> Void = { _ in }) -> ClaimLimits {
        var limits = ClaimLimits()
        limits.proof = 300
        change(&limits)
        return limits
    }

    /// Plain BTHome with a name; a new value with each packet, from the first number on.
    static func beacon(
        _ address: UInt64, upTo last: UInt32 = .max, isPublic: Bool = false
    ) -> VirtualBroadcaster.Configuration {
        VirtualBroadcaster.Configuration(
            address: DeviceAddress(kind: isPublic ? .public : .random, value: address), interval: .milliseconds(20)
        ) { packet in
            guard packet <= last else { return [2, 0x01, 0x06] }
            let number = UInt8(truncatingIfNeeded: packet)
            return [2, 0x01, 0x06, 7, 0x09] + Array("Fridge".utf8)
                + [9, 0x16, 0xD2, 0xFC, 0x40, 0x00, number, 0x02, number, 0x08]
        }
    }

    /// Waits until the gateway scans: nobody hears earlier packets.
    private static func isListening(_ scene: ListeningScene) async -> Bool {
        await eventually { scene.collector.queue.sync { scene.collector.scan.isRunning } }
    }

    /// The source of the values of `fridge`.
    static func holder(_ scene: ListeningScene) -> String? { scene.status("fridge")?.address }

    static let sensorText = "C4:7C:8D:00:11:22"
    static let strangerText = "DE:AD:BE:EF:00:01"
    static let place = "place:id=fridge;name=Fridge"

    @Test func `one packet of a stranger takes no place from a sensor that speaks after it`() async throws {
        let scene = try ListeningScene([Self.rule()], claimLimits: Self.limits())
        // The stranger has two packets alone: the gateway has to hear them.
        #expect(await Self.isListening(scene))
        let stranger = scene.radio.addBroadcaster(Self.beacon(Self.stranger, upTo: 2))
        #expect(await eventually { Self.holder(scene) == Self.strangerText })
        _ = scene.radio.addBroadcaster(Self.beacon(Self.sensor))
        #expect(await eventually { Self.holder(scene) == Self.sensorText })
        #expect(await eventually { (scene.status("fridge")?.readings ?? 0) > 5 })
        #expect(await eventually { scene.outcome.now.facts[Self.place] == "c47c8d001122" })
        scene.radio.removeSensor(stranger)
    }

    @Test func `the place is kept over a restart: a stranger that is first is not collected from`() async throws {
        let scene = try ListeningScene(
            [Self.rule()], facts: [Self.place: "c47c8d001122"], claimLimits: Self.limits())
        _ = scene.radio.addBroadcaster(Self.beacon(Self.stranger))
        #expect(await eventually { scene.lines.all.contains { $0.contains("two devices claim to be one sensor") } })
        #expect(scene.outcome.now.readings.isEmpty && Self.holder(scene) == nil)
        let explanation = try await scene.collector.explain("fridge", within: hangLimit)?.get()
        #expect(explanation?.advice?.contains("martlet trust fridge \(Self.strangerText)") == true)
        _ = scene.radio.addBroadcaster(Self.beacon(Self.sensor))
        #expect(await eventually { Self.holder(scene) == Self.sensorText })
        #expect(await eventually { (scene.status("fridge")?.readings ?? 0) > 5 })
        #expect(await eventually { scene.status("fridge")?.claimedBy == Self.strangerText })
        #expect(scene.status("fridge")?.trouble?.contains("two devices claim to be fridge") == true)
        #expect(Self.holder(scene) == Self.sensorText)
    }

    @Test func `a device that an earlier run has collected from holds its place from its first packet on`() async throws
    {
        let scene = try ListeningScene(
            [Self.rule()], facts: [Self.place: "c47c8d001122"], claimLimits: Self.limits())
        #expect(await Self.isListening(scene))
        // Too few packets to prove a new device.
        _ = scene.radio.addBroadcaster(Self.beacon(Self.sensor, upTo: 2))
        #expect(await eventually { Self.holder(scene) == Self.sensorText })
        _ = scene.radio.addBroadcaster(Self.beacon(Self.stranger))
        #expect(
            await eventually {
                scene.status("fridge")?.claimedBy == Self.strangerText || Self.holder(scene) != Self.sensorText
            })
        #expect(Self.holder(scene) == Self.sensorText)
    }

    @Test func `a device that is replaced gets the place by one word, or when the one before is silent`() async throws {
        var silence = SilenceLimits()
        (silence.least, silence.unknown, silence.factor) = (1_000, 1_000, 2)
        for isTold in [false, true] {
            let scene = try ListeningScene(
                [Self.rule()], silenceLimits: isTold ? SilenceLimits() : silence, claimLimits: Self.limits())
            let old = scene.radio.addBroadcaster(Self.beacon(Self.sensor))
            #expect(await eventually { scene.outcome.now.facts[Self.place] == "c47c8d001122" })
            #expect(await eventually { (scene.status("fridge")?.readings ?? 0) > 2 })
            _ = scene.radio.addBroadcaster(Self.beacon(Self.stranger))
            #expect(await eventually { scene.status("fridge")?.claimedBy == Self.strangerText })
            scene.radio.removeSensor(old)
            if isTold {
                let told = try await scene.collector.trust("fridge", Self.stranger, within: hangLimit)?.get()
                #expect(told?.address == Self.strangerText)
            }
            #expect(await eventually { Self.holder(scene) == Self.strangerText })
            #expect(await eventually { (scene.status("fridge")?.readings ?? 0) > 2 })
            #expect(scene.outcome.now.facts[Self.place]?.hasPrefix("deadbeef0001") == true)
            #expect(scene.status("fridge")?.trouble == nil)
        }
    }

    @Test func `plain packets in the name of a sensor with a key take no place from it`() async throws {
        let scene = try ListeningScene([Self.rule(key: SimulatedFamily.key)], claimLimits: Self.limits())
        _ = scene.radio.addBroadcaster(Self.beacon(Self.stranger))
        #expect(await eventually { Self.holder(scene) == Self.strangerText })
        var sealed = SimulatedFamily.bthome.configuration(at: Self.sensor, period: .milliseconds(20))
        let packet = sealed.packet
        // Without flags, for which there is no room.
        sealed.packet = { Array(packet($0).dropFirst(3)) + [7, 0x09] + Array("Fridge".utf8) }
        _ = scene.radio.addBroadcaster(sealed)
        #expect(await eventually { Self.holder(scene) == Self.sensorText })
        #expect(await eventually { (scene.status("fridge")?.readings ?? 0) > 5 })
        #expect(scene.status("fridge")?.refused == nil)
    }

    @Test func `a crowd of invented addresses does not keep a sensor out that comes after it`() async throws {
        var rule = ListeningScene.rule(nil, family: "bthome")
        rule.minimumRSSI = nil
        let limits = Self.limits { ($0.unheld, $0.claims) = (8, 16) }
        let scene = try ListeningScene([rule], claimLimits: limits)
        // Their few packets are not to be over before anybody listens.
        #expect(await Self.isListening(scene))
        let crowd = (0..<40 as Range<UInt64>).map {
            scene.radio.addBroadcaster(Self.beacon(0xC000_0000_0000 + $0, upTo: 5))
        }
        #expect(await eventually { scene.collector.status.sensors.count == 8 })
        let counts = scene.collector.queue.sync { scene.collector.places.claims.count }
        #expect(counts <= 16)
        for sender in crowd { scene.radio.removeSensor(sender) }
        _ = scene.radio.addBroadcaster(Self.beacon(Self.sensor))
        #expect(await eventually(within: .seconds(100)) { (scene.status("c47c8d001122")?.readings ?? 0) > 5 })
    }

    @Test func `the address of no device is nobody's`() async throws {
        let scene = try ListeningScene([ListeningScene.rule(nil, family: "bthome")], claimLimits: Self.limits())
        for address: UInt64 in [0, 0xFFFF_FFFF_FFFF] { _ = scene.radio.addBroadcaster(Self.beacon(address)) }
        _ = scene.radio.addBroadcaster(Self.beacon(Self.sensor))
        #expect(await eventually { (scene.status("c47c8d001122")?.readings ?? 0) > 5 })
        #expect(scene.collector.status.sensors.map(\.id) == ["c47c8d001122"])
    }

    @Test func `a counter that went back is refused until the operator says that it counts anew`() async throws {
        var rule = ListeningScene.rule("fridge", address: Self.sensor)
        rule.bindKey = Secret(SimulatedFamily.key.hexadecimal)
        let scene = try ListeningScene([rule], claimLimits: Self.limits())
        let model = SimulatedFamily.bthome.configuration(at: Self.sensor, period: .milliseconds(20))
        func sender(from first: UInt32) -> VirtualBroadcaster.Configuration {
            var configuration = model
            configuration.packet = { model.packet(first + $0) }
            return configuration
        }
        let old = scene.radio.addBroadcaster(sender(from: 50_000))
        #expect(await eventually { (scene.status("fridge")?.readings ?? 0) > 5 })
        scene.radio.removeSensor(old)
        let new = scene.radio.addBroadcaster(sender(from: 100))
        #expect(await eventually { scene.status("fridge")?.counterBack == true })
        let before = scene.status("fridge")?.readings ?? 0
        #expect(await eventually { (scene.status("fridge")?.refused?["replayed"] ?? 0) > 60 })
        #expect(scene.status("fridge")?.readings == before)
        let explanation = try await scene.collector.explain("fridge", within: hangLimit)?.get()
        #expect(explanation?.advice?.contains("martlet trust fridge") == true)
        scene.radio.removeSensor(new)
        let told = try await scene.collector.trust("fridge", nil, within: hangLimit)?.get()
        #expect(told?.sensor == "fridge" && told?.address == nil)
        // Also before the next packet.
        #expect(scene.status("fridge")?.trouble == nil && scene.status("fridge")?.counterBack == nil)
        _ = scene.radio.addBroadcaster(sender(from: 100))
        #expect(await eventually { (scene.status("fridge")?.readings ?? 0) > before + 5 })
        #expect(scene.status("fridge")?.trouble == nil && scene.status("fridge")?.counterBack == nil)
    }

    @Test func `an operator's word is refused where nothing is in doubt or the entry says who it is`() async throws {
        var named = ListeningScene.rule("cellar", address: Self.sensor)
        named.name = nil
        let scene = try ListeningScene([Self.rule(), named, ListeningScene.rule(nil, family: "ruuvi")])
        for (name, address) in [
            ("fridge", nil), ("nobody", nil), ("cellar", Self.stranger), ("family=ruuvi", Self.stranger), ("fridge", 0),
        ] as [(String, UInt64?)] {
            let answer = await scene.collector.trust(name, address, within: hangLimit)
            guard case .failure = answer else {
                Issue.record("\(name): \(String(describing: answer))")
                continue
            }
        }
    }
}
