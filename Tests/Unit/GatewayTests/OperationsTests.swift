// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Glibc
import Synchronization
import Testing

@testable import Configuration
@testable import Gateway
@testable import GatewayBench
@testable import Journal
@testable import Operations
@testable import Publisher
@testable import martlet

@Suite("Clients' changes to a running gateway")
struct OperationsTests {
    @Test("a change is tried out in memory, kept in one file, and can be undone")
    func trial() async throws {
        let scene = try OperationsScene()
        let operations = scene.operations
        let before = await operations.settings()
        #expect(!before.isProvisioned && before.host == "localhost" && !before.canUndo && before.name == "gw-test")
        var change = OperationsScene.broker(
            "127.0.0.1", ["username": .text("u"), "password": .secret(Secret("geheim"))])
        change.values[["gateway", "name"]] = .text("Attic")
        #expect(try await operations.check(change) == .reconnect)
        #expect(await operations.settings() == before, "a check changes nothing")

        try await operations.tryOut(change)
        var tried = await operations.settings()
        #expect(tried.host == "127.0.0.1" && tried.port == 1 && tried.username == "u" && tried.hasPassword)
        #expect(tried.isProvisioned && tried.name == "Attic" && scene.layer == "")
        await operations.revert()
        #expect(await operations.settings() == before)

        try await operations.tryOut(change)
        let network = "00000000-0000-0000-0000-000000000001"
        try await operations.keep(network: network)
        #expect(scene.layer.contains("password = \"geheim\""))
        await operations.revert()
        tried = await operations.settings()
        #expect(tried.host == "127.0.0.1" && tried.network == network && tried.canUndo)
        // The configuration of the next start.
        let found = try scene.source.load()
        #expect(found.mqtt.host == "127.0.0.1" && found.name == "Attic" && found.provisioning.network == network)

        #expect(try await operations.undo() == nil)
        #expect(await operations.settings() == before)
        #expect(await refusal { () throws(OperationError) in _ = try await operations.undo() }?.kind == .notFound)
        #expect(!scene.lines.all.contains { $0.contains("geheim") })
    }

