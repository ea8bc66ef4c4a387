// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Platform
import Readings
import SensorCipher
import Testing
import VirtualRadio

@testable import Collector
@testable import GatewayBench

/// Strangers' packets at the address of a sensor with a key, and the sensor's own packets with unknown content.
@Suite(.timeLimit(.minutes(10)))
struct ForgedListeningTests {
    private static let address: UInt64 = 0xA4C1_3812_3456

    private static func rule(key: [UInt8] = SimulatedFamily.key) -> SensorRule {
        var rule = ListeningScene.rule("kitchen", address: address)
        rule.bindKey = Secret(key.hexadecimal)
        return rule
    }

    private static func sensor() -> VirtualBroadcaster.Configuration {
        SimulatedFamily.bthome.configuration(at: address, period: .milliseconds(20))
    }

    /// A broadcaster of AD structures at the sensor's address.
    private static func sender(
        _ structures: @escaping @Sendable (UInt32) -> [UInt8]
    ) -> VirtualBroadcaster.Configuration {
        VirtualBroadcaster.Configuration(
            address: DeviceAddress(kind: .public, value: address), interval: .milliseconds(20)
        ) { [2, 0x01, 0x06] + structures($0) }
    }

    /// Encrypted BTHome.
    private static func sealed(
        _ objects: [UInt8], information: UInt8, _ packet: UInt32, key: [UInt8] = SimulatedFamily.key
    )
        -> [UInt8]
    {
        let mac = (0..<6).map { UInt8(truncatingIfNeeded: address >> (40 - 8 * $0)) }
        let counter = (0..<4).map { UInt8(truncatingIfNeeded: (packet + 1) >> (8 * $0)) }
        let sealed = PacketCipher.sealCCM(
            objects, key: key, nonce: mac + [0xD2, 0xFC, information] + counter, tagLength: 4)
        let data = [information] + sealed.ciphertext + counter + sealed.tag
        return [UInt8(data.count + 3), 0x16, 0xD2, 0xFC] + data
    }

    @Test(arguments: [
        // RuuviTag format 3, iBeacon, Eddystone TLM: families without keys.
        "11ff990403291a1ece1efc18f94202ca0b53", "1aff4c000215f7826da64fa24e988024bc5b71e0893e00010002c5",
        "1116aafe20000bb815000000000100000064",
    ])
    func `packets of another family in the name of a sensor with a key are refused and counted`(
        hexadecimal: String
    ) async throws {
        let octets = try #require([UInt8](hexadecimal: hexadecimal))
        let scene = try ListeningScene([Self.rule()])
        let sensor = scene.radio.addBroadcaster(Self.sensor())
        #expect(await eventually { scene.outcome.now.readings.count >= 3 })
        scene.radio.removeSensor(sensor)
        _ = scene.radio.addBroadcaster(Self.sender { _ in octets })
        #expect(await eventually { (scene.status("kitchen")?.refused?["not-encrypted"] ?? 0) > 10 })
        #expect(scene.outcome.now.readings.allSatisfy { $0.characteristic == "bthome" })
        #expect(scene.status("kitchen")?.trouble == nil)
    }

    @Test func `a key for what is never encrypted is told, and an entry's family is asked for with each packet`()
        async throws
    {
        var ruuvi = ListeningScene.rule("tag", address: ListeningScene.tag)
        ruuvi.bindKey = Secret(SimulatedFamily.key.hexadecimal)
        let scene = try ListeningScene([ruuvi, ListeningScene.rule("door", address: Self.address, family: "bthome")])
        _ = scene.addRuuvi()
        #expect(await eventually { scene.status("tag")?.trouble?.contains("never encrypted") == true })
        let plain: [UInt8] = [9, 0x16, 0xD2, 0xFC, 0x40, 0x00, 1, 0x02, 0x10, 0x27]
        let other = try #require([UInt8](hexadecimal: "11ff990403291a1ece1efc18f94202ca0b53"))
        _ = scene.radio.addBroadcaster(Self.sender { $0 < 50 ? plain : other })
        #expect(await eventually { (scene.status("door")?.refused?["other-family"] ?? 0) > 10 })
        #expect(scene.outcome.now.readings.allSatisfy { $0.characteristic == "bthome" })
    }

