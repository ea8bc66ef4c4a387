// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import VirtualRadio

@testable import Collector
@testable import Configuration
@testable import Gateway
@testable import Journal

/// A whole gateway in this process, in its own folder and on its own air. The gateway ends with the scene.
final class GatewayScene {
    static let address = DeviceAddress(kind: .public, value: 0x02_0000_0000_01)
    /// An entry for the values of counters.
    static let counters = """
        [[sensor]]
        name = "Counter *"
        subscribe = ["\(CounterService.service)/\(CounterService.value)"]

        """

    let folder: TestFolder
    let radio: VirtualRadio
    let lines: LogLines
    /// The gateway of the last start.
    private(set) var gateway: GatewayService
    private let configuration: GatewayConfiguration
    private let settings: ControllerSettings

    var socket: String { folder.path("control.sock") }
    var status: CollectorStatus { gateway.status.collector }
    var sensors: [SensorStatus] { status.sensors }
    var log: String { lines.all.joined(separator: "\n") }
    /// Readings of the first sensor.
    var readings: Int { sensors.first?.readings ?? 0 }

    /// - Parameters:
    ///   - entries: The gateway's `[[sensor]]` tables.
    ///   - radio: The air, with the sensors from the start.
    ///   - settings: The controller's features.
    ///   - port: The broker's port; port 1 has no broker.
    ///   - change: Changes settings that have no key in the files.
    init(
        _ entries: String, on radio: VirtualRadio, settings: ControllerSettings = ControllerSettings(),
        in folder: TestFolder? = nil, bluetooth: String = "",
        journal: String = "commit_interval_ms = 50\ndurability = \"fast\"", port: UInt16 = 1, mqtt: String = "",
        change: (inout GatewayConfiguration) -> Void = { _ in }
    ) throws {
        self.folder = try folder ?? TestFolder()
        self.radio = radio
        self.settings = settings
        lines = LogLines()
        var configuration = try GatewayConfiguration.parse(
            self.folder.gateway(bluetooth: bluetooth, journal: journal, port: port, mqtt: mqtt, entries: entries),
            gateway: "gw-test")
        change(&configuration)
        self.configuration = configuration
        gateway = try Self.make(configuration, radio, settings, lines)
        gateway.start()
    }

    deinit {
        gateway.stop()
        radio.stop()
    }

    /// Replaces the gateway by a new one, as a restart of its process would.
    func restart() throws {
        gateway.stop()
        gateway = try Self.make(configuration, radio, settings, lines)
        gateway.start()
    }

    private static func make(
        _ configuration: GatewayConfiguration, _ radio: VirtualRadio, _ settings: ControllerSettings, _ lines: LogLines
    ) throws -> GatewayService {
        let descriptor = try radio.makeController(address: address, settings: settings)
        return try GatewayService(configuration, transport: .descriptor(descriptor), logger: lines.logger)
    }

    func reload(_ entries: String, port: UInt16 = 1) throws {
        gateway.reload(try GatewayConfiguration.parse(folder.gateway(port: port, entries: entries), gateway: "gw-test"))
    }
}

extension VirtualSensor.Configuration {
    /// A sensor whose readings show gaps: `Counter 1` and so on.
    ///
    /// - Parameters:
    ///   - rate: Readings a second.
    ///   - dropEvery: Readings between two departures from the air; nil: no departures.
    static func counter(_ index: Int, rate: Double = 20, dropEvery: Int? = nil) -> Self {
        VirtualSensor.Configuration(
            address: DeviceAddress(kind: .random, value: 0xC0_0000_0000_00 + UInt64(index)), name: "Counter \(index)",
            kind: .counter, rate: rate, dropEvery: dropEvery, advertisingInterval: .milliseconds(30))
    }
}
