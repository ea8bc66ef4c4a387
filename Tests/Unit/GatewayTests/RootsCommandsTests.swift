// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Glibc
import Publisher
import Testing

@testable import Configuration
@testable import Gateway
@testable import GatewayBench
@testable import Operations

/// The gateway's user may put anything into its state directory, where root's commands look while no gateway runs.
@Suite("Root's commands at files of the gateway's user", .serialized, .enabled(if: geteuid() == 0))
struct RootsCommandsTests {
    private static let user: uid_t = 65_534
    private static let secret = "SECRET-OF-ROOT"

    /// The commands that read or write files of the state directory, with their arguments. All other commands ask the running gateway, or
    /// need none.
    private static let working: [String: [[String]]] = [
        "audit": [["audit"], ["audit", "--full"]],
        "buffer": [
            ["buffer", "stats"], ["buffer", "export"], ["buffer", "export", "--output", "OUT"], ["buffer", "compact"],
            ["buffer", "purge", "--yes"],
        ],
        "check-config": [["check-config"]],
        "doctor": [["doctor"]],
        "backup": [["backup", "OUT", "--passphrase-file", "PASS"]],
        "restore": [["restore", "BACKUP", "--passphrase-file", "PASS", "--yes"]],
        "identity": [
            ["identity"], ["identity", "--json"], ["identity", "--same-gateway"], ["identity", "--new-gateway"],
        ],
        "selftest": [["selftest", "--controller", "virtual", "--seconds", "1"]],
        "support-bundle": [["support-bundle", "--output", "OUT"], ["support-bundle", "--output", "-"]],
    ]
    /// The gateway itself, which does not run as root; commands that only watch, or have a controller of their own; programs without a gateway; helpers, from which systemd hides the state directory;
    /// and `update`, which takes the builder's signed files.
    private static let others: Set<String> = [
        "run", "demo", "decode", "decoder", "replay", "configure", "update", "watch", "scan", "virtual-radio",
        "version",
        "open-controller",
        "network-helper", "update-helper", "radio-helper", "help", "advice",
    ]

    private let folder: TestFolder
    private var state: String { folder.path("state") }

    init() throws {
        folder = try TestFolder()
        chmod(folder.path, 0o755)
        try folder.write(
            "martlet.toml",
            """
            [gateway]
            id = "attic"
            [bluetooth]
            controller = "virtual"
            state_directory = "\(state)"
            [journal]
            path = "\(state)/journal.db"
            [control]
            socket = "\(folder.path("control.sock"))"
            [mqtt]
            host = "127.0.0.1"
            port = 1
            """)
        for name in ["", "/flight", "/config.d", "/open"] {
            try FileManager.default.createDirectory(atPath: state + name, withIntermediateDirectories: true)
        }
    }

    /// A file of root's, unreadable for other users.
    private func keep(_ name: String, _ text: String) throws -> String {
        let path = folder.path(name)
        try folder.write(name, text)
        chmod(path, 0o600)
        return path
    }

