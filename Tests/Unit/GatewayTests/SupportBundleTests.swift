// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransport
import Synchronization
import Testing

@testable import BluetoothCore
@testable import Collector
@testable import Configuration
@testable import Gateway
@testable import GatewayBench
@testable import Operations
@testable import Platform
@testable import Publisher
@testable import Readings

@Suite("A file for helpers", .serialized, .ownThread)
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
        // The flight recorder has no packet before the controller is set up.
        #expect(await eventually { scene.gateway.status.controller.state == "powered on" })
        // A line with secrets, against the rule for logs.
        scene.gateway.log.append("a library says \(Self.secrets[0]), and \(Self.secrets[3])")
        let bundle = try await scene.gateway.writeSupportBundle()
        let path = try #require(bundle.path)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text == bundle.text && bundle.bytes == text.utf8.count)
        for wanted in [
            "Martlet \(GatewayVersion.current)", "===== system", "===== status", "\"received\"", "===== configuration ",
            "username = \"someone\"", "cellar", "A4:C1:38:00:11:21", "===== bonds", "===== flight recorder, now",
            "YnRzbm9vcA", "===== log", "a library says …",
        ] {
            #expect(text.contains(wanted), "\(wanted)")
        }
        #expect(scene.gateway.configuration.secrets.sorted() == Self.secrets.sorted())
        for secret in Self.secrets { #expect(!text.localizedCaseInsensitiveContains(secret), "\(secret)") }
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }

    /// The secrets in a value by their places, and the places of secrets that are not given.
    private static func places(in value: Any, at place: String = "") -> (given: [String: [String]], absent: Set<String>)
    {
        if let secret = value as? Secret { return ([place: [secret.revealed]], []) }
        if type(of: value) == Secret?.self { return ([:], [place]) }
        var places: (given: [String: [String]], absent: Set<String>) = ([:], [])
        for (label, child) in Mirror(reflecting: value).children {
            // Elements of a list, and the content of an optional value, have the place of the whole.
            let inner = Self.places(in: child, at: label.map { $0 == "some" ? place : place + "." + $0 } ?? place)
            places.given.merge(inner.given, uniquingKeysWith: +)
            places.absent.formUnion(inner.absent)
        }
        return places
    }

    @Test func `each secret that a configuration can have is crossed out`() throws {
        var configuration = try GatewayConfiguration.parse(
            """
            [mqtt]
            username = "someone"
            password = "of the broker"
            [page]
            password = "of the page"
            [webhook]
            post_url = "https://example.org/of-the-webhook"
            header = "X-Key: of the webhook"
            [[sensor]]
            id = "cellar"
            address = "A4:C1:38:00:11:21"
            bindkey = "00112233445566778899aabbccddeeff"
            [[sensor]]
            id = "attic"
            address = "C4:7C:8D:00:77:01"
            passkey = "482913"
            """, gateway: "g")
        // The token has a file alone.
        configuration.page.metricsToken = Secret("of the metrics")
        let (given, absent) = Self.places(in: configuration)
        #expect(absent.subtracting(given.keys).isEmpty, "the test gives all of them")
        #expect(configuration.secrets.sorted() == given.values.flatMap { $0 }.sorted())
    }

    @Test func `a secret is crossed out as JSON writes it, too`() {
        let text = #"{"why":"the key a\"b\\c is wrong"} a"b\c"#
        #expect(SupportReport.masked(text, secrets: [#"a"b\c"#]) == #"{"why":"the key … is wrong"} …"#)
    }

    @Test func `so is whoever is named in a URL, whatever key it is of`() throws {
        let text = #"url = "https://bob:hunter2@example.org/x@1" and mqtt://token@[::1]:1883, http://a.example/@b a@b"#
        let masked = #"url = "https://…@example.org/x@1" and mqtt://…@[::1]:1883, http://a.example/@b a@b"#
        #expect(SupportReport.masked(text, secrets: []) == masked)
        let update = "[update]\nurl = \"https://bob:hunter2@example.org/x.raucb\"\n"
        let file = ShownConfiguration.File("x", .success(update), hasComments: false)
        #expect(file.text == "[update]\nurl = \"https://…@example.org/x.raucb\"\n", "\(file)")
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
        #expect(scene.gateway.exclusive.begin(.supportBundle))
        let busy = await refusal { () async throws(OperationError) in
            _ = try await scene.gateway.writeSupportBundle()
        }
        #expect(busy?.kind == .busy)
        scene.gateway.exclusive.end(.supportBundle)
        // A file where the folder would be.
        try scene.folder.write("state/support", "")
        let failed = try await scene.gateway.writeSupportBundle()
        #expect(failed.path == nil && failed.problem?.contains("cannot be written") == true)
        #expect(failed.text?.contains("===== status") == true, "it can be had all the same")
        let isWriting = scene.gateway.exclusive.isUnderway(.supportBundle)
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
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("===== status") && text.contains("===== doctor\n"))
        let shown = try run("-o", "-")
        #expect(shown.output.contains("===== log") && !shown.output.contains(Self.secrets[0]))
        let both = try run("-o", "-", "--json")
        #expect(both.status == 2 && both.output.isEmpty && both.errors.contains("give one of them"), "\(both)")
        let nowhere = try run("-o", scene.folder.path("no/such/folder"))
        #expect(nowhere.status == 1 && !nowhere.errors.isEmpty)
    }

    @Test func `of a gateway that does not run it has what the doctor says, and what files tell`() throws {
        let folder = try TestFolder()
        var ring = FlightRing(capacity: FlightRing.minimumCapacity)
        ring.record(([0x04, 0x10, 0x01, 0x2A] as [UInt8]).span.bytes, .received, microseconds: 0)
        for number in [9, 10] {
            try FileManager.default.createDirectory(atPath: folder.path("flight"), withIntermediateDirectories: true)
            let file = URL(fileURLWithPath: folder.path("flight/flight-\(number).btsnoop"))
            try Data(number == 10 ? ring.file() : []).write(to: file)
        }
        try folder.write(
            "martlet.toml",
            """
            [bluetooth]
            controller = "unix:\(folder.path("nowhere.sock"))"
            state_directory = "\(folder.path("."))"
            [control]
            socket = "\(folder.path("control.sock"))"
            [journal]
            path = "\(folder.path("journal.db"))"
            [mqtt]
            host = "127.0.0.1"
            port = 1
            username = "someone"
            password = "\(Self.secrets[0])"
            """)
        func run(_ arguments: String...) throws -> (status: Int32?, output: String, errors: String) {
            let process = try MartletProcess(["support-bundle", "--config", folder.path("martlet.toml")] + arguments)
            return (process.wait(.seconds(60)), process.output, process.errors)
        }
        let bare = try run()
        #expect(bare.status == 1 && bare.errors.contains("With -o FILE what can be told without one"), "\(bare)")
        let shown = try run("-o", "-")
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(shown.output.hasPrefix("Martlet \(GatewayVersion.current), which does not run ("))
        for wanted in [
            "===== doctor", "nothing listens there", "===== system",
            "===== configuration \(folder.path("martlet.toml"))",
            "username = \"someone\"", "===== log",
        ] {
            #expect(shown.output.contains(wanted), "\(wanted)")
        }
        #expect(!shown.output.contains(Self.secrets[0]))
        let recordings = SupportRecordings.find(in: shown.output)
        #expect(recordings.map(\.when) == ["flight-10.btsnoop"] && recordings.first?.file == ring.file())
        let file = folder.path("support.txt")
        let written = try run("-o", file, "--json")
        #expect(written.status == 0 && written.output.contains("\"path\":\"\(file)\""), "\(written)")
        // The unreadable file is the fault: the bundle says so, and has the rest.
        try folder.write("martlet.toml", "[mqtt\npassword = \"\(Self.secrets[1])\"\n")
        let broken = try run("-o", "-")
        #expect(broken.status == 0 && broken.output.contains("✗ configuration"), "\(broken)")
        #expect(!broken.output.contains(Self.secrets[1]))
    }

    @Test func `over MQTT it says where it is, and no more`() async throws {
        let scene = try Self.scene()
        let answer = await scene.gateway.answer(CommandRequest(verb: "support-bundle"))
        guard case .success(let octets) = answer else {
            Issue.record("\(answer)")
            return
        }
        let text = String(decoding: octets, as: UTF8.self)
        #expect(text.contains("martlet-support-1.txt") && !text.contains("=====") && octets.count < 500)
    }
}
