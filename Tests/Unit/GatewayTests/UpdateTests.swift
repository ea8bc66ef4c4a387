// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@testable import BluetoothCore
@testable import Gateway
@testable import GatewayBench
@testable import Journal
@testable import Operations
@testable import Readings
@testable import martlet

/// With a RAUC that gives the test's answers.
@Suite("martlet update, before it writes to the disk")
struct UpdateTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    /// An image of version 1.4, whose RAUC answers with `script`.
    private func image(_ script: String) throws -> ImageSystem {
        // Another process writes the script: otherwise a child of another test would inherit our open descriptor, and the file would be
        // busy (ETXTBSY).
        try folder.write("script", "#!/bin/sh\n\(script)\n")
        let install = try Process.run(
            URL(fileURLWithPath: "/usr/bin/install"),
            arguments: ["-m", "755", folder.path("script"), folder.path("rauc")])
        install.waitUntilExit()
        try #require(install.terminationStatus == 0)
        try folder.write("os-release", "ID=debian\nIMAGE_ID=martlet-rpi-arm64\nIMAGE_VERSION=1.4\n")
        try folder.write("system.conf", "")
        try folder.write("update.raucb", "")
        return ImageSystem(
            rauc: folder.path("rauc"), configuration: folder.path("system.conf"), release: folder.path("os-release"))
    }

    private func bundle(_ version: String, _ description: String = "journal schema \(JournalSchema.version)") -> String
    {
        let answer =
            #"{"compatible":"martlet-rpi-arm64","version":"\#(version)","description":"\#(description)","images":[]}"#
        return #"[ "$1 $2" = "info --output-format=json" ] && echo '\#(answer)'"#
    }

    private func failure(_ image: ImageSystem, _ source: String? = nil, force: Bool = false) -> String? {
        #expect(throws: ImageSystem.Failure.self) {
            try UpdateJudge.check(source ?? folder.path("update.raucb"), for: image, force: force)
        }?.description
    }

    @Test("a version of the same age or newer is installed", arguments: ["1.4", "1.5", "1.10", "1.4+1"])
    func notOlder(version: String) throws {
        let judged = try UpdateJudge.check(folder.path("update.raucb"), for: try image(bundle(version)), force: false)
        #expect(judged.version == version)
        #expect(judged.compatible == "martlet-rpi-arm64")
    }

    @Test("an older version is not installed, unless the command asks for it", arguments: ["1.3", "1.4~rc1", "0.9"])
    func older(version: String) throws {
        let image = try image(bundle(version))
        #expect(try #require(failure(image)).contains("\(version) is older than 1.4"))
        #expect(try UpdateJudge.check(folder.path("update.raucb"), for: image, force: true).version == version)
    }

    @Test("a version that could not read the journal is not installed, unless the command asks for it")
    func newSchema() throws {
        let newer = JournalSchema.version + 1
        let image = try image(bundle("1.5", "journal schema \(newer)"))
        let reason = try #require(failure(image))
        #expect(reason.contains("from \(JournalSchema.version) to \(newer)"))
        #expect(reason.contains("--force"))
        #expect(try UpdateJudge.check(folder.path("update.raucb"), for: image, force: true).journalSchema == newer)
    }

    @Test(
        "a version without a stated schema is not installed, unless the command asks for it",
        arguments: ["", "journal", "journal schema x"])
    func noSchema(description: String) throws {
        let image = try image(bundle("1.5", description))
        #expect(try #require(failure(image)).contains("does not say which schema"))
        #expect(try UpdateJudge.check(folder.path("update.raucb"), for: image, force: true).journalSchema == nil)
    }

    @Test("a bundle that RAUC does not trust is refused with its reason, forced or not")
    func foreign() throws {
        let image = try image(
            "echo noise >&2; echo 'signature verification failed: self-signed certificate' >&2; exit 1")
        for force in [false, true] {
            #expect(try #require(failure(image, force: force)).contains("signature verification failed"))
        }
    }

    @Test("an answer that is no JSON, and a killed RAUC, are failures")
    func answers() throws {
        #expect(try #require(failure(try image("echo nothing"))).contains("cannot be read"))
        #expect(try #require(failure(try image("kill -9 $$"))).contains("is no update"))
    }

    @Test("a missing file is reported as missing")
    func noFile() throws {
        #expect(try #require(failure(try image(bundle("1.5")), folder.path("other.raucb"))).contains("no such file"))
    }

    @Test("on other systems the user is sent to apt")
    func otherSystem() throws {
        var image = try image(bundle("1.5"))
        image.configuration = folder.path("nothing")
        #expect(try #require(failure(image)).contains("install a newer package"))
    }

    @Test(
        "percentages are found in the output, however it is cut, and only when they grow",
        arguments: [
            (["  0% Installing\n", " 20% Checking bundle\n"], [0, 20]), ([" 4", "0", "% x"], [40]),
            (["\r[#] 10%\r[##] 10%\r[###] 30%"], [30]), (["50%", "40%", "60%"], [50, 60]),
            (["1000% 101% %%% 9 9%"], [9]), (["no number %", ""], []), (["12345678901234567890%"], []),
        ])
    func percentages(said: [String], found: [Int]) {
        var text = ProgressText()
        #expect(said.compactMap { text.receive(Array($0.utf8)) } == found)
    }

    @Test("a running gateway is told of each step, and of the end")
    func told() throws {
        let scene = try OperationsScene()
        let reporter = UpdateReporter(socket: scene.folder.path("control.sock"))
        let image = try self.image(
            bundle("1.5") + "\n" + #"[ "$1" = install ] && for p in 0 20 99 100; do echo " $p% Copying"; done; true"#)
        // A gateway without a flashed image ignores the report; the update continues.
        try UpdateCommand.install(folder.path("update.raucb"), on: image, force: false, reporter)
        #expect(scene.gateway.imageUpdate == nil)

        scene.gateway.keepUpdates(ofImage: "1.4", helper: nil)
        #expect(scene.gateway.imageUpdate == ImageUpdate(installed: "1.4"))
        try UpdateCommand.install(folder.path("update.raucb"), on: image, force: false, reporter)
        var installed = ImageUpdate(installed: "1.4")
        (installed.state, installed.available) = (.installed, "1.5")
        #expect(scene.gateway.imageUpdate == installed)

        let broken = try self.image(bundle("1.6") + "\n" + #"[ "$1" = install ] && echo " 40% x" && exit 1; true"#)
        #expect(throws: ImageSystem.Failure.self) {
            try UpdateCommand.install(folder.path("update.raucb"), on: broken, force: false, reporter)
        }
        let failed = try #require(scene.gateway.imageUpdate)
        #expect(failed.state == .failed && failed.available == "1.6" && failed.progress == nil)
        #expect(failed.error?.contains("this version runs on") == true)
        // The next process knows the version that this process has seen, of the same image.
        #expect(scene.gateway.journal.identifier(for: "update:available") == "1.4 1.6")
        scene.gateway.keepUpdates(ofImage: "1.4", helper: nil)
        #expect(scene.gateway.imageUpdate?.available == "1.6")
        scene.gateway.keepUpdates(ofImage: "1.6", helper: nil)
        #expect(scene.gateway.imageUpdate == ImageUpdate(installed: "1.6"))
    }

    private static let url = "[update]\nurl = \"https://example.org/martlet.raucb\"\nlooks_daily = false\n"

    /// A socket where a helper is asked.
    private func helper(_ name: String = "update.sock") throws -> UnixSocket {
        try UnixSocket.listening(on: folder.path(name))
    }

    @Test("a client asks the helper for the configured bundle, once at a time")
    func asked() throws {
        let scene = try OperationsScene(Self.url)
        let helper = try helper()
        #expect(throws: OperationError.self) { try scene.gateway.update(.check) }
        #expect(!scene.gateway.canUpdate)
        scene.gateway.keepUpdates(ofImage: "1.4", helper: folder.path("update.sock"))
        #expect(scene.gateway.canUpdate)
        try scene.gateway.update(.install)
        #expect(scene.gateway.imageUpdate?.state == .checking)
        #expect(try #require(OperationError(of: { try scene.gateway.update(.check) })).kind == .busy)

        let image = try image(bundle("1.5") + "\n" + #"[ "$1" = install ] && echo " 40% x"; true"#)
        let connection = try accept(helper)
        defer { close(connection) }
        let action = try #require(UpdateHelper.action(from: connection))
        #expect(action == .install)
        var restarts = 0
        var sources: [String] = []
        try UpdateHelperCommand.serve(
            action,
            source: {
                sources.append("x")
                return folder.path("update.raucb")
            }, on: image,
            UpdateReporter(socket: scene.folder.path("control.sock")), restart: { restarts += 1 })
        #expect(restarts == 1 && sources == ["x"])
        #expect(scene.gateway.imageUpdate?.state == .installed && scene.gateway.imageUpdate?.available == "1.5")

        try scene.gateway.update(.check)
        let second = try accept(helper)
        defer { close(second) }
        #expect(UpdateHelper.action(from: second) == .check)
        #expect(throws: ImageSystem.Failure.self) {
            try UpdateHelperCommand.serve(
                .check, source: { folder.path("update.raucb") }, on: try self.image("exit 3"),
                UpdateReporter(socket: scene.folder.path("control.sock")), restart: { restarts += 1 })
        }
        #expect(restarts == 1)
        #expect(scene.gateway.imageUpdate?.state == .failed)
        try UpdateHelperCommand.serve(
            .check, source: { folder.path("update.raucb") }, on: try self.image(bundle("1.6") + "\ntrue"),
            UpdateReporter(socket: scene.folder.path("control.sock")), restart: { restarts += 1 })
        #expect(scene.gateway.imageUpdate?.state == .idle && scene.gateway.imageUpdate?.available == "1.6")
    }

    @Test("the gateway hears of the helper's failures: no address, no helper")
    func notInstalled() throws {
        let scene = try OperationsScene(Self.url)
        scene.gateway.keepUpdates(ofImage: "1.4", helper: folder.path("nobody.sock"))
        #expect(try #require(OperationError(of: { try scene.gateway.update(.install) })).kind == .failed)
        #expect(scene.gateway.imageUpdate?.error?.contains("cannot be asked: ") == true)

        try folder.write("martlet.toml", "[gateway]\nid = \"gw\"\n")
        #expect(throws: ImageSystem.Failure.self) {
            try UpdateHelperCommand.serve(
                .install, source: { try UpdateCommand.configuredSource(folder.path("martlet.toml")) },
                on: try image("true"), UpdateReporter(socket: scene.folder.path("control.sock")), restart: {})
        }
        #expect(scene.gateway.imageUpdate?.error?.contains(#""url" in [update]"#) == true)
        let without = try OperationsScene("")
        without.gateway.keepUpdates(ofImage: "1.4", helper: folder.path("nobody.sock"))
        #expect(try #require(OperationError(of: { try without.gateway.update(.check) })).kind == .refused)
        #expect(!without.gateway.canUpdate)
    }

    @Test(
        "a helper takes one known word, and nothing else",
        arguments: [
            ("check\n", UpdateAction.check), ("install\n", .install), ("", nil), ("check", nil), ("install\nx", nil),
            ("remove\n", nil), ("check\n\n", nil), ("\n", nil), ("installinstall\n", nil), ("\u{0}heck\n", nil),
        ])
    func words(text: String, action: UpdateAction?) throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[0]) }
        let octets = Array(text.utf8)
        #expect(write(ends[1], octets, octets.count) == octets.count)
        close(ends[1])
        #expect(UpdateHelper.action(from: ends[0]) == action)
    }

    private func accept(_ server: borrowing UnixSocket) throws -> Int32 {
        var connection: Int32 = -1
        let isThere = blockingEventually { [descriptor = server.descriptor] in
            connection = Glibc.accept(descriptor, nil, nil)
            return connection >= 0
        }
        try #require(isThere)
        return connection
    }

    @Test("without a listening gateway, the update continues")
    func nobodyListens() throws {
        let image = try self.image(bundle("1.5") + "\ntrue")
        let reporter = UpdateReporter(socket: folder.path("nobody.sock"))
        try UpdateCommand.install(folder.path("update.raucb"), on: image, force: false, reporter)
    }

    @Test("reports are bounded, whatever they contain; a report without an end is over")
    func hostileReports() throws {
        let scene = try OperationsScene()
        let keeper = UpdateKeeper(installed: "1.4", journal: scene.gateway.journal)
        let now = MonotonicTime(nanoseconds: 1_000_000_000_000)
        for version in ["", "1.5 x", "1\n", String(repeating: "1", count: 65), "{}", "é"] {
            keeper.record(UpdateReport(.installing, version: version, percentage: .max), at: now)
            #expect(keeper.update(at: now).available == nil && keeper.update(at: now).progress == 1)
        }
        keeper.record(UpdateReport(.failed, error: String(repeating: "x", count: 9_000)), at: now)
        #expect(keeper.update(at: now).error?.count == 500)
        keeper.record(UpdateReport(.installing, version: "1.5", percentage: .min), at: now)
        #expect(keeper.update(at: now).progress == 0 && keeper.update(at: now).error == nil)
        #expect(keeper.update(at: now + .seconds(900)).state == .installing)
        #expect(keeper.update(at: now + .seconds(901)).state == .failed)
    }

    @Test("a failed installation is reported")
    func installing() throws {
        let image = try image("exit 1")
        #expect(throws: ImageSystem.Failure.self) { try image.install(folder.path("update.raucb")) }
        let working = try self.image(#"[ "$1 $2" = "install --progress" ]"#)
        try working.install(folder.path("update.raucb"))
    }
}

extension OperationError {
    /// What `body` throws.
    fileprivate init?(of body: () throws -> Void) {
        do {
            try body()
            return nil
        } catch let error as OperationError {
            self = error
        } catch {
            return nil
        }
    }
}
