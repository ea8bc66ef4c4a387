// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Platform
import Readings
import Testing
import VirtualRadio

@testable import Collector
@testable import GatewayBench

/// Sensors with encrypted packets, attackers that replay them, and strangers with plain packets in their name.
@Suite(.timeLimit(.minutes(10)))
struct SealedListeningTests {
    private static let address: UInt64 = 0xA4C1_3812_3456
    private static let model = SimulatedFamily.bthome

    private static func rule(key: [UInt8]? = SimulatedFamily.key) -> SensorRule {
        var rule = ListeningScene.rule("kitchen", address: address)
        rule.bindKey = key.map { Secret($0.hexadecimal) }
        return rule
    }

    /// A sensor with fifty packets a second, from `first` on.
    private static func sensor(from first: UInt32 = 0, upTo last: UInt32 = .max) -> VirtualBroadcaster.Configuration {
        var configuration = model.configuration(at: address, period: .milliseconds(20))
        let packet = configuration.packet
        configuration.packet = { packet(first + min($0, last - first)) }
        return configuration
    }

    /// The stored counter of the sensor.
    private static func counter(in scene: ListeningScene) -> UInt32? {
        scene.outcome.now.facts["counter:a4c138123456"]?.split(separator: " ").first.flatMap { UInt32($0) }
    }

    @Test func `with its key each packet becomes one reading of what was in it`() async throws {
        let scene = try ListeningScene([Self.rule()])
        _ = scene.radio.addBroadcaster(Self.sensor())
        #expect(await eventually { scene.outcome.now.readings.count >= 5 })
        let readings = scene.outcome.now.readings
        for reading in readings {
            let fields = try #require(Decoders.decode(characteristic: "bthome", value: reading.value))
            #expect(fields.contains { $0.quantity == .temperature } && fields.first?.value == .int(95))
        }
        #expect(scene.status("kitchen")?.trouble == nil && scene.status("kitchen")?.refused == nil)
        #expect(!scene.lines.all.contains { $0.contains(SimulatedFamily.key.hexadecimal) })
    }

    @Test func `the counter is written down while the gateway runs, for one that is not stopped but killed`()
        async throws
    {
        let scene = try ListeningScene([Self.rule()])
        _ = scene.radio.addBroadcaster(Self.sensor(from: 7))
        #expect(await eventually { Self.counter(in: scene) ?? 0 >= 7 })
    }

    @Test func `the counter of an event is written down at once, and that of values once a minute`() async throws {
        let scene = try ListeningScene([Self.rule()])
        let broadcaster = scene.radio.addBroadcaster(Self.sensor(from: 7, upTo: 7))
        // The first packet has the counter 1.
        #expect(await eventually { Self.counter(in: scene) == 8 })
        scene.radio.removeSensor(broadcaster)
        _ = await settled { scene.status("kitchen")?.repeats }
        for (number, isEvent, kept) in [(9, false, 8), (10, true, 10), (11, false, 10)] as [(UInt32, Bool, UInt32)] {
            let collector = scene.collector
            try collector.queue.sync {
                let sensor = try #require(collector.listened[Self.address])
                collector.judge(
                    AdvertisedPacket([0x40, UInt8(number)], isEvent: isEvent), "bthome", of: sensor,
                    counter: PacketNumber(number, bits: 32), tag: PacketTag(number), at: collector.clock.stamp())
            }
            #expect(Self.counter(in: scene) == kept, "\(number)")
        }
    }

    @Test func `what has its key in the packet needs none, and an event that is sent again and again is one`()
        async throws
    {
        let scene = try ListeningScene([ListeningScene.rule(nil, family: "govee")])
        let event = try #require([UInt8](hexadecimal: "88ef3dec0000de4377d55e55f991496e36bdc67f8b2c27067497"))
        let sender = scene.radio.addBroadcaster(
            VirtualBroadcaster.Configuration(
                address: DeviceAddress(kind: .public, value: Self.address), interval: .milliseconds(20)
            ) { _ in [2, 0x01, 0x06, UInt8(event.count + 1), 0xFF] + event })
        #expect(await eventually { (scene.status("a4c138123456")?.repeats ?? 0) > 20 })
        scene.radio.removeSensor(sender)
        let readings = await settled { scene.outcome.now.readings }
        #expect(readings.count == 1)
        let fields = readings.first.flatMap { Decoders.decode(characteristic: "govee", value: $0.value) }
        #expect(fields == [.binary(.window, true), .int(.battery, 100)])
    }

