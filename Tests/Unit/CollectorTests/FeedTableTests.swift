// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Readings
import Testing
import VirtualRadio

@testable import Collector
@testable import CoreBluetooth

/// The characteristics of a link over set-ups, without a link.
struct FeedTableTests {
    /// A sensor with two collected characteristics, and others.
    private final class Scene {
        private static let collected: [UInt16] = [0x2A6E, 0x2A6F]

        private let radio = VirtualRadio()
        private let controller: CBController
        private let manager: CBCentralManager
        private let service = CBMutableService(type: CBUUID(string: "181A"), primary: true)
        let sensor: LinkedSensor

        init() throws {
            let address = try #require(DeviceAddress("C4:7C:8D:00:22:01", kind: .public))
            controller = CBController(
                transport: .descriptor(try radio.makeController(address: address)), stateDirectory: nil)
            manager = CBCentralManager(
                delegate: nil, queue: nil, options: [CBCentralManagerOptionControllerKey: controller])
            var rule = SensorRule()
            rule.subscribe = Self.collected.map {
                SensorRule.Feed(service: BluetoothUUID(0x181A as UInt16), characteristic: BluetoothUUID($0))
            }
            let identifier = UUID()
            sensor = LinkedSensor(
                peripheral: CBPeripheral(address: address, identifier: identifier, manager: manager),
                candidate: .init(name: nil, address: address.value, identifier: identifier, services: []), rule: rule,
                life: SensorLife(), pairing: SensorPairing(pauses: .seconds(1) ... .seconds(2), next: .now()),
                sensors: SensorTable())
        }

        deinit { controller.shutdown() }

        func feed(_ uuid: String) -> CharacteristicFeed {
            let characteristic = CBMutableCharacteristic(
                type: CBUUID(string: uuid), properties: [.read, .notify], value: nil, permissions: .readable)
            service.characteristics = (service.characteristics ?? []) + [characteristic]
            return CharacteristicFeed(characteristic: characteristic, sensor: sensor, token: 0)
        }
    }

    private let scene: Scene

    init() throws { scene = try Scene() }

    @Test func `a sensor is served when each collected characteristic has had a value since then`() {
        var feeds = FeedTable()
        let (first, second, other) = (scene.feed("2A6E"), scene.feed("2A6F"), scene.feed("2A19"))
        for feed in [first, second, other] { feeds.add(feed) }
        #expect(first.isCollected && second.isCollected && !other.isCollected)
        #expect(!feeds.areServed(since: 100))
        first.valueCame(at: 100)
        second.valueCame(at: 99)
        #expect(!feeds.areServed(since: 100), "the second value is older")
        second.valueCame(at: 100)
        #expect(feeds.areServed(since: 100))
        second.reads.asked()
        #expect(!feeds.areServed(since: 100), "a question is open")
        other.reads.asked()
        _ = second.reads.takes(isAnswer: true)
        #expect(feeds.areServed(since: 100), "the open question is about a characteristic that is not collected")
    }

    @Test func `the time of the newest value goes to the new characteristic, unless this one has a value already`() {
        var feeds = FeedTable()
        let (old, another) = (scene.feed("2A6E"), scene.feed("2A6F"))
        for feed in [old, another] { feeds.add(feed) }
        old.valueCame(at: 50)
        another.valueCame(at: 70)
        feeds.setUpBegins()
        #expect(
            feeds.current.isEmpty && feeds.lastValue == 70, "values of the former set-up count until the next is done")
        let (new, fresh) = (scene.feed("2A6E"), scene.feed("2A6F"))
        for feed in [new, fresh] { feeds.add(feed) }
        fresh.valueCame(at: 60)
        let dropped = feeds.dropFormer()
        #expect(dropped.count == 2 && feeds.former.isEmpty && feeds.all.count == 2)
        #expect(new.lastAt == 50)
        #expect(fresh.lastAt == 60)
    }

    @Test func `the end of a link ends the questions of both set-ups, and those of the present one alone hold a link`()
    {
        var feeds = FeedTable()
        let (old, new) = (scene.feed("2A6E"), scene.feed("2A6F"))
        feeds.add(old)
        old.reads.asked()
        feeds.setUpBegins()
        feeds.add(new)
        #expect(feeds.areAnswered, "the question of the former set-up may stay without an answer")
        new.reads.asked()
        #expect(!feeds.areAnswered)
        feeds.linkEnded()
        #expect(feeds.areAnswered && old.reads.pending == 0 && new.reads.pending == 0)
    }
}
