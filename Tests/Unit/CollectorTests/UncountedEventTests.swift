// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SensorCipher
import Testing
import VirtualRadio

@testable import Collector
@testable import GatewayBench

/// MiBeacon version 3: an encrypted packet without an authentic counter. A recorded packet looks like a new packet.
@Suite(.timeLimit(.minutes(5)))
struct UncountedEventTests {
    private static let address: UInt64 = 0xA4C1_3800_0003
    private static let press: [UInt8] = [0x01, 0x10, 0x03, 0x00, 0x00, 0x00]
    private static let temperature: [UInt8] = [0x04, 0x10, 0x02, 0xD7, 0x00]

    /// `YLYK01YL`, whose values are events, or `CGD1`.
    private static func packet(_ number: UInt32, _ object: [UInt8]) -> [UInt8] {
        let product: [UInt8] = object == press ? [0x53, 0x01] : [0x76, 0x05]
        let low = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        let mac = (0..<6).map { UInt8(truncatingIfNeeded: address >> (8 * $0)) }
        let head: [UInt8] = [0x58, 0x30] + product + [low[0]]
        let block = [0x01] + head + low[1...3] + mac.prefix(5) + [0, 1]
        let ciphertext = PacketCipher.applyCTR(object, key: SimulatedFamily.key, block: block)
        let data = head + mac + ciphertext + low[1...3] + [0x00]
        return [2, 0x01, 0x06, UInt8(data.count + 3), 0x16, 0x95, 0xFE] + data
    }

    @Test func `an event without a counter is refused, and a value without a counter is a reading`() async throws {
        var rule = ListeningScene.rule("remote", address: Self.address)
        rule.bindKey = Secret(SimulatedFamily.key.hexadecimal)
        for object in [Self.press, Self.temperature] {
            let scene = try ListeningScene([rule])
            _ = scene.radio.addBroadcaster(
                VirtualBroadcaster.Configuration(
                    address: DeviceAddress(kind: .public, value: Self.address), interval: .milliseconds(20)
                ) { Self.packet($0, object) })
            if object == Self.press {
                #expect(await eventually { scene.status("remote")?.refused?["uncounted"] ?? 0 > 20 })
                #expect(scene.outcome.now.readings.isEmpty)
            } else {
                #expect(await eventually { scene.outcome.now.readings.count > 3 })
            }
        }
    }
}