    @Test(arguments: [nil, [UInt8](repeating: 0xAB, count: 16)] as [[UInt8]?])
    func `without the right key nothing is collected, and it is told once`(_ key: [UInt8]?) async throws {
        let scene = try ListeningScene([Self.rule(key: key)])
        _ = scene.radio.addBroadcaster(Self.sensor())
        let reason = key == nil ? "no-key" : "wrong-key"
        #expect(await eventually { (scene.status("kitchen")?.refused?[reason] ?? 0) > 20 })
        #expect(scene.outcome.now.readings.isEmpty)
        #expect(scene.status("kitchen")?.trouble?.contains("martlet key kitchen") == true)
        #expect(scene.lines.all.count { $0.contains("a sensor's packets cannot be read") } == 1)
        // With its key the sensor continues without a restart.
        scene.collector.apply([Self.rule()])
        #expect(await eventually { scene.outcome.now.readings.count >= 3 })
        #expect(scene.status("kitchen")?.trouble == nil)
    }

    @Test(arguments: [nil, [UInt8](repeating: 0xAB, count: 16)] as [[UInt8]?])
    func `a key for an entry in a file of a person is given in that file`(_ key: [UInt8]?) async throws {
        let scene = try ListeningScene([Self.rule(key: key)], ownsEntries: false)
        _ = scene.radio.addBroadcaster(Self.sensor())
        #expect(await eventually { scene.status("kitchen")?.trouble != nil })
        let trouble = scene.status("kitchen")?.trouble ?? ""
        #expect(trouble.contains("bindkey_file") && trouble.contains("sudo systemctl reload martlet"), "\(trouble)")
        #expect(!trouble.contains("martlet key"), "martlet key refuses such an entry")
    }

    /// Packets that the sensor's key does not open.
    private static func stranger(period: Duration) -> VirtualBroadcaster.Configuration {
        var configuration = model.configuration(at: address, period: period)
        let packet = configuration.packet
        configuration.packet = { number in
            var octets = packet(number)
            if !octets.isEmpty { octets[octets.count - 1] ^= 0xFF }
            return octets
        }
        return configuration
    }

