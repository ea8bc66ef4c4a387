// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Testing
import VirtualRadio

@testable import Collector
@testable import GatewayBench

/// Other devices hold links of the gateway's controller, and a sensor waits for one.
@Suite(.timeLimit(.minutes(10)))
struct ForeignLinkTests {
    private static let sensor: UInt64 = 0xC000_0000_0001

    /// A device that connects to the gateway, and does nothing.
    private final class Stranger: Sendable {
        let controller: CBController
        let manager: CBCentralManager

        init(_ number: UInt64, on radio: VirtualRadio) throws {
            let address = DeviceAddress(kind: .public, value: 0xA0_0000_0100 | number)
            controller = CBController(
                transport: .descriptor(try radio.makeController(address: address)), stateDirectory: nil)
            manager = CBCentralManager(
                delegate: nil, queue: DispatchQueue(label: "stranger"),
                options: [CBCentralManagerOptionControllerKey: controller])
        }

        deinit { controller.shutdown() }

        func connect() async throws -> CBPeripheral {
            try await manager.waitUntilPoweredOn()
            let name = CBUUID(string: "1234")
            let found = await manager.advertisements(withServices: [name]).first { _ in true }
            let gateway = try #require(found?.peripheral)
            try await gateway.connect(timeout: hangLimit)
            return gateway
        }
    }

    /// Makes the gateway connectable, as its service for phones does.
    private func advertise(_ scene: ListeningScene) async throws -> CBPeripheralManager {
        let server = CBPeripheralManager(
            delegate: nil, queue: DispatchQueue(label: "server"),
            options: [CBPeripheralManagerOptionControllerKey: scene.controller])
        try await waitFor("the server's controller") { server.state == .poweredOn }
        server.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "1234")]])
        return server
    }

    private func scene(links: Int, idleTime: Int64) throws -> ListeningScene {
        var rule = ListeningScene.rule("s", address: Self.sensor)
        rule.subscribe = [.init(service: CounterService.service, characteristic: CounterService.value)]
        var limits = SlotLimits()
        (limits.idleTime, limits.foreignPace) = (idleTime, 100)
        return try ListeningScene(
            [rule], slotLimits: limits, settings: ControllerSettings(maximumLinks: links))
    }

    private func addSensor(to scene: ListeningScene) {
        _ = scene.radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .random, value: Self.sensor), name: "S", kind: .counter, rate: 20))
    }

    private func waits(_ scene: ListeningScene) async throws {
        try await waitFor("the sensor's wish for a link") { scene.status("s")?.link == .queued }
    }

    @Test func `a sensor gets the link of a stranger who does nothing, though strangers come back at once`()
        async throws
    {
        let scene = try scene(links: 2, idleTime: 300)
        let server = try await advertise(scene)
        let strangers = try (1...2).map { try Stranger($0, on: scene.radio) }
        var comers: [Task<Void, Never>] = []
        for stranger in strangers {
            let gateway = try await stranger.connect()
            comers.append(
                Task {
                    while !Task.isCancelled {
                        if gateway.state != .connected { try? await gateway.connect(timeout: .seconds(5)) }
                        try? await Task.sleep(for: .milliseconds(5))
                    }
                })
        }
        defer { for comer in comers { comer.cancel() } }
        try await waitFor("the strangers' links, which are all") { scene.controller.slots.used == 2 }
        addSensor(to: scene)
        #expect(await eventually { scene.outcome.now.readings.count >= 20 })
        withExtendedLifetime((server, strangers)) {}
    }

    @Test func `when another device leaves by itself, the sensor that waited has the link`() async throws {
        let scene = try scene(links: 1, idleTime: 3_600_000)
        let server = try await advertise(scene)
        let stranger = try Stranger(1, on: scene.radio)
        let gateway = try await stranger.connect()
        addSensor(to: scene)
        try await waits(scene)
        #expect(await settled { scene.outcome.now.readings.count } == 0)
        try await gateway.disconnect(timeout: hangLimit)
        #expect(await eventually { scene.outcome.now.readings.count >= 5 })
        withExtendedLifetime((server, stranger)) {}
    }
}
