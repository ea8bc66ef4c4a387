// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import CoreBluetooth
import Dispatch
import Foundation
import Gateway
import Readings

/// Collects sightings and shows them.
///
/// `@unchecked Sendable`: all mutable state is used on `queue` only.
final class ScanList: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
    enum Style { case json, table, lines }

    /// Remembered devices, at most; the air may be full of changing addresses.
    private static let maximumDevices = 2048

    let queue = DispatchQueue(label: "martlet.scan")
    /// Signalled once: the controller works, or has failed.
    let begun = DispatchSemaphore(value: 0)
    let finished = DispatchSemaphore(value: 0)
    private let controller: CBController
    private let style: Style
    private var manager: CBCentralManager?
    private var devices: [UUID: Sighting] = [:]
    private var timer: (any DispatchSourceTimer)?
    private var wasReady = false
    private var isDirty = true
    /// Why the scan has ended early.
    private var failure: String?

    private struct Sighting: Encodable {
        var identifier: String
        var address: String
        var name: String?
        var rssi: Int?
        var services: [String]
        var manufacturerData: String?
        /// By UUID.
        var serviceData: [String: String]?
        /// The family of the advertised values, and the values for people.
        var family: String?
        var values: String?
        var connectable: Bool
        var count = 0

        /// Keeps the last values, because not every packet has values.
        mutating func receive(_ data: [String: Any]) {
            let advertisement = Advertisement(
                data, address: DeviceAddress(address, kind: .public)?.value, name: name,
                services: services.compactMap { BluetoothUUID($0) })
            guard let found = SensorFamilies.recognise(advertisement) else {
                family = family ?? SensorProfile.of(advertisement.services)?.name
                return
            }
            family = found.decoder.family
            if let packet = found.readable {
                values = ValueText.of(characteristic: found.decoder.family, value: packet.value)
            }
        }
    }

    init(controller: CBController, style: Style) {
        self.controller = controller
        self.style = style
        super.init()
    }

    func start() {
        queue.async { [self] in
            manager = CBCentralManager(
                delegate: self, queue: queue, options: [CBCentralManagerOptionControllerKey: controller])
            guard style == .table else { return }
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(deadline: .now(), repeating: .milliseconds(500), leeway: .milliseconds(50))
            timer.setEventHandler { [weak self] in self?.draw() }
            timer.activate()
            self.timer = timer
        }
    }

    func finish() {
        begun.signal()
        finished.signal()
    }

    /// Ends the scan with an error; the first error counts.
    func fail(_ reason: String) {
        queue.async { [self] in
            failure = failure ?? reason
            finish()
        }
    }

    /// Returns the reason of a failure.
    func stop() -> String? {
        queue.sync {
            timer?.cancel()
            if manager?.isScanning == true { manager?.stopScan() }
            if style == .table, wasReady { draw() }
            manager?.delegate = nil
            manager = nil
            return failure
                ?? (wasReady ? nil : "ended before the controller was ready: \(controller.configuredDescription)")
        }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        switch central.state {
        case .poweredOn:
            wasReady = true
            begun.signal()
            central.scanForPeripherals(withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        case .unknown, .resetting: break
        case .unsupported, .unauthorized, .poweredOff: fail(controller.configuredDescription)
        }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        let known = devices[peripheral.identifier]
        guard known != nil || devices.count < Self.maximumDevices else { return }
        let services = advertisementData[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID]
        let manufacturer = advertisementData[CBAdvertisementDataManufacturerDataKey] as? Data
        var sighting = Sighting(
            identifier: peripheral.identifier.uuidString, address: peripheral.address,
            name: AdvertisedName.clean(advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? peripheral.name)
                ?? known?.name,
            rssi: RSSI.intValue == 127 ? nil : RSSI.intValue,
            services: services?.map { $0.uuidString.lowercased() } ?? known?.services ?? [],
            manufacturerData: manufacturer.map(Self.hexadecimal), serviceData: Self.serviceData(advertisementData),
            connectable: (advertisementData[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue ?? false)
        sighting.count = (known?.count ?? 0) + 1
        (sighting.family, sighting.values) = (known?.family, known?.values)
        sighting.receive(advertisementData)
        devices[peripheral.identifier] = sighting
        isDirty = true
        switch style {
        case .json:
            if let line = try? ControlCoding.encode(sighting) { Output.line(String(decoding: line, as: UTF8.self)) }
        case .lines where known == nil:
            Output.line(Text.table([row(sighting)], rightAligned: [1]).joined())
        case .lines, .table:
            break
        }
        if Output.failure != nil { finish() }
    }

    private static func serviceData(_ data: [String: Any]) -> [String: String]? {
        guard let found = data[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data], !found.isEmpty else { return nil }
        return Dictionary(found.map { ($0.key.uuidString.lowercased(), hexadecimal($0.value)) }) { first, _ in first }
    }

    private static func hexadecimal(_ data: Data) -> String {
        data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func row(_ sighting: Sighting) -> [String] {
        [
            sighting.address, sighting.rssi.map { "\($0) dBm" } ?? "–", sighting.connectable ? "yes" : "no",
            String(sighting.count), Text.plain(sighting.name ?? "–"), sighting.family ?? "–",
            sighting.values ?? (sighting.family.flatMap(SensorFamilies.family) == nil ? "–" : "encrypted"),
            sighting.services.joined(separator: " "),
        ]
    }

    private func draw() {
        guard isDirty || !wasReady else { return }
        isDirty = false
        let (columns, rows) = Output.size
        let sorted = devices.values.sorted { ($0.rssi ?? -200, $1.address) > ($1.rssi ?? -200, $0.address) }
        let state = wasReady ? "\(devices.count) devices" : controller.configuredDescription
        let table = TextTable(
            columns: [
                .init(title: "ADDRESS", usual: 17), .init(title: "RSSI", isRightAligned: true, usual: 8),
                .init(title: "CONNECTABLE", rank: 2), .init(title: "SEEN", rank: 1, isRightAligned: true),
                .init(title: "NAME", usual: 16, least: 16),
                .init(title: "FAMILY", usual: 10, least: 8), .init(title: "VALUES", usual: 20, least: 12),
                .init(title: "SERVICES", rank: 3, least: 9),
            ], rows: sorted.prefix(max(0, rows - 4)).map(row)
        ).layout(width: columns)
        let lines = ["scanning, \(Text.prefix(state, columns))", "", table.header] + table.rows
        Output.raw(TextScreen.drawing(lines) + "\r\n")
        if Output.failure != nil { finish() }
    }
}
