// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Configuration
import Foundation
import Logging
import Platform
import StateFiles
import Testing

@testable import Gateway
@testable import GatewayBench
@testable import Journal
@testable import Readings

/// A gateway's files on a board, and another board that is to become this gateway.
final class BackupScene {
    static let passphrase = Secret("correct horse battery")
    static let secret = "hunter2-hunter2"
    /// 2026-01-01.
    static let now: Int64 = 1_767_225_600_000
    static let state = [
        "bonds/c47c8d001122/c0ffee000001.bond", "cache/a.json", "peers.json", "config.d/50-provisioned.toml",
        "provision.json",
    ]

    let folder: TestFolder
    let log = LogLines()

    init() throws {
        folder = try TestFolder()
        try board("a")
        try settings("username = \"me\"\npassword_file = \"\(folder.path("etc/secrets/mqtt"))\"\n")
        try folder.write("etc/secrets/mqtt", Self.secret + "\n")
        try folder.write("etc/conf.d/10-name.toml", "[gateway]\nname = \"Attic\"\n")
        for name in Self.state where name.hasSuffix("toml") == false { try folder.write("state/" + name, "x " + name) }
        try folder.write("state/config.d/50-provisioned.toml", "[mqtt]\nhost = \"127.0.0.1\"\n")
        chmod(folder.path("etc/secrets/mqtt"), 0o600)
        // What a support bundle has left is no part of the gateway.
        try folder.write("state/support/martlet-support-1.txt", "old")
        _ = try configuration(fresh: "gw-111111")
    }

    var places: BackupPlaces {
        var places = BackupPlaces(configuration: folder.path("etc/martlet.toml"), GatewayConfiguration(gateway: ""))
        (places.stateDirectory, places.journal) = (folder.path("state"), folder.path("state/journal.db"))
        places.credentials = folder.path("credstore")
        places.machine.machineID = folder.path("machine-id")
        (places.machine.serials, places.machine.containers) = ([folder.path("serial")], [])
        return places
    }

    var file: String { folder.path("attic.martlet") }

    /// From now on all this is another machine.
    func board(_ letter: String) throws {
        try folder.write("machine-id", String(repeating: letter, count: 31) + "0\n")
        try folder.write("serial", "10000000\(letter)bcd")
    }

    func settings(_ mqtt: String = "") throws {
        try folder.write(
            "etc/martlet.toml",
            """
            [bluetooth]
            controller = "virtual"
            state_directory = "\(folder.path("state"))"
            [journal]
            path = "\(folder.path("state/journal.db"))"
            [control]
            socket = "\(folder.path("control.sock"))"
            [mqtt]
            host = "127.0.0.1"
            port = 1
            \(mqtt)
            """)
    }

    /// Reads the configuration as a start does.
    func configuration(fresh: String) throws -> GatewayConfiguration {
        try GatewayConfiguration.load(
            path: places.configuration, environment: [:], freshName: fresh, machine: places.machine)
    }

    // MARK: The journal

    func journal() throws -> Journal {
        let configuration = JournalConfiguration(
            path: places.journal, commitRows: 1_000_000, commitInterval: .seconds(3_600))
        return try Journal(configuration, clock: .system, logger: log.logger)
    }

    /// Adds readings, and delivers some of all.
    func fill(_ count: Int, delivered: [Int64] = []) throws {
        let journal = try journal()
        journal.append((0..<count).map { Sample.temperature(Int16($0 % 30_000), device: "fridge") })
        journal.commitNow()
        journal.acknowledge(delivered)
        journal.close()
    }

    func rows() throws -> [JournalRow] {
        let journal = try journal()
        defer { journal.close() }
        return try journal.rows(after: 0, limit: 100_000)
    }

    // MARK: Backup and restore

    @discardableResult
    func save(on files: any StateFileSystem = DiskFileSystem()) throws -> GatewayBackup.Report {
        try GatewayBackup(try configuration(fresh: "gw-999999"), at: places, on: files)
            .write(to: file, passphrase: Self.passphrase, now: Self.now)
    }

