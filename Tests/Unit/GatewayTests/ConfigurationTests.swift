// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import FuzzSeeds
import Testing

@testable import Collector
@testable import Configuration
@testable import Gateway
@testable import GatewayBench
@testable import Journal
@testable import MQTT
@testable import Platform
@testable import Publisher

@Suite("Configuration")
struct ConfigurationTests {
    @Test(
        "Every mistake is reported with its file, line and probable meaning", arguments: ConfigurationMistake.all
    )
    func mistake(_ mistake: ConfigurationMistake) {
        SeedFolder.current?.write(Array(mistake.text.utf8), for: "configuration")
        let error = #expect(throws: ConfigurationError.self) {
            try GatewayConfiguration.parse(mistake.text, file: "f", gateway: "gw-test")
        }
        #expect(error?.issues.map(\.description) == mistake.issues)
    }

    @Test("Text that is not TOML is reported with its line")
    func notTOML() throws {
        let error = #expect(throws: ConfigurationError.self) {
            try GatewayConfiguration.parse("[mqtt]\nhost = \n", file: "f", gateway: "gw-test")
        }
        let issue = try #require(error?.issues.first)
        #expect(issue.file == "f" && issue.line == 2)
    }

    @Test("Every valid key and value is read")
    func everything() throws {
        let text = """
            [gateway]
            id = "attic"
            [bluetooth]
            controller = "tcp:127.0.0.1:6402"
            state_directory = "/tmp/state"
            capture = "/tmp/capture.btsnoop"
            privacy = "always"
            [journal]
            path = "/tmp/j.db"
            commit_rows = 7
            commit_interval_ms = 250
            durability = "fast"
            queue_capacity = 500
            max_rows = 2000
            [mqtt]
            host = "broker"
            port = 8883
            username = "u"
            password = "secret"
            client_id = "c"
            topic_prefix = "a/b"
            retain = false
            publish_raw = true
            publish_unsynced = true
            max_in_flight = 3
            live_window_s = 5
            keep_alive_s = 60
            [mqtt.tls]
            enabled = true
            ca_file = "/ca"
            certificate_file = "/cert"
            key_file = "/key"
            verify_hostname = false
            [clock]
            require_sync = false
            [control]
            socket = "/tmp/c.sock"
            [[sensor]]
            id = "fridge"
            address = "C4:7C:8D:00:11:22"
            subscribe = ["environmental_sensing/temperature", "180f/2a19"]
            read = ["0000180f-0000-1000-8000-00805f9b34fb/2A19"]
            [[sensor]]
            name = "Heart*"
            service = "heart_rate"
            subscribe = ["180D/2A37"]
            """
        SeedFolder.current?.write(Array(text.utf8), for: "configuration")
        let configuration = try GatewayConfiguration.parse(text, gateway: "gw-test")
        #expect(configuration.gateway == "attic")
        #expect(configuration.bluetooth.capture == "/tmp/capture.btsnoop")
        #expect(configuration.bluetooth.privacy == .always)
        #expect(configuration.journal.commitInterval == .milliseconds(250))
        #expect(configuration.journal.durability == .fast)
        #expect(configuration.mqtt.port == 8883)
        #expect(configuration.mqtt.password?.revealed == "secret")
        #expect(configuration.mqtt.liveWindow == .seconds(5))
        #expect(configuration.mqtt.tls?.certificateFile == "/cert")
        #expect(configuration.mqtt.tls?.verifyHostname == false)
        #expect(!configuration.clock.requiresSynchronization)
        let fridge = try #require(configuration.sensors.first)
        #expect(fridge.address == 0xC47C_8D00_1122 && fridge.isSingle)
        #expect(fridge.subscribe.map(\.description) == ["181A/2A6E", "180F/2A19"])
        #expect(fridge.read == [fridge.subscribe[1]])
        #expect(configuration.sensors.last?.service == BluetoothUUID(0x180D as UInt16))
        #expect("\(configuration)".contains("secret") == false)
    }

    @Test("An empty file gives the defaults")
    func defaults() throws {
        #expect(try GatewayConfiguration.parse("", gateway: "gw-test") == GatewayConfiguration(gateway: "gw-test"))
    }

    @Test("Later files win key by key, and sensors add up unless they have the same id")
    func merging() throws {
        let folder = try TestFolder()
        try folder.write(
            "martlet.toml",
            """
            [mqtt]
            host = "a"
            port = 1
            [[sensor]]
            id = "x"
            name = "first"
            subscribe = ["180d/2a37"]
            """)
        try folder.write("conf.d/20-late.toml", "[mqtt]\nhost = \"late\"\n")
        try folder.write(
            "conf.d/10-early.toml",
            """
            [mqtt]
            host = "early"
            [[sensor]]
            id = "x"
            name = "second"
            subscribe = ["180d/2a37"]
            [[sensor]]
            name = "third"
            subscribe = ["180d/2a37"]
            """)
        try folder.write("conf.d/30-other.conf", "nonsense")
        let configuration = try GatewayConfiguration.load(path: folder.path("martlet.toml"), environment: [:])
        #expect(configuration.mqtt.host == "late")
        #expect(configuration.mqtt.port == 1)
        #expect(configuration.sensors.map(\.name) == ["second", "third"])
    }

    @Test("A mistake in a later file is reported with this file's name")
    func mistakeInLaterFile() throws {
        let folder = try TestFolder()
        try folder.write("martlet.toml", "[mqtt]\nhosst = \"a\"\n")
        try folder.write("conf.d/a.toml", "\n[journal]\ncommit_row = 1\n")
        let error = #expect(throws: ConfigurationError.self) {
            try GatewayConfiguration.load(path: folder.path("martlet.toml"), environment: [:])
        }
        let lines = error?.issues.map(\.description) ?? []
        #expect(
            lines == [
                "\(folder.path("martlet.toml")):2: unknown key \"mqtt.hosst\" – did you mean \"host\"?",
                "\(folder.path("conf.d/a.toml")):3: unknown key \"journal.commit_row\" – did you mean \"commit_rows\"?",
            ])
    }

    @Test(
        "Keys of the release before are read with a warning, whatever their values are",
        arguments: [
            ("drop = \"thin\"", ["drop"]), ("drop = \"oldest\"", ["drop"]), ("drop = 7", ["drop"]),
            ("thin_window_s = 300", ["thin_window_s"]),
            ("max_rows = 2000\ndrop = \"thin\"\nthin_window_s = 0", ["drop", "thin_window_s"]),
        ])
    func formerKeys(text: String, keys: [String]) throws {
        var plain = try GatewayConfiguration.parse(
            text.contains("max_rows") ? "[journal]\nmax_rows = 2000" : "", file: "f", gateway: "g")
        let read = try GatewayConfiguration.parse("[journal]\n" + text, file: "f", gateway: "g")
        #expect(read.warnings.count == keys.count)
        let lines = ("[journal]\n" + text).split(separator: "\n")
        for key in keys {
            let line = try #require(lines.firstIndex { $0.hasPrefix(key) }) + 1
            #expect(
                read.warnings.contains { $0.hasPrefix("f:\(line): journal.\(key) has no effect any more") },
                "\(read.warnings)")
        }
        plain.warnings = read.warnings
        #expect(read == plain)
    }

    @Test func `the gateway's own file may have keys of the release before, too`() throws {
        let folder = try TestFolder()
        try folder.write("martlet.toml", "[bluetooth]\nstate_directory = \"\(folder.path)\"\n")
        try FileManager.default.createDirectory(atPath: folder.path("config.d"), withIntermediateDirectories: false)
        let own = "[journal]\ndrop = \"thin\"\n[mqtt]\nhost = \"own\"\n"
        try folder.write("config.d/\(MachineLayer.fileName)", own)
        let configuration = try GatewayConfiguration.load(path: folder.path("martlet.toml"), environment: [:])
        #expect(configuration.mqtt.host == "own")
        #expect(configuration.warnings.contains { $0.contains("journal.drop has no effect any more") })
        #expect(configuration.layerProblems.isEmpty)
        #expect(try !MachineLayer(parsing: own).text.contains("drop"), "the next change takes it out")
    }

    @Test("A missing file is told, not taken for an empty one")
    func missing() {
        let error = #expect(throws: ConfigurationError.self) {
            try GatewayConfiguration.load(path: "/no/such/martlet.toml", environment: [:])
        }
        #expect(error?.description == "/no/such/martlet.toml: there is no such file")
    }

    @Test("Lines are found behind strings, comments and brackets of every kind")
    func places() throws {
        let text = #"""
            a = """
            [not.a.table]
            b = 1
            """ # c
            c = [ # [
              "]", ']',
              { d = "#" }, ]
            'quoted key' = 1
            [x . "y"]
            e = '''
            ''' # end
            f = "\"["
            [[s]]
            [[s]]
            g = 2024-01-01
            [s.t]
            h = 1
            """#
        let document = try TOMLDocument(text, file: "f")
        let expected: [([String], Int)] = [
            (["a"], 1), (["c"], 5), (["quoted key"], 8), (["x", "y"], 9), (["x", "y", "e"], 10), (["x", "y", "f"], 12),
            (["s", "0"], 13), (["s", "1"], 14), (["s", "1", "g"], 15), (["s", "1", "t", "h"], 17), (["none"], 1),
        ]
        for (path, line) in expected { #expect(document.line(of: path) == line, "\(path)") }
    }

    @Test(
        "Every way to write a value is understood",
        arguments: [
            "1_883", "+1883", "0x75B", "0x7_5b", "0o3533", "0b11_101011011", "1883 # why",
        ])
    func numbers(text: String) throws {
        let configuration = try GatewayConfiguration.parse("[mqtt]\nport = \(text)\n", gateway: "g")
        #expect(configuration.mqtt.port == 1883)
    }
}
