// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import GatewayBench
@testable import Journal
@testable import martlet

/// With a RAUC that says what a test wants.
@Suite("martlet update, before it writes anything")
struct UpdateTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    /// An image of version 1.4, whose RAUC answers with `script`.
    private func image(_ script: String) throws -> ImageSystem {
        try folder.write("rauc", "#!/bin/sh\n\(script)\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path("rauc"))
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

    @Test("a version that is not older is installed", arguments: ["1.4", "1.5", "1.10", "1.4+1"])
    func notOlder(version: String) throws {
        let judged = try UpdateJudge.check(folder.path("update.raucb"), for: try image(bundle(version)), force: false)
        #expect(judged.version == version)
        #expect(judged.compatible == "martlet-rpi-arm64")
    }

    @Test("an older one is not, unless that is asked for", arguments: ["1.3", "1.4~rc1", "0.9"])
    func older(version: String) throws {
        let image = try image(bundle(version))
        #expect(try #require(failure(image)).contains("\(version) is older than 1.4"))
        #expect(try UpdateJudge.check(folder.path("update.raucb"), for: image, force: true).version == version)
    }

    @Test("one whose journal this version could not read is not installed, unless that is asked for")
    func newSchema() throws {
        let newer = JournalSchema.version + 1
        let image = try image(bundle("1.5", "journal schema \(newer)"))
        let reason = try #require(failure(image))
        #expect(reason.contains("from \(JournalSchema.version) to \(newer)"))
        #expect(reason.contains("--force"))
        #expect(try UpdateJudge.check(folder.path("update.raucb"), for: image, force: true).journalSchema == newer)
    }

    @Test(
        "one that does not say which schema it brings is not installed, unless that is asked for",
        arguments: ["", "journal", "journal schema x"])
    func noSchema(description: String) throws {
        let image = try image(bundle("1.5", description))
        #expect(try #require(failure(image)).contains("does not say which schema"))
        #expect(try UpdateJudge.check(folder.path("update.raucb"), for: image, force: true).journalSchema == nil)
    }

    @Test("what RAUC does not believe is refused with its reason, forced or not")
    func foreign() throws {
        let image = try image(
            "echo noise >&2; echo 'signature verification failed: self-signed certificate' >&2; exit 1")
        for force in [false, true] {
            #expect(try #require(failure(image, force: force)).contains("signature verification failed"))
        }
    }

    @Test("an answer that is no JSON, and a RAUC that is killed, are failures")
    func answers() throws {
        #expect(try #require(failure(try image("echo nothing"))).contains("cannot be read"))
        #expect(try #require(failure(try image("kill -9 $$"))).contains("is no update"))
    }

    @Test("a file that is not there is said to be that")
    func noFile() throws {
        #expect(try #require(failure(try image(bundle("1.5")), folder.path("other.raucb"))).contains("no such file"))
    }

    @Test("on other systems the user is sent to apt")
    func otherSystem() throws {
        var image = try image(bundle("1.5"))
        image.configuration = folder.path("nothing")
        #expect(try #require(failure(image)).contains("apt"))
    }

    @Test("an installation that fails is told")
    func installing() throws {
        let image = try image("exit 1")
        #expect(throws: ImageSystem.Failure.self) { try image.install(folder.path("update.raucb")) }
        let working = try self.image(#"[ "$1 $2" = "install --progress" ]"#)
        try working.install(folder.path("update.raucb"))
    }
}
