// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Configuration
import CoreBluetooth
import Foundation
import Gateway
import Logging
import Readings
import VirtualRadio

/// Runs the gateway between simulated sensors and a private broker.
final class Demonstration {
    private struct Simulated {
        let id: AirNodeID
        let configuration: VirtualSensor.Configuration
        var address: String { configuration.address.description }

        /// A simulated sensor that only sends advertisements.
        struct Broadcasting {
            let id: AirNodeID
            let name: String
            let model: SimulatedFamily
            let address: String
        }
    }

    /// Time between two links dropped on purpose.
    private static let dropInterval: Duration = .seconds(6)
    private static let drainLimit: Duration = .seconds(10)

    private let folder: TemporaryFolder
    private let broker: PrivateBroker
    private let radio = VirtualRadio()
    private let sensors: [Simulated]
    private let broadcasters: [Simulated.Broadcasting]
    private let gateway: GatewayService
    private let began = ContinuousClock.now
    private var nextDrop: ContinuousClock.Instant
    private var drops = 0
    private var events: [String] = []
    private var links: [String: SensorStatus.Link] = [:]
    private var readingRates: [String: RateMeter] = [:]
    private var receivedRate = RateMeter()
    private var deliveredRate = RateMeter()

    init(sensors count: Int, logger: Logger) throws {
        folder = try TemporaryFolder()
        broker = try PrivateBroker(folder: folder.path)
        sensors = VirtualSensor.demonstration(count: count).map { [radio] in
            Simulated(id: radio.addSensor($0), configuration: $0)
        }
        broadcasters = VirtualBroadcaster.demonstration.map { [radio] in
            Simulated.Broadcasting(
                id: radio.addBroadcaster($0.configuration), name: $0.name, model: $0.model,
                address: $0.configuration.address.description)
        }
        let text =
            Self.configuration(sensors.map(\.configuration), port: broker.port, folder: folder.path)
            + broadcasters.map(Self.entry).joined()
        let configuration = try GatewayConfiguration.parse(text, gateway: "gw-demo")
        let descriptor = try radio.makeController(address: .demonstrationController)
        gateway = try GatewayService(configuration, transport: .descriptor(descriptor), logger: logger)
        nextDrop = began + Self.dropInterval
        gateway.start()
    }