    @Test func `the fifth packet in a row that the key does not open is the first that is told of`() async throws {
        let scene = try ListeningScene([Self.rule()])
        // Four advertisements that the key does not open, and then advertisements of no family.
        var few = Self.stranger(period: .milliseconds(80))
        let packet = few.packet
        few.packet = { $0 == 0 ? packet($0) : [2, 0x01, 0x06] }
        #expect(await eventually { scene.controller.health.isScanning }, "none of the four is to be missed")
        let sender = scene.radio.addBroadcaster(few)
        // The radio may be ahead of the collector.
        #expect(
            await eventually {
                (scene.radio.packets(of: sender) ?? 0) > 20
                    && scene.status("kitchen")?.refused?["wrong-key"] ?? 0 >= 2
            })
        let count = scene.status("kitchen")?.refused?["wrong-key"] ?? 0
        #expect((2...4).contains(count) && scene.status("kitchen")?.trouble == nil, "\(count)")
        scene.radio.removeSensor(sender)
        _ = scene.radio.addBroadcaster(Self.stranger(period: .milliseconds(80)))
        #expect(await eventually { scene.status("kitchen")?.trouble != nil })
        #expect((scene.status("kitchen")?.refused?["wrong-key"] ?? 0) >= 5)
    }

    @Test func `of a key that has opened packets just now it is not told that it is wrong`() async throws {
        let scene = try ListeningScene([Self.rule()])
        let sensor = scene.radio.addBroadcaster(Self.sensor())
        #expect(await eventually { !scene.outcome.now.readings.isEmpty })
        scene.radio.removeSensor(sensor)
        _ = scene.radio.addBroadcaster(Self.stranger(period: .milliseconds(20)))
        #expect(await eventually { (scene.status("kitchen")?.refused?["wrong-key"] ?? 0) > 10 })
        #expect(scene.status("kitchen")?.trouble == nil)
    }

    /// The stored state of an earlier run, which last heard the sensor's packet 1,000.
    private static func earlierRun() async throws -> [String: String] {
        let scene = try ListeningScene([rule()])
        _ = scene.radio.addBroadcaster(sensor(from: 1_000, upTo: 1_000))
        try #require(await eventually { !scene.outcome.now.readings.isEmpty })
        scene.collector.stop(timeout: hangLimit)
        return scene.outcome.now.facts
    }

    @Test func `before the journal is open no packet is a reading, and then those that no earlier run has heard are`()
        async throws
    {
        let kept = try await Self.earlierRun()
        let facts = LateFacts()
        let scene = try ListeningScene([Self.rule()], lateFacts: facts)
        let recorded = scene.radio.addBroadcaster(Self.sensor(from: 3, upTo: 6))
        #expect(await eventually { (scene.status("kitchen")?.repeats ?? 0) > 5 })
        scene.radio.removeSensor(recorded)
        let own = scene.radio.addBroadcaster(Self.sensor(from: 1_001, upTo: 1_003))
        let before = scene.status("kitchen")?.repeats ?? 0
        #expect(await eventually { (scene.status("kitchen")?.repeats ?? 0) > before + 5 })
        scene.radio.removeSensor(own)
        #expect(await settled { scene.outcome.now.readings.count } == 0 && scene.status("kitchen")?.readings == 0)
        let heard = SystemClock(requireSynchronization: false).stamp().uptimeMilliseconds
        facts.tell(kept)
        #expect(await eventually { (scene.status("kitchen")?.refused?["replayed"] ?? 0) > 0 })
        let readings = await settled { scene.outcome.now.readings }
        // A packet may be lost on the air.
        #expect((1...3).contains(readings.count) && (scene.status("kitchen")?.refused?["replayed"] ?? 0) <= 4)
        #expect(readings.allSatisfy { $0.stamp.uptimeMilliseconds <= heard }, "the times are those of the packets")
        scene.collector.stop(timeout: hangLimit)
        #expect(Self.counter(in: scene) ?? 0 > 1_000)
    }

    @Test func `packets beyond those that may wait for the journal are counted, and so are those that wait for good`()
        async throws
    {
        let scene = try ListeningScene([Self.rule()], lateFacts: LateFacts())
        let count = EarlyPackets.maximum + 20
        let sender = scene.radio.addBroadcaster(Self.sensor(from: 5, upTo: UInt32(4 + count)))
        #expect(await eventually { (scene.status("kitchen")?.refused?["too-early"] ?? 0) > 0 })
        scene.radio.removeSensor(sender)
        let refused = await settled { scene.status("kitchen")?.refused?["too-early"] ?? 0 }
        #expect((1...20).contains(refused), "\(refused)")
        // With another key, packets under the former key no longer wait.
        scene.collector.apply([Self.rule(key: [UInt8](repeating: 7, count: 16))])
        #expect(
            await eventually { (scene.status("kitchen")?.refused?["too-early"] ?? 0) == refused + EarlyPackets.maximum }
        )
        #expect(scene.outcome.now.readings.isEmpty)
    }

    @Test func `the operator's word before the journal is open is about the packets that wait`() async throws {
        let kept = try await Self.earlierRun()
        let facts = LateFacts()
        let scene = try ListeningScene([Self.rule()], lateFacts: facts)
        let sensor = scene.radio.addBroadcaster(Self.sensor(from: 3, upTo: 3))
        #expect(await eventually { (scene.status("kitchen")?.repeats ?? 0) > 5 })
        scene.radio.removeSensor(sensor)
        _ = await scene.collector.trust("kitchen", nil, within: hangLimit)
        facts.tell(kept)
        #expect(await eventually { scene.outcome.now.readings.count == 1 })
        #expect(scene.status("kitchen")?.refused == nil)
    }

    @Test func `plain packets in the name of a sensor with a key are refused and counted`() async throws {
        let scene = try ListeningScene([Self.rule()])
        let plain: [UInt8] = [0x40, 0x01, 50, 0x02, 0x10, 0x27]
        _ = scene.radio.addBroadcaster(
            VirtualBroadcaster.Configuration(
                address: DeviceAddress(kind: .public, value: Self.address), interval: .milliseconds(20)
            ) { _ in [2, 0x01, 0x06, UInt8(plain.count + 3), 0x16, 0xD2, 0xFC] + plain })
        #expect(await eventually { (scene.status("kitchen")?.refused?["not-encrypted"] ?? 0) > 10 })
        #expect(scene.outcome.now.readings.isEmpty)
    }

    @Test func `what is played back is refused and counted, after a restart of the gateway, too`() async throws {
        var scene = try ListeningScene([Self.rule()])
        let sensor = scene.radio.addBroadcaster(Self.sensor())
        #expect(await eventually { scene.outcome.now.readings.count >= 10 })
        scene.radio.removeSensor(sensor)
        // Packets on their way have arrived.
        let counted = await settled { scene.outcome.now.readings.count }
        _ = scene.radio.addBroadcaster(Self.sensor(upTo: 3))
        #expect(await eventually { (scene.status("kitchen")?.refused?["replayed"] ?? 0) > 10 })
        #expect(scene.outcome.now.readings.count == counted)

        scene.collector.stop(timeout: hangLimit)
        let facts = scene.outcome.now.facts
        #expect(!facts.isEmpty)
        scene = try ListeningScene([Self.rule()], facts: facts)
        let recorded = scene.radio.addBroadcaster(Self.sensor(upTo: 3))
        #expect(await eventually { (scene.status("kitchen")?.refused?["replayed"] ?? 0) > 10 })
        #expect(scene.outcome.now.readings.isEmpty)
        scene.radio.removeSensor(recorded)
        _ = scene.radio.addBroadcaster(Self.sensor(from: 1_000))
        #expect(await eventually { !scene.outcome.now.readings.isEmpty })
    }
}
