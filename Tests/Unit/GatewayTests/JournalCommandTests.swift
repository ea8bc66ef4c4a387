// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Glibc
import Logging
import Platform
import Testing

@testable import Gateway
@testable import GatewayBench
@testable import Journal
@testable import Operations
@testable import Readings
@testable import martlet

/// `martlet audit` and `martlet buffer`, without a gateway and beside a gateway.
@Suite("Commands about the journal", .serialized, .ownThread)
struct JournalCommandTests {
    private let folder: TestFolder
    private var path: String { folder.path("journal.db") }

    init() throws { folder = try TestFolder() }

    /// Three readings of two sensors; one reading was delivered.
    private func fill() throws {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let journal = try Journal(JournalConfiguration(path: path, commitRows: 1), clock: .system, logger: logger)
        let stamp = TimeStamp(
            boot: "5e0c91aa", uptimeMilliseconds: 5, unixMilliseconds: 1_767_261_906_123, quality: .synced)
        journal.append(
            ["fridge", "fridge", "door"].map { device in
                Reading(
                    device: device, characteristic: "2a6e", source: .notify, value: [0x7E, 9], rssi: nil, stamp: stamp)
            })
        journal.queue.sync {}
        journal.acknowledge([2])
        journal.countGap(of: "door", missing: 4)
        journal.close()
    }

    private func run(_ arguments: String...) throws -> (status: Int32?, output: String, errors: String) {
        let process = try MartletProcess(arguments)
        return (process.wait(.seconds(20)), process.output, process.errors)
    }

