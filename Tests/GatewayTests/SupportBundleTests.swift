// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import BluetoothCore
@testable import Collector
@testable import Gateway
@testable import GatewayBench
@testable import Platform
@testable import Publisher
@testable import Readings

@Suite("A file for helpers", .serialized)
struct SupportBundleTests {
    private static let secrets = [
        "hunter2-broker", "hunter2-page-password", "00112233445566778899aabbccddeeff", "482913",
    ]

    private static func scene() throws -> OperationsScene {
        try OperationsScene(
            """
            [mqtt]
            host = "127.0.0.1"
            port = 1
            username = "someone"
            password = "\(secrets[0])"
            [page]
            password = "\(secrets[1])"
            [[sensor]]
            id = "cellar"
            address = "A4:C1:38:00:11:21"
            bindkey = "\(secrets[2])"
            [[sensor]]
            id = "attic"
            address = "C4:7C:8D:00:77:01"
            subscribe = ["180d/2a37"]
            passkey = "\(secrets[3])"
            """)
    }

    @Test func `it has what helpers ask for, and none of the configuration's secrets`() async throws {
        let scene = try Self.scene()
        // A line that should not be, and is.
        scene.gateway.log.append("a library says \(Self.secrets[0]), and \(Self.secrets[3])")
        let bundle = try await scene.gateway.writeSupportBundle()
        let text = try String(contentsOfFile: bundle.path, encoding: .utf8)
        #expect(text == bundle.text && bundle.bytes == text.utf8.count)
        for wanted in [
            "Martlet \(GatewayVersion.current)", "===== system", "===== status", "\"received\"", "===== configuration ",
            "username = \"someone\"", "cellar", "A4:C1:38:00:11:21", "===== bonds", "===== log", "a library says …",
        ] {
            #expect(text.contains(wanted), "\(wanted)")
        }
        #expect(scene.gateway.configuration.secrets.sorted() == Self.secrets.sorted())
        for secret in Self.secrets { #expect(!text.localizedCaseInsensitiveContains(secret), "\(secret)") }
        let attributes = try FileManager.default.attributesOfItem(atPath: bundle.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }

    @Test func `a secret is crossed out as JSON writes it, too`() {
        let text = #"{"why":"the key a\"b\\c is wrong"} a"b\c"#
        #expect(SupportReport.masked(text, secrets: [#"a"b\c"#]) == #"{"why":"the key … is wrong"} …"#)
    }

    @Test func `the newest three are kept, whatever else lies there`() async throws {
        let scene = try Self.scene()
        let folder = scene.folder.path("state/support")
        for name in ["notes", "martlet-support-x.txt", "martlet-support-99999999999999999999.txt"] {
            try scene.folder.write("state/support/\(name)", "mine")
        }
        for _ in 1...5 { _ = try await scene.gateway.writeSupportBundle() }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(
            names == [
                "martlet-support-3.txt", "martlet-support-4.txt", "martlet-support-5.txt",
                "martlet-support-99999999999999999999.txt", "martlet-support-x.txt", "notes",
            ])
    }

    @Test func `one at a time; a disk that cannot be written is told`() async throws {
        let scene = try Self.scene()
        scene.gateway.isWritingSupport.store(true, ordering: .releasing)
        let busy = await refusal { () async throws(OperationError) in
            _ = try await scene.gateway.writeSupportBundle()
        }
        #expect(busy?.kind == .busy)
        scene.gateway.isWritingSupport.store(false, ordering: .releasing)
        // A file where the folder would be.
        try scene.folder.write("state/support", "")
        let failed = await refusal { () async throws(OperationError) in
            _ = try await scene.gateway.writeSupportBundle()
        }
        #expect(failed?.kind == .failed && failed?.description.contains("cannot be written") == true)
        let isWriting = scene.gateway.isWritingSupport.load(ordering: .acquiring)
        #expect(!isWriting)
    }

    @Test func `by the program: where it is, into a file, onto the terminal`() throws {
        let scene = try Self.scene()
        func run(_ arguments: String...) throws -> (status: Int32?, output: String, errors: String) {
            let process = try MartletProcess(
                ["support-bundle", "--socket", scene.folder.path("control.sock")] + arguments)
            let status = process.wait(.seconds(60))
            return (status, process.output, process.errors)
        }
        let kept = try run()
        #expect(kept.status == 0, "\(kept.errors)")
        #expect(kept.output == scene.folder.path("state/support/martlet-support-1.txt") + "\n")
        let file = scene.folder.path("mine.txt")
        #expect(try run("-o", file).output == file + "\n")
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains("===== status"))
        let shown = try run("-o", "-")
        #expect(shown.output.contains("===== log") && !shown.output.contains(Self.secrets[0]))
        let nowhere = try run("-o", scene.folder.path("no/such/folder"))
        #expect(nowhere.status == 1 && !nowhere.errors.isEmpty)
    }

    @Test func `over MQTT it says where it is, and no more`() async throws {
        let scene = try Self.scene()
        let answer = await scene.gateway.commands.perform(CommandRequest(verb: "support-bundle"))
        guard case .success(let octets) = answer else {
            Issue.record("\(answer)")
            return
        }
        let text = String(decoding: octets, as: UTF8.self)
        #expect(text.contains("martlet-support-1.txt") && !text.contains("=====") && octets.count < 500)
    }
}