    @Test func `authentic packets that say nothing that is known are no sign of a wrong key`() async throws {
        let scene = try ListeningScene([Self.rule()])
        // After a while the sensor sends only an unknown object.
        var sender = Self.sensor()
        let known = sender.packet
        sender.packet = { $0 < 30 ? known($0) : [2, 0x01, 0x06] + Self.sealed([0xEF, 0x01], information: 0x41, $0) }
        _ = scene.radio.addBroadcaster(sender)
        #expect(await eventually { (scene.status("kitchen")?.refused?["not-understood"] ?? 0) > 10 })
        #expect(scene.status("kitchen")?.refused?["wrong-key"] == nil && scene.status("kitchen")?.trouble == nil)
    }

    @Test func `another key begins to count anew, at once and over a restart`() async throws {
        // An earlier run has written down a counter of another key.
        let scene = try ListeningScene([Self.rule()], facts: ["counter:a4c138123456": "50000 1"])
        let first = scene.radio.addBroadcaster(
            Self.sender { Self.sealed([0x01, 95], information: 0x41, 10_000 + $0) })
        #expect(await eventually { scene.outcome.now.readings.count >= 3 })
        scene.radio.removeSensor(first)
        let other = [UInt8](repeating: 7, count: 16)
        scene.collector.apply([Self.rule(key: other)])
        let before = scene.outcome.now.readings.count
        _ = scene.radio.addBroadcaster(Self.sender { Self.sealed([0x01, 94], information: 0x41, $0, key: other) })
        #expect(await eventually(within: .seconds(60)) { scene.outcome.now.readings.count >= before + 3 })
        #expect(scene.status("kitchen")?.refused?["replayed"] == nil)
    }

    @Test func `an event's counter is written down at once, so that a kill does not let it happen again`() async throws
    {
        let scene = try ListeningScene([Self.rule()])
        // A button with four presses, long before the end of the minute for values.
        _ = scene.radio.addBroadcaster(Self.sender { Self.sealed([0x3A, 0x01], information: 0x45, min($0 / 20, 3)) })
        #expect(await eventually { scene.outcome.now.readings.count == 4 })
        #expect(
            await eventually { scene.outcome.now.facts["counter:a4c138123456"]?.hasPrefix("4 ") == true })
    }

    /// A Victron battery's record: any noise of the same length is a valid record, too.
    private static func lithium(_ packet: UInt32) -> [UInt8] {
        let plain: [UInt8] = [
            0, 0, 0, 0, 0, 0, UInt8(40 + packet % 8), 0x50, 0x50, 0x50, 0x50, 0x50, 0x50, 0x05, 0x34, 0x28,
        ]
        let counter = [UInt8(truncatingIfNeeded: packet), UInt8(truncatingIfNeeded: packet >> 8)]
        let stream = SealedPacket(.ctr(block: counter + [UInt8](repeating: 0, count: 14)), ciphertext: plain)
        let ciphertext = PacketCipher.open(stream, key: SimulatedFamily.key) ?? []
        let data = [0xE1, 0x02, 0x10, 0x02, 0x00, 0xA0, 0x05] + counter + [SimulatedFamily.key[0]] + ciphertext
        return [UInt8(data.count + 1), 0xFF] + data
    }

    @Test func `a Victron's key with a wrong last digit makes no reading, and is told`() async throws {
        let wrong = Array(SimulatedFamily.key.dropLast()) + [SimulatedFamily.key[15] ^ 1]
        let scene = try ListeningScene([Self.rule(key: wrong)])
        _ = scene.radio.addBroadcaster(Self.sender(Self.lithium))
        #expect(await eventually { (scene.status("kitchen")?.refused?["wrong-key"] ?? 0) > 60 })
        #expect(scene.outcome.now.readings.isEmpty)
        #expect(scene.status("kitchen")?.trouble?.contains("does not open") == true)
        scene.collector.apply([Self.rule()])
        #expect(await eventually { scene.outcome.now.readings.count >= KeyProof.sample })
        #expect(scene.status("kitchen")?.trouble == nil)
    }
}
