// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreBluetooth
import Dispatch
import Foundation
import Gateway
import Glibc

struct ScanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Show what advertises nearby.",
        discussion: """
            On a terminal a table that is kept up to date, strongest first; otherwise a line for each device when it is \
            first seen. With --json one JSON object a line for each sighting.
            The controller must be free: a running gateway has it for itself. Without a controller it ends at once, with \
            status 1, and says what to do.
            """,
        examples: [
            "martlet scan": "by hci0, until Ctrl-C",
            "martlet scan --seconds 5 --json": "for programs",
            "martlet scan --controller tcp:127.0.0.1:7400": "a controller elsewhere",
            "martlet scan --controller virtual": "simulated sensors",
        ])

    /// Seconds that a controller may take to be set up: longer than a busy adapter is tried for.
    private static let patience = 15.0

    @Option(
        help: ArgumentHelp(
            "The controller: hci0, unix:PATH, tcp:HOST:PORT, serial:DEVICE,BAUD, virtual.", valueName: "controller"))
    var controller = "hci0"

    @Option(help: ArgumentHelp("End after so many seconds; without it, when interrupted.", valueName: "seconds"))
    var seconds: Double?

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard ControllerName(controller) != nil else { throw ValidationError("Unknown controller: \(controller)") }
        if let seconds, !(seconds > 0 && seconds <= 1e6) { throw ValidationError("--seconds is more than 0") }
    }

    func run() throws {
        let opened = try OpenController(named: controller)
        let host = CBController(transport: opened.transport, stateDirectory: nil)
        let style: ScanList.Style = json ? .json : Output.isTerminal ? .table : .lines
        let list = ScanList(controller: host, style: style)
        let signals = SignalWatch()
        signals.on(SIGTERM, SIGINT, queue: list.queue) { list.finish() }
        list.start()
        // The time counts from when there is a controller to scan with.
        if list.begun.wait(timeout: .now() + Self.patience) == .success {
            _ = list.finished.wait(timeout: seconds.map { DispatchTime.now() + $0 } ?? .distantFuture)
        } else {
            list.fail(
                "\(controller): no controller has answered in \(Int(Self.patience)) s. Is it one, and does it speak H4?"
            )
        }
        let failure = list.stop()
        withExtendedLifetime((signals, opened)) { host.shutdown() }
        if let failure {
            Output.error(failure)
            throw ExitStatus.failure
        }
    }
}

/// Collects sightings and shows them.
///
/// `@unchecked Sendable`: everything mutable is touched on `queue` only.
final class ScanList: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
    enum Style { case json, table, lines }

    /// Devices that are remembered at most; the air may be full of changing addresses.
    private static let maximumDevices = 2048

    let queue = DispatchQueue(label: "martlet.scan")
    /// The controller works, or will not: signalled once.
    let begun = DispatchSemaphore(value: 0)
    let finished = DispatchSemaphore(value: 0)
    private let controller: CBController
    private let style: Style
    private var manager: CBCentralManager?
    private var devices: [UUID: Sighting] = [:]
    private var timer: (any DispatchSourceTimer)?
    private var wasReady = false
    private var isDirty = true
    /// Why there is nothing more to be seen.
    private var failure: String?

    private struct Sighting: Encodable {
        var identifier: String
        var address: String
        var name: String?
        var rssi: Int?
        var services: [String]
        var manufacturerData: String?
        var connectable: Bool
        var count = 0
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

    /// Ends the scan with an error; what was said first counts.
    func fail(_ reason: String) {
        queue.async { [self] in
            failure = failure ?? reason
            finish()
        }
    }

    /// Gives the reason where it did not end well.
    func stop() -> String? {
        queue.sync {
            timer?.cancel()
            if manager?.isScanning == true { manager?.stopScan() }
            if style == .table, wasReady { draw() }
            manager?.delegate = nil
            manager = nil
            return failure
                ?? (wasReady ? nil : "ended before the controller was ready: \(controller.statusDescription)")
        }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        switch central.state {
        case .poweredOn:
            wasReady = true
            begun.signal()
            central.scanForPeripherals(withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        case .unknown, .resetting: break
        case .unsupported, .unauthorized, .poweredOff: fail(controller.statusDescription)
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
            name: advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? known?.name ?? peripheral.name,
            rssi: RSSI.intValue == 127 ? nil : RSSI.intValue,
            services: services?.map { $0.uuidString.lowercased() } ?? known?.services ?? [],
            manufacturerData: manufacturer.map(Self.hexadecimal),
            connectable: (advertisementData[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue ?? false)
        sighting.count = (known?.count ?? 0) + 1
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

    private static func hexadecimal(_ data: Data) -> String {
        data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func row(_ sighting: Sighting) -> [String] {
        [
            sighting.address, sighting.rssi.map { "\($0) dBm" } ?? "–", sighting.connectable ? "yes" : "no",
            String(sighting.count), Text.plain(sighting.name ?? "–"), sighting.services.joined(separator: " "),
        ]
    }

    private func draw() {
        guard isDirty || !wasReady else { return }
        isDirty = false
        let (columns, rows) = Output.size
        let sorted = devices.values.sorted { ($0.rssi ?? -200, $1.address) > ($1.rssi ?? -200, $0.address) }
        let state = wasReady ? "\(devices.count) devices" : controller.statusDescription
        let table = TextTable(
            columns: [
                .init(title: "ADDRESS", usual: 17), .init(title: "RSSI", isRightAligned: true, usual: 8),
                .init(title: "CONNECTABLE", rank: 2), .init(title: "SEEN", rank: 1, isRightAligned: true),
                .init(title: "NAME", usual: 16, least: 16), .init(title: "SERVICES", rank: 3, least: 9),
            ], rows: sorted.prefix(max(0, rows - 4)).map(row)
        ).layout(width: columns)
        let lines = ["scanning, \(Text.prefix(state, columns))", "", table.header] + table.rows
        Output.raw(TextScreen.drawing(lines) + "\r\n")
        if Output.failure != nil { finish() }
    }
}
