// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import GatewayBench

/// Commands write into files that a person names, beside the person's other files.
@Suite("Files that a person names")
struct NamedOutputTests {
    private static let commands = [["support-bundle", "--output"], ["backup", "--passphrase-file", "PASS"]]

    private let folder: TestFolder
    private let output: TestFolder

    init() throws {
        (folder, output) = (try TestFolder(), try TestFolder())
        try folder.write("passphrase", "correct horse\n")
        try folder.write(
            "martlet.toml",
            """
            [bluetooth]
            controller = "virtual"
            state_directory = "\(folder.path("state"))"
            [journal]
            path = "\(folder.path("state"))/journal.db"
            [control]
            socket = "\(folder.path("control.sock"))"
            [mqtt]
            host = "127.0.0.1"
            port = 1
            """)
        try FileManager.default.createDirectory(atPath: folder.path("state"), withIntermediateDirectories: true)
    }

    private func run(_ command: [String]) async throws -> Int32 {
        let words = command.map { $0 == "PASS" ? folder.path("passphrase") : $0 }
        let process = try MartletProcess(words + [output.path("out"), "--config", folder.path("martlet.toml")])
        return try #require(try await process.end(), "the command has not ended")
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: output.path(name), encoding: .isoLatin1)
    }

    @Test(arguments: commands)
    func `the named file is replaced, and no other file of the person`(command: [String]) async throws {
        try output.write("out", "old")
        try output.write("out.new", "mine")
        #expect(try await run(command) == 0)
        #expect(try text("out").count > 100)
        #expect(try text("out.new") == "mine")
        #expect(try FileManager.default.contentsOfDirectory(atPath: output.path).sorted() == ["out", "out.new"])
    }

    @Test(arguments: commands)
    func `nothing is left beside a name that cannot be taken`(command: [String]) async throws {
        try output.write("out/inside", "mine")
        #expect(try await run(command) != 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: output.path) == ["out"])
        #expect(try text("out/inside") == "mine")
    }
}
