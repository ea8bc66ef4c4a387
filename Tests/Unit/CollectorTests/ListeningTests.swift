// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Readings
import Synchronization
import Testing
import VirtualRadio

@testable import Collector
@testable import GatewayBench

@Suite(.timeLimit(.minutes(10)))
struct ListeningTests {
    @Test func `each packet of a sensor that is named by its address becomes one reading`() async throws {
        let scene = try ListeningScene([ListeningScene.rule("tag", address: ListeningScene.tag)])
        let tag = scene.addRuuvi()
        #expect(await eventually { scene.outcome.now.readings.count >= 5 })
        scene.radio.removeSensor(tag)
        let state = scene.outcome.now
        #expect(
            state.readings.allSatisfy { $0.device == "tag" && $0.characteristic == "ruuvi" && $0.source == .advert })
        let numbers = state.readings.map { UInt32($0.value[16]) << 8 | UInt32($0.value[17]) }
        #expect(numbers == Array(numbers.first!..<numbers.first! + UInt32(numbers.count)))
        #expect(state.online["tag"] == true)
        let status = try #require(scene.status("tag"))
        #expect(status.link == .listening && status.family == "ruuvi" && (status.repeats ?? 0) > 0)
        #expect(status.values.first?.fields?.first?.value == .number(24.3))
    }

    @Test func `of a sensor that sends its values in turns, the newest of each is shown`() async throws {
        let scene = try ListeningScene([ListeningScene.rule("room", address: ListeningScene.tag)])
        // Packets of one length: a temperature, a humidity, and now and then both.
        _ = scene.addMiBeacon { number in
            switch number % 5 {
            case 0, 2: [0x04, 0x10, 2, number, 0]
            case 1, 3: [0x06, 0x10, 2, number, 0]
            default: [0x0D, 0x10, 4, number, 0, number, 0]
            }
        }
        func shown(_ count: Int) -> [[String]] {
            (scene.status("room")?.values ?? []).map { ($0.fields ?? []).map(\.quantity) }.filter { $0.count == count }
        }
        #expect(await eventually { Set(shown(1)) == [["temperature"], ["humidity"]] })
        // A packet with newer values of both quantities replaces both packets.
        #expect(await eventually { shown(1).isEmpty && shown(2).count == 1 })
        #expect(scene.status("room")?.gap == 0)
    }

    @Test
    func `what says what cannot be is no reading, does not make a sensor, and of one that is known it is counted`()
        async throws
    {
        let other: UInt64 = 0xC47C_8D00_0001
        let scene = try ListeningScene(
            [ListeningScene.rule("room", address: ListeningScene.tag), ListeningScene.rule("broken", address: other)])
        // −3276.8 °C in every second packet.
        _ = scene.addMiBeacon { $0.isMultiple(of: 2) ? [0x04, 0x10, 2, 200, 0] : [0x04, 0x10, 2, 0x00, 0x80] }
        let broken = scene.addMiBeacon(at: other) { _ in [0x04, 0x10, 2, 0x00, 0x80] }
        #expect(await eventually { (scene.status("room")?.refused?["not-understood"] ?? 0) > 5 })
        #expect(await eventually { scene.outcome.now.readings.count >= 5 })
        #expect(await eventually { (scene.radio.packets(of: broken) ?? 0) > 20 })
        #expect(scene.outcome.now.readings.allSatisfy { $0.device == "room" && $0.value.suffix(2) == [200, 0] })
        #expect(scene.status("broken") == nil)
    }

    @Test func `packets that never came are counted by the sensor's own numbers`() async throws {
        let scene = try ListeningScene([ListeningScene.rule("tag", address: ListeningScene.tag)])
        // Every third number is left out.
        _ = scene.addRuuvi { $0 + $0 / 2 }
        #expect(await eventually { scene.outcome.now.readings.count >= 9 })
        let state = scene.outcome.now
        let numbers = state.readings.map { Int($0.value[16]) << 8 | Int($0.value[17]) }
        let missing = zip(numbers, numbers.dropFirst()).reduce(0) { $0 + $1.1 - $1.0 - 1 }
        #expect(missing > 0 && (state.gaps["tag"] ?? 0) >= missing)
    }

    @Test func `of several numbers that never came in a row, each is counted`() async throws {
        let scene = try ListeningScene([ListeningScene.rule("tag", address: ListeningScene.tag)])
        let tag = scene.addRuuvi { $0 * 10 }
        #expect(await eventually { scene.outcome.now.readings.count >= 5 })
        scene.radio.removeSensor(tag)
        let state = scene.outcome.now
        let numbers = state.readings.map { Int($0.value[16]) << 8 | Int($0.value[17]) }
        let missing = zip(numbers, numbers.dropFirst()).reduce(0) { $0 + $1.1 - $1.0 - 1 }
        #expect(missing >= 9 * 4 && (state.gaps["tag"] ?? 0) >= missing)
    }

    @Test func `what an entry says of a tank is in the sensor's values`() async throws {
        let address: UInt64 = 0xD436_39E0_F509
        var rule = ListeningScene.rule("tank", address: address)
        rule.medium = .water
        let scene = try ListeningScene([rule])
        let data: [UInt8] = [0x59, 0x00, 0x08, 0x70, 0x43, 0xB6, 0xC3, 0xE0, 0xF5, 0x09, 0xFA, 0xE3]
        _ = scene.radio.addBroadcaster(
            VirtualBroadcaster.Configuration(
                address: DeviceAddress(kind: .public, value: address), interval: .milliseconds(20)
            ) { _ in [2, 0x01, 0x06, 3, 0x03, 0xE5, 0xFE, UInt8(data.count + 1), 0xFF] + data })
        #expect(await eventually { !scene.outcome.now.readings.isEmpty })
        let value = try #require(scene.outcome.now.readings.first).value
        #expect(
            Decoders.decode(characteristic: "mopeka", value: value)?.last == .decimal(.liquidLevel, 711, places: 3))
    }

    @Test func `an entry about one sensor has one, whoever else looks like it`() async throws {
        let scene = try ListeningScene([ListeningScene.rule("tag", family: "ruuvi")])
        let others = [ListeningScene.tag, 0xC000_0000_0011, 0xC000_0000_0012].map { scene.addRuuvi(at: $0) }
        #expect(await eventually { scene.outcome.now.readings.count >= 10 })
        for other in others { #expect(await eventually { (scene.radio.packets(of: other) ?? 0) > 20 }) }
        let senders = scene.outcome.now.readings.map { $0.value.suffix(6) }
        #expect(Set(senders).count == 1)
        #expect(scene.collector.status.sensors.count == 1)
    }

    @Test(arguments: [true, false])
    func `a sensor far away is heard on LE Coded, where the controller has it`(hasCoded: Bool) async throws {
        let far: UInt64 = 0xC000_0000_0003
        let scene = try ListeningScene(
            [ListeningScene.rule("near", address: ListeningScene.tag), ListeningScene.rule("far", address: far)],
            settings: ControllerSettings(extendedAdvertising: true, codedPHY: hasCoded))
        _ = scene.addRuuvi()
        let sender = scene.addRuuvi(at: far, isCoded: true)
        #expect(await eventually { (scene.radio.packets(of: sender) ?? 0) > 20 })
        let expected: Set = hasCoded ? ["near", "far"] : ["near"]
        #expect(await eventually { Set(scene.outcome.now.readings.map(\.device)) == expected })
        #expect((scene.status("far")?.link == .listening) == hasCoded)
    }

    @Test func `a sensor that a rule finds by its family is listened to, and nothing else`() async throws {
        let scene = try ListeningScene([ListeningScene.rule(nil, family: "ruuvi")])
        _ = scene.addRuuvi()
        // The packet repeats another sensor's address, so it is no packet of the family.
        let spoofer = scene.addRuuvi(at: 0xC000_0000_0001, claiming: ListeningScene.tag)
        // Its address changes.
        let rotating = scene.addRuuvi(at: 0x4000_0000_0002)
        #expect(await eventually { scene.outcome.now.readings.count >= 5 })
        #expect(await eventually { (scene.radio.packets(of: spoofer) ?? 0) > 20 })
        #expect(await eventually { (scene.radio.packets(of: rotating) ?? 0) > 20 })
        #expect(Set(scene.outcome.now.readings.map(\.device)) == ["cbb8334c884f"])
        #expect(scene.collector.status.sensors.map(\.id) == ["cbb8334c884f"])
    }

    @Test func `of more sensors than one gateway bears, those that came first are listened to, and it is told`()
        async throws
    {
        var limits = ClaimLimits()
        (limits.proof, limits.unheld) = (300, Collector.maximumSensors)
        let scene = try ListeningScene([ListeningScene.rule(nil, family: "ruuvi")], claimLimits: limits)
        for number in 1...UInt64(Collector.maximumSensors + 20) {
            _ = scene.addRuuvi(at: 0xC000_0000_0000 + number, interval: .milliseconds(500))
        }
        #expect(await eventually { scene.lines.text.contains("too many sensors: more are left alone") })
        #expect(scene.collector.status.sensors.count == Collector.maximumSensors)
    }

    @Test func `a sensor that is gone is told of as away, and as back`() async throws {
        var limits = SilenceLimits()
        (limits.least, limits.factor, limits.unknown) = (100, 3, 100)
        let scene = try ListeningScene(
            [ListeningScene.rule("tag", address: ListeningScene.tag)], silenceLimits: limits)
        let tag = scene.addRuuvi()
        #expect(await eventually { scene.outcome.now.online["tag"] == true })
        scene.radio.removeSensor(tag)
        #expect(
            await eventually {
                scene.collector.queue.sync { scene.collector.lookForSilence() }
                return scene.outcome.now.online["tag"] == false
            })
        let why = try #require(await scene.collector.explain("tag", within: hangLimit)?.get())
        #expect(why.state == .link(.listening) && why.answer.hasPrefix("The gateway does not hear the sensor any more"))
        _ = scene.addRuuvi { $0 + 1_000 }
        #expect(await eventually { scene.outcome.now.online["tag"] == true })
    }

    @Test func `where a sensor is not heard and others are, the scan is started again`() async throws {
        var limits = SilenceLimits()
        (limits.least, limits.factor, limits.unknown) = (300, 3, 300)
        let scene = try ListeningScene(
            [ListeningScene.rule("tag", address: ListeningScene.tag)], silenceLimits: limits,
            settings: ControllerSettings(faults: [.tellsOnce]))
        _ = scene.addRuuvi()
        #expect(await eventually { scene.outcome.now.readings.count == 1 })
        var passers: [AirNodeID] = []
        let isRule = await eventually {
            passers.append(scene.addRuuvi(at: 0xC000_0000_0000 + UInt64(passers.count)))
            if passers.count > 5 { scene.radio.removeSensor(passers[passers.count - 6]) }
            scene.collector.queue.sync { scene.collector.lookForSilence() }
            return scene.controller.health.events.count { $0.outcome == .cured } >= 3
        }
        #expect(isRule, "\(scene.controller.health)")
        let events = scene.controller.health.events
        #expect(events.allSatisfy { $0.step == .scan })
        let reason = "the only advertising sensor is not heard, and others are"
        #expect(events.contains { $0.outcome == .taken && $0.reason == reason }, "\(events)")
        #expect(scene.outcome.now.readings.count(where: { $0.device == "tag" }) >= 3)
    }

    @Test func `a sensor that tells of events alone is not silent when nothing happens`() async throws {
        var limits = SilenceLimits()
        (limits.least, limits.factor, limits.unknown) = (100, 3, 100)
        let door: UInt64 = 0xA4C1_3812_3456
        let scene = try ListeningScene(
            [ListeningScene.rule("tag", address: ListeningScene.tag), ListeningScene.rule("door", address: door)],
            silenceLimits: limits)
        let event = try #require([UInt8](hexadecimal: "88ef3dec0000de4377d55e55f991496e36bdc67f8b2c27067497"))
        let sender = scene.radio.addBroadcaster(
            VirtualBroadcaster.Configuration(
                address: DeviceAddress(kind: .public, value: door), interval: .milliseconds(20)
            ) { _ in [2, 0x01, 0x06, UInt8(event.count + 1), 0xFF] + event })
        let tag = scene.addRuuvi()
        #expect(await eventually { scene.outcome.now.online == ["tag": true, "door": true] })
        let descriptions = scene.outcome.now.descriptions
        #expect(descriptions["door"]?.speaksSeldom == true && descriptions["door"]?.family == "Govee")
        #expect(descriptions["tag"]?.speaksSeldom == false && descriptions["tag"]?.family == "Ruuvi")
        scene.radio.removeSensor(sender)
        scene.radio.removeSensor(tag)
        // The watch judges both at the same moments.
        #expect(
            await eventually {
                scene.collector.queue.sync { scene.collector.lookForSilence() }
                return scene.outcome.now.online["tag"] == false
            })
        scene.collector.queue.sync { scene.collector.lookForSilence() }
        #expect(scene.outcome.now.online["door"] == true)
    }

    @Test func `a sensor whose first packet is an event is told of anew when it turns out to have an interval`()
        async throws
    {
        let door: UInt64 = 0xA4C1_3812_3456
        let scene = try ListeningScene([ListeningScene.rule("door", address: door)])
        // BTHome: an opened window, and later a temperature.
        let sender = VirtualBroadcaster.Configuration(
            address: DeviceAddress(kind: .public, value: door), interval: .milliseconds(20)
        ) { packet in
            let number = UInt8(truncatingIfNeeded: min(packet / 20, 2))
            let objects: [UInt8] = number < 2 ? [0x44, 0x00, number, 0x2D, 0x01] : [0x40, 0x00, 2, 0x02, 0x10, 0x08]
            return [2, 0x01, 0x06, UInt8(objects.count + 3), 0x16, 0xD2, 0xFC] + objects
        }
        _ = scene.radio.addBroadcaster(sender)
        #expect(await eventually { scene.outcome.now.descriptions["door"]?.speaksSeldom == false })
        #expect(scene.outcome.now.told["door"]?.map(\.speaksSeldom) == [true, false])
    }

    @Test func `an entry that is gone takes its sensor with it`() async throws {
        let scene = try ListeningScene([ListeningScene.rule("tag", address: ListeningScene.tag)])
        _ = scene.addRuuvi()
        #expect(await eventually { !scene.outcome.now.readings.isEmpty })
        scene.collector.apply([])
        #expect(await eventually { scene.collector.status.sensors.isEmpty })
        #expect(scene.outcome.now.online["tag"] == false)
    }

    @Test func `a sensor that only a file of the user's describes is listened to like all others`() async throws {
        var field = FormField(.temperature, offset: 1, octets: 2)
        field.factor = .init(mantissa: 1, places: 1)
        var decoder = SensorDefinition(
            key: "acme-t1", name: "ACME T1", source: .manufacturer(0xFFFE), length: 4...4, fields: [field])
        decoder.forms[0].prefix = [.init(mask: 0xF0, value: 0xA0)]
        UserDecoders.install(UserDecoders([decoder]))
        let scene = try ListeningScene([ListeningScene.rule("acme", family: "acme-t1")])
        func add(_ address: UInt64, _ first: UInt8) {
            _ = scene.radio.addBroadcaster(
                VirtualBroadcaster.Configuration(
                    address: DeviceAddress(kind: .random, value: address), interval: .milliseconds(20)
                ) { packet in [2, 0x01, 0x06, 7, 0xFF, 0xFE, 0xFF, first, UInt8(truncatingIfNeeded: packet / 4), 0, 9] }
            )
        }
        add(0xC000_0000_0077, 0xA5)
        add(0xC000_0000_0078, 0xB5)
        #expect(await eventually { scene.outcome.now.readings.count >= 5 })
        let readings = scene.outcome.now.readings
        #expect(readings.allSatisfy { $0.device == "acme" && $0.characteristic == "acme-t1" && $0.value[0] == 0xA5 })
        let status = try #require(scene.status("acme"))
        #expect(status.address == "C0:00:00:00:00:77" && status.values.first?.fields?.first?.quantity == "temperature")
    }

    @Test func `a pairing with a sensor that takes no connection is refused at once, with the reason and the way`()
        async throws
    {
        let scene = try ListeningScene([ListeningScene.rule("tag", address: ListeningScene.tag)])
        _ = scene.addRuuvi()
        #expect(await eventually { !scene.outcome.now.readings.isEmpty })
        let words = Mutex<[PairingDialogue.Word]>([])
        let dialogue = PairingDialogue(passkey: nil)
        dialogue.listen { word, _ in words.withLock { $0.append(word) } }
        scene.collector.pair("tag", dialogue)
        #expect(await eventually { dialogue.isOver })
        #expect(
            words.withLock { $0 } == [
                .failure(
                    "tag is not connected to: its values come in its advertisements, and nothing has to be paired. An "
                        + "encrypted sensor needs its key: martlet key tag")
            ])
    }
}
