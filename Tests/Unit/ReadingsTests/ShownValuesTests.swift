// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import Readings

/// The displayed values of a sensor that advertises, with some damaged packets.
struct ShownValuesTests {
    private static let temperature: [UInt8] = [0x40, 0x02, 0xCA, 0x09]
    private static let both: [UInt8] = [0x40, 0x02, 0xCA, 0x09, 0x13, 0xBF, 0x13]
    private static let tvoc: [UInt8] = [0x40, 0x13, 0xBF, 0x13]
    private static let opening: [UInt8] = [0x44, 0x11, 0x01]

    private struct Scene {
        var values = ShownValues()
        var uptime: Int64 = 1_000

        mutating func hear(_ value: [UInt8], isSealed: Bool = false, times: Int = 1) {
            for _ in 0..<times {
                uptime += 1_000
                let stamp = TimeStamp(
                    boot: "b", uptimeMilliseconds: uptime, unixMilliseconds: nil, quality: .unsynced)
                values.record(
                    Reading(
                        device: "room", characteristic: "bthome", source: .advert, value: value, rssi: nil, stamp: stamp
                    ),
                    about: Decoders.decode(characteristic: "bthome", value: value), isSealed: isSealed)
            }
        }

        var shown: Set<String> {
            Set(values.values.compactMap(\.fields).joined().map(\.key))
        }
    }

    @Test(arguments: [tvoc, both])
    func `a quantity that one packet names alone goes with the next packets`(odd: [UInt8]) {
        var scene = Scene()
        scene.hear(Self.temperature, times: 3)
        scene.hear(odd)
        #expect(scene.shown.contains("tvoc"), "it may be new")
        scene.hear(Self.temperature, times: QuantityDoubts.packets)
        #expect(scene.shown == ["temperature"] && scene.values.values.count == 1)
    }

    @Test func `what a second packet names stays, and so does what the first packet of all names`() {
        var scene = Scene()
        scene.hear(Self.tvoc)
        #expect(scene.shown == ["tvoc"])
        scene.hear(Self.temperature, times: 5)
        scene.hear(Self.tvoc)
        scene.hear(Self.temperature, times: 10_000)
        #expect(scene.shown == ["temperature", "tvoc"])
        #expect(scene.values.newestAt == scene.uptime)
    }

    @Test func `a door stays where it was seen once, and so does what a key vouches for`() {
        var scene = Scene()
        scene.hear(Self.opening)
        scene.hear(Self.tvoc, isSealed: true)
        scene.hear(Self.temperature, times: 100)
        #expect(scene.shown == ["opening", "temperature", "tvoc"])
    }

    @Test func `what an operator drops goes, until a packet names it again`() {
        var scene = Scene()
        scene.hear(Self.tvoc, times: 2)
        scene.hear(Self.temperature, times: 2)
        let (isDropped, again) = (scene.values.drop("tvoc"), scene.values.drop("tvoc"))
        #expect(isDropped && !again && scene.shown == ["temperature"])
        scene.hear(Self.tvoc)
        scene.hear(Self.temperature, times: QuantityDoubts.packets)
        #expect(scene.shown == ["temperature"], "one packet does not bring it back for good")
    }

    @Test func `the newest of packets about the same is shown`() {
        var scene = Scene()
        for octet in UInt8(0)..<5 {
            scene.hear([0x40, 0x02, octet, 0x09])
            #expect(scene.values.values.map(\.reading.value) == [[0x40, 0x02, octet, 0x09]])
            #expect(scene.values.newestAt == scene.uptime)
        }
        scene.values.forgetDecoded()
        scene.hear(Self.both, times: 2)
        scene.hear(Self.temperature)
        #expect(scene.shown == ["temperature", "tvoc"] && scene.values.values.count == 2)
    }

    @Test func `what is remembered is bounded`() {
        var scene = Scene()
        for length in 0..<1_000 { scene.hear([0xFF] + [UInt8](repeating: 7, count: length % 300)) }
        #expect(scene.values.values.count <= 8)
    }
}