    @Test("the fault of a change is reported, and nothing changes")
    func mistakes() async throws {
        let scene = try OperationsScene()
        let operations = scene.operations
        let before = await operations.settings()
        let changes: [([String], ConfigurationChange.Value, String)] = [
            (["mqtt", "host"], .text("a b"), "mqtt.host is \"a b\""),
            (["mqtt", "port"], .integer(0), "mqtt.port is 0"),
            (["mqtt", "password_file"], .text("/etc/shadow"), "mqtt.password_file cannot be set from here"),
            (["journal", "path"], .text("/x"), "journal.path cannot be set from here"),
            (["mqtt", "tls", "ca_file"], .text("/x"), "mqtt.tls.ca_file cannot be set from here"),
            (["provisioning", "network"], .text("x"), "provisioning.network cannot be set from here"),
            (["mqtt", "username"], .text("a\u{0}"), "zero"), (["mqtt", "hots"], .text("a"), "cannot be set"),
            (["mqtt", "password"], .secret(Secret("geheim")), "mqtt.password"),
            (["gateway", "name"], .text(""), "gateway.name"),
        ]
        for (path, value, text) in changes {
            var change = ConfigurationChange()
            change.values[path] = value
            let said = await refusal { () throws(OperationError) in _ = try await operations.check(change) }
            let tried = await refusal { () throws(OperationError) in try await operations.tryOut(change) }
            // A password without a user is no mistake of the layer, but of no use.
            if path == ["mqtt", "password"] {
                #expect(said == nil && tried == nil)
                await operations.revert()
                continue
            }
            #expect(said?.kind == .notValid && said == tried, "\(path)")
            #expect(said?.description.contains(text) == true, "\(said?.description ?? "") for \(path)")
        }
        var change = ConfigurationChange()
        change.values[["mqtt", "tls", "enabled"]] = .flag(true)
        change.authority = Array("no certificate".utf8)
        let said = await refusal { () throws(OperationError) in _ = try await operations.check(change) }
        #expect(
            said?.kind == .notValid && said?.description.contains("CA certificate") == true,
            "\(said?.description ?? "")")
        #expect(await operations.settings() == before && scene.layer == "")
        let left = (try? FileManager.default.contentsOfDirectory(atPath: scene.folder.path("state/config.d"))) ?? []
        #expect(left == [], "certificates that nobody uses are removed")
    }

    @Test("a given password goes nowhere else: not to another host, not unencrypted")
    func password() async throws {
        let scene = try OperationsScene()
        let operations = scene.operations
        var first = OperationsScene.broker(
            "127.0.0.1", ["username": .text("u"), "password": .secret(Secret("geheim"))])
        first.values[["mqtt", "tls", "enabled"]] = .flag(true)
        try await operations.tryOut(first)
        try await operations.keep(network: nil)
        var bare = ConfigurationChange()
        bare.values[["mqtt", "tls", "enabled"]] = .flag(false)
        var unverified = ConfigurationChange()
        unverified.values[["mqtt", "tls", "verify_hostname"]] = .flag(false)
        for change in [OperationsScene.broker("127.0.0.2"), bare, unverified] {
            let said = await refusal { () throws(OperationError) in try await operations.tryOut(change) }
            #expect(said?.kind == .notValid && said?.description.contains("give it again") == true)
        }
        // With the password, or without any, the change is valid.
        for value in [ConfigurationChange.Value.secret(Secret("geheim")), nil] {
            let change = OperationsScene.broker("127.0.0.2", ["password": value])
            #expect(await refusal { () throws(OperationError) in _ = try await operations.check(change) } == nil)
        }
        // The removal of the user name removes the password, too.
        var nobody = ConfigurationChange()
        nobody.values[["mqtt", "username"]] = .some(nil)
        try await operations.tryOut(nobody)
        try await operations.keep(network: nil)
        #expect(await operations.settings().hasPassword == false && !scene.layer.contains("geheim"))
    }

    @Test func `without a certificate a password does not go to another port either`() async throws {
        let scene = try OperationsScene()
        let operations = scene.operations
        let secret = ConfigurationChange.Value.secret(Secret("geheim"))
        try await operations.tryOut(OperationsScene.broker("127.0.0.1", ["username": .text("u"), "password": secret]))
        try await operations.keep(network: nil)
        let moved = OperationsScene.broker("127.0.0.1", port: 2)
        let said = await refusal { () throws(OperationError) in _ = try await operations.check(moved) }
        #expect(said?.kind == .notValid && said?.description.contains("give it again") == true)
        let given = OperationsScene.broker("127.0.0.1", port: 2, ["password": secret])
        #expect(await refusal { () throws(OperationError) in _ = try await operations.check(given) } == nil)
    }

    @Test("one change is tried out at a time, and a reload of the files ends the trial")
    func oneTrial() async throws {
        let scene = try OperationsScene()
        let operations = scene.operations
        try await operations.tryOut(OperationsScene.broker("127.0.0.1"))
        let second = await refusal { () throws(OperationError) in
            try await operations.tryOut(OperationsScene.broker("127.0.0.2"))
        }
        #expect(second?.kind == .busy)
        #expect(await refusal { () throws(OperationError) in _ = try await operations.undo() }?.kind == .busy)

        // As a SIGHUP does.
        try scene.write("[mqtt]\nhost = \"127.0.0.3\"\n")
        scene.gateway.reload(try scene.source.load())
        #expect(await operations.settings().host == "127.0.0.3")
        let kept = await refusal { () throws(OperationError) in try await operations.keep(network: nil) }
        #expect(kept?.kind == .failed && scene.layer == "", "what nobody tries out any more is not kept")
        await operations.revert()
        #expect(await operations.settings().host == "127.0.0.3")
        try await operations.tryOut(OperationsScene.broker("127.0.0.1"))
        try await operations.keep(network: nil)
        #expect(await operations.settings().host == "127.0.0.1")
    }

    @Test("a trial is taken back even after a person has written a mistake into a file")
    func brokenFile() async throws {
        let scene = try OperationsScene("[mqtt]\nhost = \"127.0.0.3\"\n")
        let operations = scene.operations
        try await operations.tryOut(OperationsScene.broker("127.0.0.1"))
        try scene.write("[mqtt]\nhosst = \"a\"\n")
        #expect(
            await refusal { () throws(OperationError) in try await operations.keep(network: nil) }?.kind == .notValid)
        await operations.revert()
        #expect(await operations.settings().host == "127.0.0.3")
    }

    @Test("a gateway with a fixed configuration reports that it cannot be changed")
    func withoutFiles() async throws {
        let folder = try TestFolder()
        var configuration = GatewayConfiguration(gateway: "gw-test")
        configuration.journal = JournalConfiguration(path: folder.path("journal.db"))
        configuration.controlSocket = folder.path("control.sock")
        configuration.bluetooth.stateDirectory = folder.path("state")
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[1]) }
        let gateway = try GatewayService(configuration, transport: .descriptor(ends[0]), logger: LogLines().logger)
        defer { gateway.stop() }
        let operations = gateway.operations
        let said = await refusal { () throws(OperationError) in try await operations.tryOut(ConfigurationChange()) }
        #expect(said?.kind == .refused)
        #expect(await refusal { () throws(OperationError) in try await operations.resetToFactory() }?.kind == .refused)
    }

    @Test("a reset to factory settings is noted before the process ends")
    func reset() async throws {
        let scene = try OperationsScene()
        let ended = Mutex(0)
        scene.gateway.onRestart { ended.withLock { $0 += 1 } }
        try await scene.operations.resetToFactory()
        #expect(ended.withLock { $0 } == 1)
        #expect(FactoryReset(stateDirectory: scene.folder.path("state")).isUnderway)
    }
}
