// SPDX-License-Identifier: Apache-2.0

import Foundation
import Readings
import Testing

@testable import Gateway
@testable import GatewayBench
@testable import Journal

/// `martlet backup` and `martlet restore` as programs.
@Suite("Commands for backup and restore", .serialized)
struct BackupProcessTests {
    private let scene: BackupScene

    init() throws { scene = try BackupScene() }

    private func run(
        _ arguments: [String], input: String? = nil
    ) async throws -> (status: Int32?, output: String, errors: String) {
        let process = try MartletProcess(
            arguments + ["--config", scene.places.configuration], input: input)
        return (try await process.end(), process.output, process.errors)
    }

    @Test func `a gateway in use is replaced only by somebody who says so`() async throws {
        try scene.fill(7)
        let saved = try await run(
            ["backup", scene.file, "--passphrase-file", "-"], input: "correct horse battery\n")
        #expect(saved.status == 0 && saved.output.contains("7 readings"), "\(saved)")
        try scene.folder.write("pass", "correct horse battery\n")
        let before = try scene.tree()
        let restore = ["restore", scene.file, "--passphrase-file", scene.folder.path("pass")]
        let refused = try await run(restore)
        #expect(refused.status == 1 && refused.errors.contains("all the same, add --yes"), "\(refused)")
        #expect(refused.errors.contains("7 readings that wait and would be dropped"), "\(refused)")
        #expect(try scene.tree() == before)
        let journal = try scene.journal()
        let running = try await run(restore + ["--yes"])
        #expect(running.status == 1 && running.errors.contains("The gateway runs. Stop it first: "), "\(running)")
        journal.close()
        let done = try await run(restore + ["--yes", "--json"])
        #expect(done.status == 0 && done.output.contains("\"rows\":7"), "\(done)")
        #expect(try scene.rows().map(\.n) == Array(1...7))
    }

    @Test func `a gateway that runs can be backed up`() async throws {
        let journal = try scene.journal()
        journal.append([Sample.temperature(1), Sample.temperature(2)])
        journal.commitNow()
        let saved = try await run(
            ["backup", scene.file, "--passphrase-file", "-"], input: "correct horse battery\n")
        journal.append([Sample.temperature(3)])
        journal.commitNow()
        journal.close()
        #expect(saved.status == 0, "\(saved)")
        try scene.replaceBoard()
        try scene.restore()
        #expect(try scene.rows().map(\.n) == [1, 2])
    }

    @Test func `no passphrase is an argument, and none is short`() async throws {
        let none = try await run(["backup", scene.file])
        #expect(none.status == 2 && none.errors.contains("--passphrase-file -"), "\(none)")
        let short = try await run(["backup", scene.file, "--passphrase-file", "-"], input: "1234567\n")
        #expect(short.status == 2 && !FileManager.default.fileExists(atPath: scene.file), "\(short)")
        let argument = try await run(["backup", scene.file, "--passphrase", "correct horse battery"])
        #expect(argument.status == 2, "\(argument)")
    }

    @Test func `the next start ends a restore that was cut`() async throws {
        try scene.fill(3)
        try scene.save()
        let files = FailingFiles()
        var steps = 0
        let pending = PendingRestore(stateDirectory: scene.places.stateDirectory, journal: scene.places.journal)
        repeat {
            files.steps = steps
            _ = try? scene.restore(on: files)
            steps += 1
        } while !pending.isThere && steps < 500
        #expect(pending.isThere)
        let process = try MartletProcess(["run", "--config", scene.places.configuration])
        #expect(await eventually { process.errors.contains("an interrupted restore was finished") })
        process.send(SIGKILL)
        _ = try await process.end()
        #expect(!pending.isThere)
    }
}
