// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import VirtualRadio

@testable import Collector
@testable import Gateway
@testable import Journal

/// A whole gateway in a folder and on an air of its own, as this process runs it. It ends with the scene.
final class GatewayScene {
    static let address = DeviceAddress(kind: .public, value: 0x02_0000_0000_01)
    /// An entry that collects what counters count.
    static let counters = """
        [[sensor]]
        name = "Counter *"
        subscribe = ["\(CounterService.service)/\(CounterService.value)"]

        """

    let folder: TestFolder
    let radio: VirtualRadio
    let lines: LogLines
    /// The one of the last start.
    private(set) var gateway: GatewayService
    private let configuration: GatewayConfiguration
    private let settings: ControllerSettings

    var socket: String { folder.path("control.sock") }
    var status: CollectorStatus { gateway.status.collector }
    var sensors: [SensorStatus] { status.sensors }
    var log: String { lines.all.joined(separator: "\n") }
    /// Of its first sensor.
    var readings: Int { sensors.first?.readings ?? 0 }

    /// - Parameters:
    ///   - entries: Its `[[sensor]]` tables.
    ///   - radio: The air, with the sensors that are there from the start.
    ///   - settings: What its controller can do.
    ///   - port: Of its broker; 1 has none.
    ///   - change: Changes what the files cannot say.
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

    /// A new process of the same gateway, as far as one process can be another.
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
    /// A sensor whose readings can be checked for completeness: `Counter 1` and so on.
    ///
    /// - Parameters:
    ///   - rate: Readings a second.
    ///   - dropEvery: The readings after which it leaves the air, again and again; nil: never.
    static func counter(_ index: Int, rate: Double = 20, dropEvery: Int? = nil) -> Self {
        VirtualSensor.Configuration(
            address: DeviceAddress(kind: .random, value: 0xC0_0000_0000_00 + UInt64(index)), name: "Counter \(index)",
            kind: .counter, rate: rate, dropEvery: dropEvery, advertisingInterval: .milliseconds(30))
    }
}
