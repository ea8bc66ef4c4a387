// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Testing
import VirtualRadio

@testable import Configuration
@testable import Gateway
@testable import GatewayBench
@testable import Publisher
@testable import martlet

/// Sensors that leave the configuration: the broker's retained messages about them go, over restarts and reloads.
@Suite("Sensors that leave", .serialized)
struct DepartureTests {
    private let folder: TestFolder
    private let broker: PrivateBroker
    private let listener: MQTTListener
    private let radio = VirtualRadio(seed: 25)
    private let lines = LogLines()

    private static let controller = DeviceAddress(kind: .public, value: 0x02_0000_0000_01)

    init() throws {
        folder = try TestFolder()
        broker = try PrivateBroker(folder: folder.path)
        listener = try MQTTListener(port: broker.port, folder: folder)
    }

    private func addSensor(_ index: Int) -> AirNodeID {
        radio.addSensor(
            VirtualSensor.Configuration(
                address: Self.address(index), name: "Counter \(index)", kind: .counter, rate: 20,
                advertisingInterval: .milliseconds(30)))
    }

    private static func address(_ index: Int) -> DeviceAddress {
        DeviceAddress(kind: .random, value: 0xC0_0000_0000_00 + UInt64(index))
    }

    /// Entries by name; an entry with an id in place of a sensor's own name is `id=Counter 1`.
    private func configuration(_ sensors: String..., port: UInt16? = nil) throws -> GatewayConfiguration {
        let entries = sensors.map { sensor in
            let parts = sensor.split(separator: "=")
            let id = parts.count > 1 ? "id = \"\(parts[0])\"\n" : ""
            return "[[sensor]]\n\(id)name = \"\(parts.last ?? "")\"\n"
                + "subscribe = [\"\(CounterService.service)/\(CounterService.value)\"]\n"
        }
        return try GatewayConfiguration.parse(
            folder.gateway(
                journal: "commit_interval_ms = 50\ndurability = \"fast\"", port: port ?? broker.port,
                entries: entries.joined()), gateway: "gw-test")
    }

    private func start(_ configuration: GatewayConfiguration) throws -> GatewayService {
        let descriptor = try radio.makeController(address: Self.controller)
        let gateway = try GatewayService(configuration, transport: .descriptor(descriptor), logger: lines.logger)
        gateway.start()
        return gateway
    }

    /// The messages on a sensor's topic, in order; an empty message makes the broker forget.
    private func words(_ device: String) -> [String] {
        listener.lines.filter { $0.hasPrefix("martlet/dev/\(device)/availability ") }
            .map { String($0.drop { $0 != " " }.dropFirst()) }
    }

    @Test func `a sensor that is taken out of the entries is cleared at the reload, and only that one`() async throws {
        let devices = (1...2).map { Self.address($0).compact }
        for index in 1...2 { _ = addSensor(index) }
        defer { radio.stop() }
        let gateway = try start(try configuration("Counter 1", "Counter 2"))
        defer { gateway.stop() }
        #expect(await eventually { devices.allSatisfy { words($0).last == "online" } }, "\(lines.all)")
        #expect(lines.all.contains { $0.contains("collecting") && $0.contains("sensor.name=Counter 1") })
        #expect(await eventually { listener.lines.contains { $0.contains("\"name\":\"Counter 1\",\"gw\"") } })

        gateway.reload(try configuration("Counter 2"))
        #expect(await eventually { words(devices[0]).last == "" }, "\(lines.all)")
        #expect(await eventually { RetainedTopics.all(in: gateway.journal).count == 1 })
        // The sensor is wanted again, and publishes its state again.
        gateway.reload(try configuration("Counter 1", "Counter 2"))
        #expect(await eventually { words(devices[0]).last == "online" }, "\(lines.all)")
        // The sensor gets another name: the old topic no longer belongs to it.
        gateway.reload(try configuration("kitchen=Counter 1", "Counter 2"))
        #expect(await eventually { words("kitchen").last == "online" }, "\(lines.all)")
        #expect(await eventually { words(devices[0]).last == "" }, "\(words(devices[0]))")
        #expect(words(devices[0]).count { $0.isEmpty } == 2)
        #expect(words(devices[1]) == ["online"])
    }

    @Test func `a sensor that is taken out between two runs is cleared once, and one that is away stays offline`()
        async throws
    {
        let devices = (1...3).map { Self.address($0).compact }
        let ids = (1...3).map { addSensor($0) }
        defer { radio.stop() }
        let first = try start(try configuration("Counter 1", "Counter 2", "Counter 3"))
        #expect(await eventually { devices.allSatisfy { words($0).last == "online" } }, "\(lines.all)")
        first.stop()
        // All sensors are away; another entry accepts the third sensor. And the broker is unreachable.
        for id in ids { radio.simulateOutOfRange(id) }
        let closed = UInt16(1)
        let second = try start(try configuration("Counter 2", "Counter 3*", port: closed))
        #expect(await eventually { lines.all.contains { $0.contains("are cleared") } }, "\(lines.all)")
        second.stop()
        #expect(words(devices[0]).allSatisfy { !$0.isEmpty })

        for _ in 0..<2 {
            let next = try start(try configuration("Counter 2", "Counter 3*"))
            #expect(await eventually { RetainedTopics.all(in: next.journal).count == 2 }, "\(lines.all)")
            #expect(await eventually { next.status.mqtt.connected && next.status.mqtt.inFlight == 0 })
            next.stop()
        }
        #expect(await eventually { words(devices[0]).last == "" })
        #expect(words(devices[0]).count { $0.isEmpty } == 1)
        for device in devices.dropFirst() {
            #expect(words(device).last == "offline" && !words(device).contains(""), "\(words(device))")
        }
    }
}
