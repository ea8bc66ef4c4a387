// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Platform
import Readings
import Testing
import VirtualRadio

@testable import Collector
@testable import GatewayBench

/// When a sensor is asked for its key.
struct KeyQuestTests {
    private static let pauses: ClosedRange<Duration> = .seconds(10)...(.seconds(40))

    private static func at(_ seconds: Int) -> DispatchTime { DispatchTime(uptimeNanoseconds: 1) + .seconds(seconds) }

    @Test func `the pauses grow until the sensor gives a new key`() {
        var quest = KeyQuest()
        #expect(quest.isDue(at: Self.at(0)))
        quest.begin()
        #expect(!quest.isDue(at: Self.at(1_000)), "one question at a time")
        var time = 0
        let outcomes: [(KeyQuest.Outcome, Int)] = [
            (.failed("a"), 10), (.sameKey, 20), (.failed("b"), 40), (.failed("c"), 40), (.newKey, 10), (.sameKey, 20),
        ]
        for (outcome, pause) in outcomes {
            quest.end(outcome, at: Self.at(time), pauses: Self.pauses, spread: 1)
            #expect(!quest.isDue(at: Self.at(time + pause - 1)) && quest.isDue(at: Self.at(time + pause)))
            time += pause
            quest.begin()
        }
        quest.end(.failed("d"), at: Self.at(time), pauses: Self.pauses, spread: 1)
        #expect(quest.failure == "d")
    }

    @Test func `a question that an operator has overtaken is cancelled, and the next one is not`() {
        var quest = KeyQuest()
        quest.cancel()
        #expect(!quest.isCancelled, "nothing was asked")
        quest.begin()
        quest.cancel()
        #expect(quest.isCancelled && quest.isUnderway)
        quest.end(.failed("a"), at: Self.at(0), pauses: Self.pauses, spread: 1)
        quest.begin()
        #expect(!quest.isCancelled)
    }

    @Test func `only 24 octets are a key, and the key counts as wrong after five packets`() {
        var key = SensorKey(nil)
        let short = key.take([UInt8](0..<23))
        #expect(short == .failed("its characteristic 2B88 has 23 octets, and 24 are a key") && !key.exists)
        let (first, second) = (key.take([UInt8](0..<24)), key.take([UInt8](0..<24)))
        #expect(first == .newKey && second == .sameKey && key.isOfSensor)
        key.opened(at: 0)
        let seemsWrong = (0..<5).map { _ in key.failed(at: 1) }
        #expect(seemsWrong == [false, false, false, false, true])
        key.change(to: Secret("00112233445566778899aabbccddeeff"))
        #expect(!key.isOfSensor)
        key.opened(at: 0)
        let stillRight = (0..<9).map { _ in !key.failed(at: 1) }
        #expect(stillRight == Array(repeating: true, count: 9), "an operator's key is right for ten minutes")
    }
}

/// A sensor whose key is in its own characteristic.
@Suite(.ownThread, .timeLimit(.minutes(10)))
struct KeyMaterialTests {
    private static let key = EncryptedDataListeningTests.key

    private static func sensor(_ scene: ListeningScene, material: [UInt8] = key) throws -> PairingSensor {
        var policy = CBPairingPolicy()
        policy.incoming = .open
        policy.capability = .none
        let sensor = try PairingSensor(on: scene.radio, policy: policy, privacy: .off, keyMaterial: material)
        let isReady = blockingEventually { sensor.isAdvertising }
        try #require(isReady)
        return sensor
    }

    private static func begin(_ scene: ListeningScene, key: @escaping @Sendable () -> [UInt8] = { key }) {
        _ = scene.radio.addBroadcaster(
            EncryptedDataListeningTests.sender(key: key, EncryptedDataListeningTests.temperature))
    }

    private static func holds(_ octets: [UInt8], _ part: ArraySlice<UInt8>) -> Bool {
        octets.indices.contains { octets[$0...].starts(with: part) }
    }