    /// Writes a backup with the manifest of this machine's gateway and these entries. `rows`: the manifest's waiting readings.
    func write(_ entries: [(name: String, octets: [UInt8])], rows: Int = 0) throws {
        let header = BackupHeader()
        let key = try header.key(of: Self.passphrase)
        var octets: [UInt8] = []
        var sealer = try BackupSealer(header, key: key) { octets += $0 }
        let manifest = BackupManifest(
            madeMs: 1, martlet: "1", gateway: "gw-1", isNamed: false, stateDirectory: places.stateDirectory,
            journal: places.journal, rows: rows, greatest: 3)
        let json = [UInt8](try JSONEncoder().encode(manifest))
        try sealer.add(BackupEntry(.manifest, size: json.count).octets + json)
        for (name, content) in entries {
            var entry = BackupEntry(.manifest, size: content.count)
            entry.name = name
            try sealer.add(entry.octets + content)
        }
        try sealer.end()
        try Data(octets).write(to: URL(fileURLWithPath: file))
    }

    @discardableResult
    func restore(
        _ path: String? = nil, _ passphrase: Secret = passphrase, now: Int64 = now + 1_000,
        on files: any StateFileSystem = DiskFileSystem()
    ) throws -> GatewayRestore.Report {
        try GatewayRestore(path ?? file, passphrase: passphrase, at: places, on: files).run(now: now)
    }

    /// The board breaks, and another board has nothing but the places.
    func replaceBoard() throws {
        for name in ["state", "etc"] { try FileManager.default.removeItem(atPath: folder.path(name)) }
        try board("b")
        try settings()
    }

    /// All files by their paths, without the journal's lock and SQLite's shared memory.
    func tree() throws -> [String: Data] {
        var tree: [String: Data] = [:]
        for case let name as String in FileManager.default.enumerator(atPath: folder.path) ?? .init() {
            let path = folder.path(name)
            guard !["lock", "-shm", "-wal"].contains(where: { name.hasSuffix($0) }),
                let data = FileManager.default.contents(atPath: path)
            else { continue }
            tree[name] = data
        }
        return tree
    }
}

/// A disk with an error at one of its steps, or full after some octets.
final class FailingFiles: StateFileSystem, @unchecked Sendable {
    private let disk = DiskFileSystem()
    /// Steps that change something and still work; nil for all.
    var steps: Int?
    /// Octets that still fit; nil for all.
    var room: Int?

    private func step() throws(StateFileError) {
        guard let steps else { return }
        guard steps > 0 else { throw StateFileError(step: "power", code: EIO) }
        self.steps = steps - 1
    }

    func makeDirectory(_ path: String) throws(StateFileError) -> (isNew: Bool, wasWidened: Bool) {
        try step()
        return try disk.makeDirectory(path)
    }
    func synchronize(directory: String) throws(StateFileError) { try disk.synchronize(directory: directory) }
    func names(in directory: String) throws(StateFileError) -> [String] { try disk.names(in: directory) }
    func create(_ path: String) throws(StateFileError) -> Int32 {
        try step()
        return try disk.create(path)
    }
    func setMode(_ mode: mode_t, of descriptor: Int32) throws(StateFileError) {
        try disk.setMode(mode, of: descriptor)
    }
    func write(_ octets: [UInt8], to descriptor: Int32) throws(StateFileError) {
        try step()
        if let room {
            guard octets.count <= room else { throw StateFileError(step: "write", code: ENOSPC) }
            self.room = room - octets.count
        }
        try disk.write(octets, to: descriptor)
    }
    func synchronize(_ descriptor: Int32) throws(StateFileError) { try disk.synchronize(descriptor) }
    func close(_ descriptor: Int32) { disk.close(descriptor) }
    func rename(_ path: String, to other: String) throws(StateFileError) {
        try step()
        try disk.rename(path, to: other)
    }
    func remove(_ path: String) throws(StateFileError) { try disk.remove(path) }
    func read(_ path: String, limit: Int) throws(StateFileError) -> (octets: [UInt8], wasWidened: Bool)? {
        try disk.read(path, limit: limit)
    }
}
