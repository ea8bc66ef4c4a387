// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Foundation
import Glibc
import Journal
import Logging
import Platform
import Readings
import StateFiles
import Synchronization
import VirtualRadio

@testable import Collector
@testable import Configuration
@testable import CoreBluetooth
@testable import Gateway
@testable import HostBench
@testable import Operations

/// A gateway with all parts of a process, with its control socket, on a disk with 30 ms for every wait.
final class WholeGateway: Sendable {
    static let address = DeviceAddress(kind: .public, value: 0x02_0000_0000_01)

    let radio = VirtualRadio(seed: 7)
    let disk = SlowDisk()
    private let folder: String
    private let configuration: GatewayConfiguration
    private let settings: ControllerSettings
    private let service: Mutex<GatewayService>

    /// `entry`: the keys of the one rule, and further rules with their own heads. `journal`: further keys of that table.
    init(_ entry: String, journal: String = "", controller: ControllerSettings = ControllerSettings()) throws {
        settings = controller
        // Short, because a socket's path has 107 octets at most.
        folder = "/tmp/martlet-attack-\(UInt32.random(in: .min ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        configuration = try GatewayConfiguration.parse(
            """
            [bluetooth]
            state_directory = "\(folder)/state"
            [journal]
            path = "\(folder)/journal.db"
            \(journal)
            [mqtt]
            host = "127.0.0.1"
            port = 1
            [control]
            socket = "\(folder)/control.sock"
            [[sensor]]
            \(entry)
            """, gateway: "gw-attack")
        service = Mutex(try Self.start(configuration, radio, disk, settings))
    }

    deinit {
        service.withLock { $0.stop() }
        radio.stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static func start(
        _ configuration: GatewayConfiguration, _ radio: VirtualRadio, _ disk: SlowDisk,
        _ settings: ControllerSettings
    ) throws -> GatewayService {
        let logger = Logger(label: "attack") { _ in SwiftLogNoOpLogHandler() }
        let service = try GatewayService(
            configuration, transport: .descriptor(try radio.makeController(address: address, settings: settings)),
            makeController: { transport in
                CBController(
                    transport: transport, stateDirectory: configuration.bluetooth.stateDirectory, privacy: .off,
                    pairing: .neverByItself, files: disk, logger: logger)
            }, logger: logger)
        service.start()
        return service
    }

    func stop() { service.withLock { $0.stop() } }

    func start() throws {
        let new = try Self.start(configuration, radio, disk, settings)
        service.withLock { $0 = new }
    }

    var controller: CBController { service.withLock { $0.controller } }
    var host: BluetoothHost { controller.host }
    var bonds: [CBBond] { controller.bonds }
    var sensors: [SensorStatus] { service.withLock { $0.status.collector.sensors } }
    var isScanning: Bool { service.withLock { $0.status.collector.scanning } }
    var status: SensorStatus? { sensors.first { $0.id == "thermo" } }

    /// The gateway knows the rows of earlier runs.
    var knowsEarlierRuns: Bool {
        service.withLock { service in service.collector.queue.sync { service.collector.knowsEarlierRuns } }
    }

    private var journal: String { "\(folder)/journal.db" }

    /// A starting gateway cannot open its journal, because a folder is in the file's place.
    func takeJournalAway() throws {
        try FileManager.default.moveItem(atPath: journal, toPath: journal + ".away")
        try FileManager.default.createDirectory(atPath: journal, withIntermediateDirectories: false)
    }

    func giveJournalBack() throws {
        try FileManager.default.removeItem(atPath: journal)
        try FileManager.default.moveItem(atPath: journal + ".away", toPath: journal)
    }

    /// Whether a device claims to be the sensor of a waiting entry.
    func claims(on entry: String) -> Bool {
        service.withLock { service in
            service.collector.queue.sync { service.collector.contests.contains { $0.key.contains("id=\(entry)") } }
        }
    }

    /// The proof of the journal's books, after ``stop()``.
    func audit() throws -> Audit { try Audit(path: "\(folder)/journal.db", full: true) }

    /// The rows of the journal, after ``stop()``.
    func rows() throws -> [JournalRow] {
        let journal = try Journal(
            configuration.journal, clock: .system, logger: Logger(label: "attack") { _ in SwiftLogNoOpLogHandler() })
        defer { journal.close() }
        return try journal.rows(after: 0, limit: 100_000)
    }

    /// The bonds on disk for the next start.
    var bondsOnDisk: [Bond] {
        let store = BondStore(
            directory: "\(folder)/state/bonds", logger: Logger(label: "attack") { _ in SwiftLogNoOpLogHandler() })
        store.load()
        return store.use(Self.address)
    }

    /// As `martlet trust` asks.
    func trust(_ sensor: String, _ address: String? = nil) async throws -> TrustedSensor {
        let socket = configuration.controlSocket
        var request = ControlRequest(.trust, sensor: sensor)
        request.address = address
        return try await withCheckedThrowingContinuation { [request] done in
            DispatchQueue.global().async {
                done.resume(
                    with: Result {
                        try ControlClient.ask(request, socket: socket, timeout: .seconds(60), as: TrustedSensor.self)
                    })
            }
        }
    }

    /// As a visitor of the page does.
    func check(_ text: String) {
        _ = service.withLock { $0 }.checkConfiguration(text, until: .now + .seconds(600))
    }

    /// As `martlet unpair` asks.
    func unpair() async throws -> BondStatus {
        let socket = configuration.controlSocket
        return try await withCheckedThrowingContinuation { done in
            DispatchQueue.global().async {
                done.resume(
                    with: Result {
                        try ControlClient.ask(
                            OperationTable.unpair, sensor: "thermo", socket: socket, timeout: .seconds(60))
                    })
            }
        }
    }
}

/// A slow disk that counts the written files.
final class SlowDisk: StateFileSystem {
    private static let wait: UInt32 = 30_000
    private let disk = DiskFileSystem()
    private let written = Mutex<[String]>([])

    /// The number of written files with this suffix.
    func count(_ suffix: String) -> Int {
        written.withLock { $0.count { $0.hasSuffix(suffix + StateFile.unfinished) } }
    }

    func synchronize(_ descriptor: Int32) throws(StateFileError) {
        usleep(Self.wait)
        try disk.synchronize(descriptor)
    }

    func synchronize(directory: String) throws(StateFileError) {
        usleep(Self.wait)
        try disk.synchronize(directory: directory)
    }

    func create(_ path: String) throws(StateFileError) -> Int32 {
        written.withLock { $0.append(path) }
        return try disk.create(path)
    }

    func makeDirectory(_ path: String) throws(StateFileError) -> (isNew: Bool, wasWidened: Bool) {
        try disk.makeDirectory(path)
    }
    func names(in directory: String) throws(StateFileError) -> [String] { try disk.names(in: directory) }
    func write(_ octets: [UInt8], to file: Int32) throws(StateFileError) { try disk.write(octets, to: file) }
    func close(_ descriptor: Int32) { disk.close(descriptor) }
    func rename(_ path: String, to other: String) throws(StateFileError) { try disk.rename(path, to: other) }
    func remove(_ path: String) throws(StateFileError) { try disk.remove(path) }
    func read(_ path: String, limit: Int) throws(StateFileError) -> (octets: [UInt8], wasWidened: Bool)? {
        try disk.read(path, limit: limit)
    }
}
