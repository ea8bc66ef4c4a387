// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Synchronization
import Testing
import VirtualRadio

@testable import Collector
@testable import Gateway
@testable import GatewayBench
@testable import Journal
@testable import Publisher

/// Sensors whose addresses change.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(10)))
struct StrangerTests {
    private static let thermometer = "name = \"Thermo\"\nsubscribe = [\"181a/2a6e\"]\n"
    private static let counter =
        "name = \"Counter\"\nsubscribe = [\"\(CounterService.service)/\(CounterService.value)\"]\n"

    private static func scene(_ entry: String) throws -> GatewayScene {
        try GatewayScene("[[sensor]]\n" + entry, on: VirtualRadio(seed: 5))
    }

    @Test func `a sensor with a private address is unpaired, and paired again`() async throws {
        let scene = try Self.scene("id = \"thermo\"\n" + Self.thermometer)
        let sensor = try scene.makeThermometer()
        try #require(await eventually { scene.readings > 2 }, "\(scene.log)")
        #expect(scene.sensors.first?.security != nil)
        #expect(try await scene.run("unpair", "thermo", "--yes").status == 0)
        sensor.forgetBonds()
        let again = try await scene.run("pair", "thermo", "--yes")
        #expect(again.status == 0, "\(again.errors)\n\(scene.log)")
        try #require(await eventually { scene.sensors.first?.link == .collecting }, "\(scene.log)")
        #expect(scene.sensors.count == 1 && scene.sensors.first?.security != nil)
        let ends = sensor.ends.count
        try scene.restart()
        try #require(await eventually { scene.readings > 2 }, "\(scene.log)")
        #expect(scene.sensors.map(\.id) == ["thermo"])
        #expect(sensor.ends.count == ends, "the new bond was enough")
    }

    @Test func `a sensor that only its bond told from others is forgotten at the broker when it is unpaired`()
        async throws
    {
        let scene = try Self.scene(Self.thermometer)
        let sensor = try scene.makeThermometer()
        try #require(await eventually { scene.readings > 2 }, "\(scene.log)")
        let device = PairingSensor.address.compact
        scene.noteRetained(of: device)
        #expect(try await scene.run("unpair", device, "--yes").status == 0)
        #expect(
            scene.log.contains(
                "the broker's retained messages of a sensor are cleared part=collector sensor=\(device)"))
        withExtendedLifetime(sensor) {}
    }

    @Test func `a sensor with a private address is paired with first, and goes by its identity`() async throws {
        let scene = try Self.scene(Self.thermometer)
        let sensor = try scene.makeThermometer()
        try #require(await eventually { scene.readings > 2 }, "\(scene.log)")
        #expect(scene.sensors.map(\.id) == [PairingSensor.address.compact])
        #expect(scene.sensors.first?.address == PairingSensor.address.description)
        try scene.restart()
        try #require(await eventually { scene.readings > 2 }, "\(scene.log)")
        #expect(scene.sensors.map(\.id) == [PairingSensor.address.compact])
        #expect(sensor.ends.count == 1)
    }

    @Test(arguments: ["", "pair = false\n"])
    func `nothing is collected from a changing address that cannot be paired with, and status says why`(
        entry: String
    ) async throws {
        let scene = try Self.scene(Self.counter + entry)
        _ = scene.addCounter(at: 1)
        try #require(
            await eventually { scene.sensors.first?.trouble?.contains("its address changes") == true },
            "\(scene.log)")
        #expect(scene.sensors.first?.trouble?.contains("run martlet pair") == true)
        #expect(scene.sensors.first?.readings == 0)
        #expect(await eventually { scene.log.contains("a sensor's address changes") }, "\(scene.log)")
    }

    @Test func `a sensor whose entry has an id goes by that, whatever its address is`() async throws {
        let scene = try Self.scene("id = \"counter\"\npair = false\n" + Self.counter)
        var node = scene.addCounter(at: 1)
        for place in UInt64(2)...4 {
            try #require(
                await eventually {
                    scene.sensors.contains { $0.link == .collecting && $0.readings > 2 }
                }, "\(scene.log)")
            #expect(Set(scene.sensors.map(\.id)) == ["counter"])
            scene.radio.removeSensor(node)
            try #require(
                await eventually { !scene.sensors.contains { $0.link == .collecting } }, "\(scene.log)")
            node = scene.addCounter(at: place)
        }
        // The gateway would remember a changing address for ever.
        #expect(scene.unpaired.isEmpty)
    }
}

extension GatewayScene {
    /// The gateway's record of sensors collected without a bond.
    fileprivate var unpaired: [String] {
        gateway.journal.state.withLock { $0.identifiers.keys.filter { $0.hasPrefix("unpaired:") } }
    }

    /// As after a connection to a broker.
    fileprivate func noteRetained(of device: String) { RetainedTopics(gateway.journal).record("topic", of: device) }

    /// A thermometer that never uses its own address on the air.
    fileprivate func makeThermometer() throws -> PairingSensor {
        var policy = CBPairingPolicy()
        policy.incoming = .open
        policy.capability = .none
        return try PairingSensor(on: radio, policy: policy, privacy: .always)
    }

    /// A counter without pairing.
    fileprivate func addCounter(at place: UInt64) -> AirNodeID {
        let address = DeviceAddress(kind: .random, value: 0x4000_0000_0000 + place)
        return radio.addSensor(
            VirtualSensor.Configuration(address: address, name: "Counter", kind: .counter, rate: 20))
    }

    fileprivate func run(_ arguments: String...) async throws -> (status: Int32?, errors: String) {
        let process = try MartletProcess(arguments + ["--socket", socket])
        return (try await process.end(), process.errors)
    }
}