    /// The martlet.toml for these sensors.
    private static func configuration(
        _ sensors: [VirtualSensor.Configuration], port: UInt16, folder: String
    ) -> String {
        var text = """
            [bluetooth]
            controller = "virtual"
            state_directory = "\(folder)"
            [journal]
            path = "\(folder)/journal.db"
            commit_interval_ms = 200
            [mqtt]
            host = "127.0.0.1"
            port = \(port)
            [clock]
            require_sync = false
            [control]
            socket = "\(folder)/control.sock"

            """
        for sensor in sensors {
            let id = sensor.name.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "-" }
            let service = sensor.kind.service.description
            let feeds = sensor.kind.characteristics.map { "\"\(service)/\($0)\"" }.joined(separator: ", ")
            text += """
                [[sensor]]
                id = "\(String(id))"
                name = "\(sensor.name)"
                subscribe = [\(feeds), "180f/2a19"]

                """
        }
        return text
    }

    /// A sensor that advertises its values needs only its address, and its key if encrypted.
    private static func entry(_ sensor: Simulated.Broadcasting) -> String {
        let key = sensor.model.isEncrypted ? "bindkey = \"\(SimulatedFamily.key.hexadecimal)\"\n" : ""
        return """
            [[sensor]]
            id = "\(sensor.name.lowercased())"
            address = "\(sensor.address)"
            \(key)
            """
    }

    /// Drops a link when due, and notes changes.
    func turn() {
        let status = gateway.status
        record(status)
        guard ContinuousClock.now >= nextDrop else { return }
        nextDrop = ContinuousClock.now + Self.dropInterval
        let connected = Set(radio.sensorStates().filter(\.isSubscribed).map(\.id))
        let candidates = sensors.filter { connected.contains($0.id) }
        guard !candidates.isEmpty else { return }
        // One sensor, then two at once, in turn.
        for offset in 0...(drops % 2) where candidates.count > offset {
            let sensor = candidates[(drops + offset) % candidates.count]
            radio.simulateDisconnection(of: sensor.id)
            event("\(sensor.configuration.name): link dropped on purpose")
        }
        drops += 1
    }

    func frame() -> DemoFrame {
        let status = gateway.status
        let now = ContinuousClock.now
        let shown =
            sensors.map { ($0.configuration.name, $0.address) } + broadcasters.map { ($0.name, $0.address) }
        let rows = shown.map { name, address in
            let sensor = status.collector.sensors.first { $0.address == address }
            let readings = sensor?.readings ?? 0
            let rate = readingRates[address, default: RateMeter()].update(readings, at: now)
            return DemoFrame.Row(
                name: name, address: address,
                link: sensor?.link.rawValue ?? "searching",
                value: sensor?.values.first.map(StatusText.value) ?? "–", readings: readings, rate: rate,
                reconnects: sensor?.reconnects.values.reduce(0, +) ?? 0)
        }
        return DemoFrame(
            uptime: now - began, controller: status.controller.state, mqtt: status.mqtt, journal: status.journal,
            receivedRate: receivedRate.update(status.journal.received, at: now),
            deliveredRate: deliveredRate.update(status.journal.delivered, at: now), rows: rows, events: events)
    }

    /// Silences the sensors, waits until the broker has everything, stops the gateway, and compares all the books.
    func finish() -> DemoBooks {
        for sensor in sensors {
            // Out of range first, so that the sensors stay away after the link's end.
            radio.simulateOutOfRange(sensor.id)
            radio.simulateDisconnection(of: sensor.id)
        }
        for sensor in broadcasters { radio.simulateOutOfRange(sensor.id) }
        let deadline = ContinuousClock.now + Self.drainLimit
        var status = gateway.status
        while ContinuousClock.now < deadline, !isDrained(status) {
            Thread.sleep(forTimeInterval: 0.02)
            status = gateway.status
        }
        gateway.stop()
        let books = gateway.bufferStatistics
        let rows = sensors.map { sensor in
            let ledger = radio.ledger(of: sensor.id)
            return DemoBooks.Row(
                name: sensor.configuration.name, accepted: ledger?.accepted ?? 0, handedOver: ledger?.delivered ?? 0,
                received: status.collector.sensors.first { $0.address == sensor.address }?.readings ?? 0)
        }
        let heard = broadcasters.map { sensor in
            DemoBooks.Heard(
                name: sensor.name, sent: radio.packets(of: sensor.id).map(Int.init) ?? 0,
                handedOver: radio.toldPackets(of: sensor.id),
                received: status.collector.sensors.first { $0.address == sensor.address }?.readings ?? 0)
        }
        radio.stop()
        broker.stop()
        return DemoBooks(rows: rows, heard: heard, journal: books)
    }

    private func isDrained(_ status: GatewayStatus) -> Bool {
        let values = sensors.reduce(0) { $0 + (radio.ledger(of: $1.id)?.delivered ?? 0) }
        let packets = broadcasters.reduce(0) { $0 + radio.toldPackets(of: $1.id) }
        return status.journal.received >= values + packets && status.journal.delivered == status.journal.received
    }

    private func record(_ status: GatewayStatus) {
        for simulated in sensors {
            guard let sensor = status.collector.sensors.first(where: { $0.address == simulated.address }) else {
                continue
            }
            let before = links.updateValue(sensor.link, forKey: simulated.address)
            guard sensor.link == .collecting, before != .collecting else { continue }
            event("\(simulated.configuration.name): \(sensor.drops == 0 ? "connected" : "reconnected"), collecting")
        }
    }

    private func event(_ text: String) {
        let seconds = Int((ContinuousClock.now - began) / .seconds(1))
        events.append(DemoFrame.clock(seconds) + "  " + text)
        if events.count > 50 { events.removeFirst() }
    }
}

extension VirtualSensor.Kind {
    /// The sensor's characteristics.
    fileprivate var characteristics: [BluetoothUUID] {
        switch self {
        case .thermometer: [BluetoothUUID(0x2A1C as UInt16)]
        case .heartRate: [BluetoothUUID(0x2A37 as UInt16)]
        case .environment: [0x2A6E, 0x2A6F, 0x2A6D].map { BluetoothUUID($0 as UInt16) }
        case .counter: [CounterService.value]
        case .airthings: [AirthingsService.value]
        case .uart: []
        case .batteryMonitor: [BatteryMonitorService.value]
        }
    }
}

/// A folder in the system's temporary place; removed with its owner.
final class TemporaryFolder {
    let path: String

    init() throws {
        let base = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        // The path of a socket in the folder has at most 107 octets.
        let root = base.utf8.count > 60 || !base.hasPrefix("/") ? "/tmp" : base
        path = root + "/martlet-demo-" + String(UInt32.random(in: .min ... .max), radix: 16)
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