    @Test func `a sensor gives its key, which is in no log, fact or capture`() async throws {
        let scene = try ListeningScene([EncryptedDataListeningTests.rule(key: nil)], isCaptured: true)
        let sensor = try Self.sensor(scene)
        Self.begin(scene)
        let isRead = await eventually { scene.outcome.now.readings.count >= 3 }
        try #require(isRead, "\(scene.lines.all.joined(separator: "\n"))")
        #expect(scene.outcome.now.readings.allSatisfy { $0.characteristic == "bthome" })
        #expect(scene.status("shed")?.trouble == nil && scene.status("shed")?.family == "bthome")
        #expect(sensor.ends.count == 1 && sensor.keyReads == 1)
        #expect(scene.collector.bondList.bonds.map(\.device) == ["shed"])
        let secret = Self.key.hexadecimal
        #expect(!scene.lines.all.contains { $0.lowercased().contains(secret) })
        #expect(!scene.outcome.now.facts.values.contains { $0.contains(secret) })
        let isClosed = await eventually { Self.holds(scene.capture, [0x04, 0x05, 0x04, 0x00]) }
        #expect(isClosed, "the end of the link is in the capture")
        #expect(!Self.holds(scene.capture, Self.key[0..<16]))
    }

    @Test func `a new key of the sensor is asked for when the old key opens nothing`() async throws {
        let scene = try ListeningScene(
            [EncryptedDataListeningTests.rule(key: nil)], pairingPauses: .milliseconds(100)...(.milliseconds(200)))
        let sensor = try Self.sensor(scene)
        Self.begin(scene) { sensor.keyMaterial ?? [] }
        try #require(await eventually { scene.outcome.now.readings.count >= 3 })
        sensor.keyMaterial = [UInt8](1..<25)
        try #require(await eventually { sensor.keyReads == 2 })
        let count = scene.outcome.now.readings.count
        #expect(await eventually { scene.outcome.now.readings.count >= count + 3 })
        #expect(sensor.ends.count == 1, "paired once")
    }

    @Test func `a sensor is not asked without an entry that names its address, nor against the entry`() async throws {
        var open = ListeningScene.rule("shed", family: "encrypted-data")
        var closed = EncryptedDataListeningTests.rule(key: nil)
        (open.pair, closed.pair) = (true, false)
        for rule in [open, closed] {
            let scene = try ListeningScene([rule])
            let sensor = try Self.sensor(scene)
            Self.begin(scene)
            #expect(await eventually { scene.controller.statistics.advertisingReports > 100 })
            // An entry without an address gives its place to no sensor that nothing proves.
            let trouble = scene.status("shed")?.trouble
            #expect(rule.address == nil ? trouble == nil : trouble?.contains("48 digits") == true)
            #expect(sensor.ends.isEmpty && sensor.keyReads == 0)
        }
    }

    @Test func `an inspection of a bonded sensor reads no key`() async throws {
        let scene = try ListeningScene([EncryptedDataListeningTests.rule(key: nil)])
        let sensor = try Self.sensor(scene)
        Self.begin(scene)
        try #require(await eventually { scene.outcome.now.readings.count >= 3 })
        let address = PairingSensor.address.description
        let report = try await SensorInspection(of: address, by: scene.controller, patience: hangLimit) { _ in }.run()
        // Core Bluetooth lists no GAP service, which has the key.
        let all = report.services.flatMap(\.characteristics)
        #expect(!all.contains { $0.uuid == "2b88" } && sensor.keyReads == 1, "\(report)")
        #expect(all.contains { $0.value != nil }, "the bond lets the gateway read other values")
    }

    @Test func `a value that is no key is told, and its bond stays`() async throws {
        let scene = try ListeningScene([EncryptedDataListeningTests.rule(key: nil)])
        let sensor = try Self.sensor(scene, material: [UInt8](0..<16))
        Self.begin(scene)
        #expect(await eventually { scene.status("shed")?.trouble?.contains("has 16 octets") == true })
        #expect(sensor.keyReads == 1 && scene.outcome.now.readings.isEmpty)
    }
}
