// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Platform
import Readings
import SensorCipher
import Testing
import VirtualRadio

@testable import Collector
@testable import GatewayBench

/// A sensor with Encrypted Advertising Data: its values are those of the family in the envelope.
@Suite(.timeLimit(.minutes(10)))
struct EncryptedDataListeningTests {
    private static let address = PairingSensor.address.value
    static let key = [UInt8](0..<24)

    static func rule(key: [UInt8]? = key) -> SensorRule {
        var rule = ListeningScene.rule("shed", address: address)
        rule.bindKey = key.map { Secret($0.hexadecimal) }
        return rule
    }

    /// A broadcaster of BTHome objects in an envelope. Each packet has a randomizer of its own.
    static func sender(
        key: @escaping @Sendable () -> [UInt8] = { key }, _ objects: @escaping @Sendable (UInt32) -> [UInt8]
    ) -> VirtualBroadcaster.Configuration {
        VirtualBroadcaster.Configuration(
            address: DeviceAddress(kind: .public, value: address), interval: .milliseconds(20)
        ) { packet in
            let data = [0x16, 0xD2, 0xFC] + objects(packet)
            let key = key()
            let randomizer = [UInt8](repeating: UInt8(truncatingIfNeeded: packet), count: 5)
            let sealed = PacketCipher.sealCCM(
                [UInt8(data.count)] + data, key: Array(key.prefix(16)), nonce: randomizer + key.suffix(8),
                additionalData: [0xEA], tagLength: 4)
            let envelope = randomizer + sealed.ciphertext + sealed.tag
            return [2, 0x01, 0x06, UInt8(envelope.count + 1), 0x31] + envelope
        }
    }

    static func temperature(_ packet: UInt32) -> [UInt8] {
        [0x40, 0x00, UInt8(truncatingIfNeeded: packet), 0x02, UInt8(truncatingIfNeeded: packet), 0x09]
    }

    @Test func `the key opens the envelope, and the readings are the inner family's`() async throws {
        let scene = try ListeningScene([Self.rule()])
        _ = scene.radio.addBroadcaster(Self.sender(Self.temperature))
        #expect(await eventually { scene.outcome.now.readings.count >= 3 })
        #expect(scene.outcome.now.readings.allSatisfy { $0.characteristic == "bthome" })
        #expect(scene.status("shed")?.family == "bthome")
    }

    @Test func `without a key the status asks for the key material`() async throws {
        let scene = try ListeningScene([Self.rule(key: nil)])
        _ = scene.radio.addBroadcaster(Self.sender(Self.temperature))
        #expect(await eventually { scene.status("shed")?.trouble?.contains("48 digits") == true })
        #expect(scene.outcome.now.readings.isEmpty)
    }

    @Test func `a wrong key opens nothing, and a press that may be a recording is refused`() async throws {
        let other = try ListeningScene([Self.rule(key: [UInt8](1..<25))])
        _ = other.radio.addBroadcaster(Self.sender(Self.temperature))
        #expect(await eventually { (other.status("shed")?.refused?["wrong-key"] ?? 0) > 10 })
        #expect(other.outcome.now.readings.isEmpty)
        let pressed = try ListeningScene([Self.rule()])
        _ = pressed.radio.addBroadcaster(Self.sender { [0x44, 0x00, UInt8(truncatingIfNeeded: $0), 0x3A, 0x01] })
        #expect(await eventually { (pressed.status("shed")?.refused?["uncounted"] ?? 0) > 10 })
        #expect(pressed.outcome.now.readings.isEmpty)
    }
}
