// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import CoreBluetooth
import Foundation
import Journal
import Logging
import StateFiles
import Testing
import VirtualRadio

@testable import Collector
@testable import Gateway
@testable import GatewayBench
@testable import martlet

/// Events of sensors and warnings of the log after a power cut.
struct PowerCutHistoryTests {
    private static let entries = """
        [[sensor]]
        id = "counter"
        name = "Counter"
        subscribe = ["\(CounterService.service)/\(CounterService.value)"]
        """

    /// Asks until the sensor's events are as wanted.
    private static func events(of scene: OperationsScene, _ condition: ([SensorEvent]) -> Bool) async -> Bool {
        let deadline = ContinuousClock.now + hangLimit
        while ContinuousClock.now < deadline {
            if condition((try? await scene.operations.explain("counter"))?.events ?? []) { return true }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    @Test(.timeLimit(.minutes(10))) func `why knows yesterday after a power cut`() async throws {
        let disk = try TestFolder()
        var ended: SensorEvent?
        do {
            let scene = try OperationsScene(Self.entries)
            let id = scene.radio.addSensor(
                VirtualSensor.Configuration(
                    address: DeviceAddress(kind: .public, value: 0xC0_0000_0001), name: "Counter", kind: .counter,
                    rate: 20, advertisingInterval: .milliseconds(30)))
            let collects = await Self.events(of: scene) { $0.contains { $0.kind == .collecting } }
            try #require(collects, "\(scene.lines.text)")
            scene.radio.simulateDisconnection(of: id)
            let isLost = await Self.events(of: scene) { $0.contains { $0.kind == .linkEnded } }
            try #require(isLost, "\(scene.lines.text)")
            let collector = scene.gateway.collector
            let isKept = await eventually {
                // The round of each 30 s.
                collector.queue.sync { collector.keepEvents(of: collector.sources) }
                scene.gateway.journal.requestCommit()
                let text = scene.gateway.journal.identifier(for: "events:counter") ?? ""
                return text.contains("link-ended")
            }
            try #require(isKept, "\(scene.lines.text)")
            ended = try await scene.operations.explain("counter").events.first { $0.kind == .linkEnded }
            let isOnDisk = await eventually {
                try? FileManager.default.removeItem(atPath: disk.path("disk"))
                try? FileManager.default.createDirectory(atPath: disk.path("disk"), withIntermediateDirectories: true)
                // The power goes: the disk is what it is at this moment.
                for name in ["journal.db", "journal.db-wal"] {
                    try? FileManager.default.copyItem(
                        atPath: scene.folder.path(name), toPath: disk.path("disk/" + name))
                }
                let files = ["journal.db", "journal.db-wal"].compactMap {
                    FileManager.default.contents(atPath: disk.path("disk/" + $0))
                }
                return files.contains { $0.range(of: Data("events:counter".utf8)) != nil }
            }
            try #require(isOnDisk)
        }
        let scene = try OperationsScene(Self.entries) { folder in
            for name in ["journal.db", "journal.db-wal"] {
                try FileManager.default.copyItem(atPath: disk.path("disk/" + name), toPath: folder.path(name))
            }
        }
        // The sensor is away: its entry waits for it.
        let knows = await Self.events(of: scene) { !$0.isEmpty }
        try #require(knows, "\(scene.lines.text)")
        let away = try await scene.operations.explain("counter")
        #expect(away.events.first { $0.kind == .linkEnded }?.reason == ended?.reason)
        #expect(away.events.contains { $0.kind == .linkEnded && $0.unixMs == ended?.unixMs })
        // The sensor is back: the events of both runs are one story.
        _ = scene.radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .public, value: 0xC0_0000_0001), name: "Counter", kind: .counter, rate: 20,
                advertisingInterval: .milliseconds(30)))
        let isStory = await Self.events(of: scene) { events in
            let end = events.firstIndex { $0.kind == .linkEnded }
            return end.map { events[$0...].contains { $0.kind == .collecting } } ?? false
        }
        #expect(isStory, "\(scene.lines.text)")
    }

    private static func warn(_ ring: LogRing, _ text: String) {
        Logger(label: "test") { _ in RingLogHandler(ring, level: .info) }.warning("\(text)")
    }

    private static func isThere(_ text: String, in folder: String) -> Bool {
        WarningFile.lines(in: folder).contains { $0.hasSuffix(" " + text) }
    }

    @Test func `warnings outlive a power cut, other lines do not`() async throws {
        let folder = try TestFolder()
        let ring = LogRing()
        let file = WarningFile(ring, folder: folder.path("state"))
        file.resume()
        Logger(label: "test") { _ in RingLogHandler(ring, level: .info) }.notice("all is well")
        file.keep(at: .zero)
        #expect(WarningFile.lines(in: folder.path("state")).isEmpty)
        Self.warn(ring, "the disk is slow")
        file.keep(at: .zero)
        let isWritten = await eventually { Self.isThere("the disk is slow", in: folder.path("state")) }
        #expect(isWritten)
        // No end: the power went. The next run shows the warning before its own lines.
        let next = LogRing()
        next.append("gateway started")
        let again = WarningFile(next, folder: folder.path("state"))
        again.resume()
        #expect(next.tail(5).count == 2 && next.tail(5)[0].hasSuffix(" warning  the disk is slow"), "\(next.tail(5))")
        Self.warn(next, "the radio is gone")
        again.end()
        #expect(Self.isThere("the disk is slow", in: folder.path("state")))
        #expect(Self.isThere("the radio is gone", in: folder.path("state")))
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path("state/warnings.log"))[
            .posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test func `a storm of warnings is bounded in the file and in the number of writes`() async throws {
        let folder = try TestFolder()
        let (ring, files) = (LogRing(), CountedFiles())
        let file = WarningFile(ring, folder: folder.path, on: files)
        var now = MonotonicTime.zero
        // A day, a look each minute, and a warning before each.
        for number in 0..<1_440 {
            Self.warn(ring, "\(number) " + String(repeating: "x", count: 2_000))
            file.keep(at: now)
            _ = await eventually { files.isIdle }
            now = now + .seconds(60)
        }
        #expect(files.renames > 10 && files.renames <= 10 + 144, "\(files.renames)")
        file.end()
        #expect(WarningFile.lines(in: folder.path).count == LogRing.warnings)
        #expect(WarningFile.lines(in: folder.path).allSatisfy { $0.utf8.count <= LogRing.lineLength })
    }

    @Test func `a disk that takes nothing ends nothing, and the warnings are written when it does`() async throws {
        let folder = try TestFolder()
        let ring = LogRing()
        let files = FailingFiles()
        files.steps = 0
        let file = WarningFile(ring, folder: folder.path("state"), on: files)
        Self.warn(ring, "early")
        file.keep(at: .zero)
        file.end()
        #expect(WarningFile.lines(in: folder.path("state")).isEmpty)
        files.steps = nil
        let isWritten = await eventually {
            file.keep(at: .zero + .seconds(3_600))
            return Self.isThere("early", in: folder.path("state"))
        }
        #expect(isWritten)
    }

    @Test func `a factory reset takes warnings and events along, and a backup leaves the warnings out`() throws {
        let folder = try TestFolder()
        try folder.write("warnings.log", "x\n")
        try folder.write("gateway-id", "x")
        #expect(try StateInventory(of: folder.path, journal: folder.path("journal.db")).files == ["gateway-id"])
        let reset = FactoryReset(stateDirectory: folder.path)
        try reset.begin()
        try reset.removeFiles(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        #expect(!FileManager.default.fileExists(atPath: folder.path("warnings.log")))
    }
}

/// Counts finished writes of files.
private final class CountedFiles: StateFileSystem, @unchecked Sendable {
    private let disk = DiskFileSystem()
    private let lock = NSLock()
    private var begun = 0
    private var ended = 0

    var renames: Int { lock.withLock { ended } }
    /// Each begun write has ended.
    var isIdle: Bool { lock.withLock { begun == ended } }

    func makeDirectory(_ path: String) throws(StateFileError) -> (isNew: Bool, wasWidened: Bool) {
        lock.withLock { begun += 1 }
        return try disk.makeDirectory(path)
    }
    func synchronize(directory: String) throws(StateFileError) {
        try disk.synchronize(directory: directory)
        lock.withLock { ended += 1 }
    }
    func names(in directory: String) throws(StateFileError) -> [String] { try disk.names(in: directory) }
    func create(_ path: String) throws(StateFileError) -> Int32 { try disk.create(path) }
    func write(_ octets: [UInt8], to descriptor: Int32) throws(StateFileError) {
        try disk.write(octets, to: descriptor)
    }
    func synchronize(_ descriptor: Int32) throws(StateFileError) { try disk.synchronize(descriptor) }
    func close(_ descriptor: Int32) { disk.close(descriptor) }
    func rename(_ path: String, to other: String) throws(StateFileError) { try disk.rename(path, to: other) }
    func remove(_ path: String) throws(StateFileError) { try disk.remove(path) }
    func read(_ path: String, limit: Int) throws(StateFileError) -> (octets: [UInt8], wasWidened: Bool)? {
        try disk.read(path, limit: limit)
    }
}
