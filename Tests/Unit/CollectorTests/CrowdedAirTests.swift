// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Platform
import Readings
import Testing
import VirtualRadio

@testable import Collector
@testable import GatewayBench

/// A street full of Bluetooth: 200 addresses. Ten advertising sensors and twenty sensors with a link are ours.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct CrowdedAirTests {
    private struct Ours {
        var model: SimulatedFamily
        var address: UInt64
        var id: String
    }

    private static let linked = 20
    private static let ours: [Ours] =
        [SimulatedFamily.ruuvi, .ruuvi, .ruuvi, .atc, .atc, .bthome, .bthome, .bthome, .mibeacon, .mibeacon]
        .enumerated().map { Ours(model: $1, address: 0xA4C1_3800_1000 + UInt64($0), id: "ours-\($0)") }
    private static let period = Duration.milliseconds(250)

    private static var rules: [SensorRule] {
        var several = SensorRule()
        several.name = "Linked *"
        several.subscribe = [SensorRule.Feed(service: 0x181A, characteristic: 0x2A6E)]
        return [several]
            + ours.map { sensor in
                var rule = ListeningScene.rule(sensor.id, address: sensor.address)
                if sensor.model.isEncrypted { rule.bindKey = Secret(SimulatedFamily.key.hexadecimal) }
                return rule
            }
    }

    private static func addLinked(to scene: ListeningScene) -> [AirNodeID] {
        (0..<linked).map { number in
            scene.radio.addSensor(
                VirtualSensor.Configuration(
                    address: DeviceAddress(kind: .random, value: 0xC000_0000_2000 + UInt64(number)),
                    name: "Linked \(number)", kind: .environment, rate: 2, advertisingInterval: .milliseconds(60)))
        }
    }

    /// 168 unwanted addresses: other people's sensors of our families, extended advertising, and changing addresses.
    private static func addStrangers(to scene: ListeningScene) {
        let models: [SimulatedFamily] = [.ruuvi, .atc, .bthome, .tilt, .victron, .govee, .qingping]
        for number in 0..<138 {
            var stranger = models[number % models.count].configuration(
                at: 0x5C31_3E00_0000 + UInt64(number), period: .milliseconds(1_200))
            stranger.isLegacy = number % 5 != 0
            _ = scene.radio.addBroadcaster(stranger)
        }
        for number in 0..<30 {
            // The two highest bits of a resolvable private address are 01.
            var rotating = SimulatedFamily.ruuvi.configuration(
                at: 0x4C31_3E00_0000 + UInt64(number), period: .milliseconds(1_200))
            rotating.address = DeviceAddress(kind: .random, value: 0x4C31_3E00_0000 + UInt64(number))
            _ = scene.radio.addBroadcaster(rotating)
        }
    }

    /// Replays packets of one of our sensors, and sends plain values in the name of another.
    private static func addAttackers(to scene: ListeningScene) {
        let (replayed, spoofed) = (ours[5], ours[6])
        var recorded = replayed.model.configuration(at: replayed.address, period: .milliseconds(200))
        let packet = recorded.packet
        recorded.packet = { packet($0 % 3) }
        _ = scene.radio.addBroadcaster(recorded)
        let plain: [UInt8] = [0x40, 0x01, 50, 0x02, 0x10, 0x27]
        _ = scene.radio.addBroadcaster(
            VirtualBroadcaster.Configuration(
                address: DeviceAddress(kind: .public, value: spoofed.address), interval: .milliseconds(100)
            ) { _ in [2, 0x01, 0x06, UInt8(plain.count + 3), 0x16, 0xD2, 0xFC] + plain })
    }

    @Test func `of 200 addresses exactly those that were asked for are collected, and their books balance`()
        async throws
    {
        let scene = try ListeningScene(Self.rules, settings: ControllerSettings(extendedAdvertising: true))
        let links = Self.addLinked(to: scene)
        let nodes = Self.ours.map { sensor in
            scene.radio.addBroadcaster(sensor.model.configuration(at: sensor.address, period: Self.period))
        }
        Self.addStrangers(to: scene)
        // Recordings are only old when something newer was heard.
        let isHeard = await eventually { Self.counts(scene, Self.ours.map(\.id)).allSatisfy { $0 >= 4 } }
        try #require(isHeard, "\(scene.outcome.now.readings.count) readings")
        Self.addAttackers(to: scene)
        let devices = (0..<Self.linked).map {
            DeviceAddress(kind: .random, value: 0xC000_0000_2000 + UInt64($0)).compact
        }
        #expect(await eventually { Self.counts(scene, Self.ours.map(\.id)).allSatisfy { $0 >= 20 } })
        #expect(await eventually { Self.counts(scene, devices).allSatisfy { $0 >= 5 } })
        #expect(await eventually { (scene.status("ours-5")?.refused?["replayed"] ?? 0) > 10 })
        #expect(await eventually { (scene.status("ours-6")?.refused?["not-encrypted"] ?? 0) > 10 })

        for node in nodes + links { scene.radio.removeSensor(node) }
        // A gap is known before its packet is a reading.
        _ = await settled { scene.outcome.now.readings.count }
        let state = scene.outcome.now
        #expect(Set(state.readings.map(\.device)) == Set(Self.ours.map(\.id) + devices))
        #expect(Set(scene.collector.status.sensors.map(\.id)) == Set(Self.ours.map(\.id) + devices))
        for (sensor, node) in zip(Self.ours, nodes) {
            let readings = state.readings.filter { $0.device == sensor.id }
            try Self.check(
                readings, of: sensor, sent: scene.radio.packets(of: node) ?? .max, gaps: state.gaps[sensor.id] ?? 0)
        }
    }

    private static func counts(_ scene: ListeningScene, _ devices: [String]) -> [Int] {
        let counts = Dictionary(grouping: scene.outcome.now.readings, by: \.device).mapValues(\.count)
        return devices.map { counts[$0] ?? 0 }
    }

    /// Each reading is a packet of the sensor, in order; the collector has counted every missing packet.
    private static func check(_ readings: [Reading], of sensor: Ours, sent: UInt32, gaps: Int) throws {
        var next: UInt32 = 0
        var skipped = 0
        for (index, reading) in readings.enumerated() {
            let fields = Decoders.decode(characteristic: reading.characteristic, value: reading.value) ?? []
            let temperature = try #require(fields.first { $0.quantity == .temperature }?.value.number)
            let hundredths = Int64((temperature * 100).rounded())
            let worth: Int64 = sensor.model == .mibeacon ? 10 : 1
            let packet = (next..<(next + 60)).first { sensor.model.value(of: $0) / worth == hundredths / worth }
            let number = try #require(packet, "\(sensor.id): \(temperature) °C was never sent after packet \(next)")
            if index > 0 { skipped += Int(number - next) }
            next = number + 1
        }
        // BTHome's counter says which packet is newer, and not how many there were.
        #expect(gaps == (sensor.model == .bthome ? 0 : skipped), "\(sensor.id)")
        #expect(readings.count <= Int(sent), "\(sensor.id): \(readings.count) of \(sent)")
    }
}