    /// With the gateway's own SQLite.
    private func execute(_ text: String) throws {
        typealias Open = @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>) -> Int32
        typealias Execute =
            @convention(c) (
                OpaquePointer?, UnsafePointer<CChar>, OpaquePointer?, OpaquePointer?, OpaquePointer?
            ) -> Int32
        typealias Close = @convention(c) (OpaquePointer?) -> Int32
        var database: OpaquePointer?
        let open = unsafeBitCast(try #require(dlsym(nil, "sqlite3_open")), to: Open.self)
        let execute = unsafeBitCast(try #require(dlsym(nil, "sqlite3_exec")), to: Execute.self)
        let close = unsafeBitCast(try #require(dlsym(nil, "sqlite3_close")), to: Close.self)
        try #require(open(path, &database) == 0)
        #expect(execute(database, text, nil, nil, nil) == 0)
        #expect(close(database) == 0)
    }

    @Test("the audit shows the books of each sensor, and its status says whether they balance")
    func audit() throws {
        try fill()
        let good = try run("audit", "--journal", path, "--full")
        #expect(good.status == 0, "\(good)")
        #expect(good.output.contains("The books balance"))
        #expect(good.output.contains("integrity check: ok"))
        let fields = good.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(fields.contains(["fridge", "2", "1", "1", "0", "0"]))
        #expect(fields.contains(["door", "1", "0", "1", "0", "4"]))
        #expect(fields.contains(["total", "3", "1", "2", "0", "4"]))
        let json = try run("audit", "--journal", path, "--json")
        let audit = try ControlCoding.decode(Audit.self, from: [UInt8](json.output.utf8))
        #expect(audit.balances)
        #expect(audit.total.buffered == 2)

        let shell = try run("audit", "--journal", "/no/such.db")
        #expect(shell.status == 1)
        #expect(shell.errors.contains("No such file"))
        try execute("UPDATE ledger SET received = 7 WHERE delivered = 1")
        let bad = try run("audit", "--journal", path)
        #expect(bad.status == 1)
        #expect(bad.output.contains("! sensor fridge: 5 received readings are nowhere"))
    }

    @Test("buffered rows are exported as JSON lines, to a pipe or a file")
    func export() throws {
        try fill()
        let lines = try run("buffer", "export", "--journal", path)
        #expect(lines.status == 0, "\(lines)")
        #expect(lines.output.split(separator: "\n").count == 2)
        #expect(lines.output.contains("\"temperature\":24.3"))
        let file = folder.path("rows.jsonl")
        let counted = try run("buffer", "export", "--journal", path, "--output", file, "--json")
        #expect(counted.output == "{\"exported\":2}\n")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == lines.output)
        #expect(try run("buffer", "export", "--journal", path, "--output", "/no/such/file").status == 1)
        #expect(try run("buffer", "export", "--journal", path, "--json").status == 2)
        let overItself = try run("buffer", "export", "--journal", path, "--output", path)
        #expect(overItself.status == 1)
        #expect(try run("buffer", "export", "--journal", path).output == lines.output)
    }

    /// A configuration that accepts no sensor and reaches no broker.
    private func configure() throws -> String {
        try folder.write("martlet.toml", folder.gateway(entries: ""))
        return folder.path("martlet.toml")
    }

    @Test("the counts come from the gateway, or from the file without a gateway, with each sensor's counts")
    func stats() throws {
        try fill()
        let file = try configure()
        let alone = try run("buffer", "stats", "--config", file)
        #expect(alone.status == 0, "\(alone)")
        #expect(alone.output.contains("read from the file, as no gateway answers"))
        #expect(alone.output.contains("3 received = 1 delivered + 2 buffered + 0 dropped"))
        let fields = alone.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(fields.contains(["fridge", "2", "1", "0", "0"]) && fields.contains(["door", "1", "0", "0", "4"]))
        let json = try run("buffer", "stats", "--journal", path, "--json")
        let books = try ControlCoding.decode(JournalStatistics.self, from: [UInt8](json.output.utf8))
        #expect(books.source == .file && books.balances && books.buffered == 2 && books.committed == 3)
        #expect(books.oldestAgeSeconds ?? 0 > 0 && books.bytes > 0)
        #expect(try run("buffer", "stats", "--journal", "/no/such.db").status == 1)
        // With a named socket the command asks the gateway there, and no other.
        let elsewhere = try run("buffer", "stats", "--config", file, "--socket", folder.path("other.sock"))
        #expect(elsewhere.status == 1 && elsewhere.output.isEmpty, "\(elsewhere)")

        let gateway = try MartletProcess(["run", "--config", file])
        let socket = folder.path("control.sock")
        func status() -> GatewayStatus? { try? ControlClient.ask(OperationTable.status, socket: socket) }
        try #require(blockingEventually { status()?.journal.buffered == 2 }, "\(gateway.errors)")
        let asked = try run("buffer", "stats", "--config", file, "--json")
        let gatewaysBooks = try ControlCoding.decode(JournalStatistics.self, from: [UInt8](asked.output.utf8))
        #expect(gatewaysBooks.source == .gateway)
        #expect(gatewaysBooks.sensors == books.sensors && books.sensors?["door"]?.missing == 4)
        #expect(status()?.journal.sensors == books.sensors)
        gateway.send(SIGTERM)
        #expect(gateway.wait(.seconds(10)) == 0)
    }

    @Test("a purge needs --yes, and goes through a running gateway; so does a compaction")
    func purge() throws {
        try fill()
        let file = try configure()
        #expect(try run("buffer", "purge", "--config", file).status == 2)
        let alone = try run("buffer", "purge", "--yes", "--config", file)
        #expect(alone.status == 0, "\(alone)")
        #expect(alone.output == "2 readings dropped.\n")
        let small = try run("buffer", "compact", "--config", file)
        #expect(small.output.hasPrefix("Left as it is: there is little to gain"), "\(small)")
        try fill()
        let gateway = try MartletProcess(["run", "--config", file])
        try #require(
            blockingEventually {
                (try? ControlClient.ask(
                    OperationTable.bufferStats, socket: folder.path("control.sock"))) != nil
            }, "\(gateway.errors)")
        let asked = try run("buffer", "purge", "--yes", "--json", "--config", file)
        #expect(asked.output == "{\"purged\":3}\n", "\(asked)")
        let compacted = try run("buffer", "compact", "--json", "--config", file)
        #expect(compacted.output.contains("\"reason\":\"there is little to gain"), "\(compacted)")
        let beside = try run("audit", "--config", file)
        #expect(beside.status == 0, "\(beside)")
        #expect(beside.output.contains("purged"))
        gateway.send(SIGTERM)
        #expect(gateway.wait(.seconds(10)) == 0)
    }

    @Test("the gateway starts with an unusable journal, and says so")
    func unusable() throws {
        try folder.write("state", "a file where the folder should be")
        let file = folder.path("martlet.toml")
        let socket = folder.path("control.sock")
        try folder.write(
            "martlet.toml",
            """
            [bluetooth]
            controller = "virtual"
            state_directory = "\(folder.path)"
            [journal]
            path = "\(folder.path("state/journal.db"))"
            [mqtt]
            host = "127.0.0.1"
            port = 1
            [control]
            socket = "\(socket)"
            [[sensor]]
            name = "Flow counter"
            subscribe = ["5e4d0001-1c7b-4b5e-9b0a-3f6b2c9d7a10/5e4d0002-1c7b-4b5e-9b0a-3f6b2c9d7a10"]
            """)
        let gateway = try MartletProcess(["run", "--config", file])
        func books() -> JournalStatistics? {
            try? ControlClient.ask(OperationTable.bufferStats, socket: socket)
        }
        try #require(blockingEventually { (books()?.waiting ?? 0) > 0 }, "\(gateway.errors)")
        #expect(books()?.problem != nil)
        #expect(gateway.errors.contains("readings wait in memory"))
        try FileManager.default.removeItem(atPath: folder.path("state"))
        #expect(blockingEventually { (books()?.committed ?? 0) > 0 && books()?.problem == nil })
        gateway.send(SIGTERM)
        #expect(gateway.wait(.seconds(10)) == 0)
        #expect(try Audit(path: folder.path("state/journal.db"), full: true).balances)
    }
}