    private func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: "\(state)/\(name)", withDestinationPath: target)
    }

    /// Everything below the state directory is the gateway's user's from now on.
    private func giveAway() {
        lchown(state, Self.user, Self.user)
        for name in FileManager.default.enumerator(atPath: state) ?? FileManager.DirectoryEnumerator() {
            lchown("\(state)/\(name)", Self.user, Self.user)
        }
    }

    private func strangers() -> [String] {
        let names = FileManager.default.enumerator(atPath: state)?.compactMap { $0 as? String } ?? []
        return names.filter { name in
            var information = stat()
            return lstat("\(state)/\(name)", &information) == 0 && information.st_uid != Self.user
        }
    }

    @Test func `each command is known as one that works on files, or as one that does not`() async throws {
        let help = try MartletProcess(["--help"])
        #expect(try await help.end() == 0)
        let lines = help.output.split(separator: "\n", omittingEmptySubsequences: false)
        let list = lines.drop { !$0.hasSuffix("SUBCOMMANDS:") }.dropFirst()
        let names = list.filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") && !$0.hasPrefix("  See ") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
        let known = Set(Self.working.keys).union(Self.others)
        // These ask the running gateway, by the table of operations.
        let asking = OperationTable.rows.filter { $0.callers.contains(.socket) }.map(\.name.rawValue)
        let unknown = Set(names).subtracting(known).filter { name in
            !asking.contains { $0 == name || $0.hasPrefix(name + "-") }
        }
        #expect(names.count > 20 && unknown.isEmpty, "\(unknown)")
    }

    @Test(arguments: working.values.flatMap { $0 })
    func `a link leads root nowhere, and root leaves no file of its own`(command: [String]) async throws {
        let lines = (0..<64).map { _ in Self.secret + "\n" }.joined()
        let secret = try keep("shadow", lines)
        // Root's journal, which the links lead to as well.
        let database = try keep("roots.db", "")
        try FileManager.default.removeItem(atPath: database)
        let made = try MartletProcess(["buffer", "stats", "--journal", database])
        _ = try await made.end()
        let passphrase = try keep("passphrase", "correct horse\n")
        let backup = folder.path("attic.martlet")
        let saved = try MartletProcess([
            "backup", backup, "--passphrase-file", passphrase, "--config", folder.path("martlet.toml"),
        ])
        #expect(try await saved.end() == 0, "\(saved.errors)")
        try link("flight/flight-9.btsnoop", to: secret)
        try link("gateway-id", to: secret)
        try link("journal.db", to: secret)
        try link("journal.db.lock", to: folder.path("new-lock"))
        try link("journal.db-wal", to: folder.path("new-wal"))
        try link("open/out", to: secret)
        try folder.write(
            "state/config.d/50-provisioned.toml", "[mqtt]\nusername = \"me\"\npassword_file = \"\(secret)\"\n")
        try link("config.d/60-more.toml", to: secret)
        giveAway()
        let before = Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
        let output = "\(state)/open/out"
        let places = ["OUT": output, "PASS": passphrase, "BACKUP": backup]
        let arguments = command.map { places[$0] ?? $0 }
        let process = try MartletProcess(arguments + ["--config", folder.path("martlet.toml")])
        _ = try await process.end()
        #expect(!process.output.contains(Self.secret) && !process.errors.contains(Self.secret))
        let encoded = Data(lines.utf8).base64EncodedString().dropFirst(8).prefix(24)
        #expect(!process.output.contains(encoded), "\(process.output)")
        #expect(try String(contentsOfFile: secret, encoding: .utf8) == lines)
        #expect(strangers() == [])
        let after = Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
        #expect(after.subtracting(before) == [])
    }

    @Test func `root's bundle goes on having the recording that is there`() async throws {
        try folder.write("state/flight/flight-3.btsnoop", "btsnoop\0\0\0\0\u{1}\0\0\u{3}\u{6A}")
        giveAway()
        let output = folder.path("out.txt")
        let process = try MartletProcess([
            "support-bundle", "--output", output, "--config", folder.path("martlet.toml"),
        ])
        #expect(try await process.end() == 0, "\(process.errors)")
        let text = try String(contentsOfFile: output, encoding: .utf8)
        #expect(text.contains("===== flight recorder, flight-3.btsnoop"))
    }

    @Test func `no file that the gateway's layer names is read with root's rights`() throws {
        let secret = try keep("shadow", Self.secret + "\n")
        try folder.write(
            "state/config.d/50-provisioned.toml",
            "[mqtt]\nhost = \"127.0.0.1\"\nusername = \"me\"\npassword_file = \"\(secret)\"\n")
        giveAway()
        let configuration = try? GatewayConfiguration.load(path: folder.path("martlet.toml"), environment: [:])
        #expect(configuration?.mqtt.password == nil)
        // The gateway's user may read this file, and so may root.
        try folder.write("state/password", "theirs\n")
        try folder.write(
            "state/config.d/50-provisioned.toml",
            "[mqtt]\nhost = \"127.0.0.1\"\nusername = \"me\"\npassword_file = \"\(state)/password\"\n")
        giveAway()
        let good = try GatewayConfiguration.load(path: folder.path("martlet.toml"), environment: [:])
        #expect(good.mqtt.password?.revealed == "theirs")
        #expect(geteuid() == 0)
    }
}
