// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing

@testable import Collector
@testable import Configuration
@testable import Gateway
@testable import GatewayBench
@testable import MQTT
@testable import Publisher

@Suite("The layer written by the gateway")
struct MachineLayerTests {
    let folder: TestFolder
    private var own: String { "state/config.d/50-provisioned.toml" }

    init() throws { folder = try TestFolder() }

    private func load(
        _ person: String, _ layer: String?, isCheck: Bool = false, freshName: String? = nil,
        environment: [String: String] = [:]
    ) throws -> GatewayConfiguration {
        try folder.write(
            "martlet.toml",
            "[gateway]\nid = \"g\"\n[bluetooth]\nstate_directory = \"\(folder.path("state"))\"\n" + person)
        if let layer { try folder.write(own, layer) }
        return try GatewayConfiguration.load(
            path: folder.path("martlet.toml"), environment: environment, isCheck: isCheck, freshName: freshName)
    }

    @Test("a user that is removed takes the layer's password along, and a new password stays")
    func removedUser() throws {
        var layer = MachineLayer()
        layer.values[["mqtt", "username"]] = .string("u")
        layer.values[["mqtt", "password"]] = .string("geheim")
        var change = ConfigurationChange()
        change.values.updateValue(nil, forKey: ["mqtt", "username"])
        #expect(try layer.changed(by: change, authorityPath: nil).values.isEmpty)
        change.values[["mqtt", "password"]] = .secret(Secret("new"))
        let changed = try layer.changed(by: change, authorityPath: nil)
        #expect(changed.values == [["mqtt", "password"]: .string("new")])
    }

    @Test("the options of TLS go with TLS, unless they are given with the change")
    func withoutTLS() throws {
        let name = ["mqtt", "tls", "server_name"]
        var layer = MachineLayer()
        layer.values[["mqtt", "tls", "enabled"]] = .boolean(true)
        layer.values[name] = .string("broker")
        layer.values[MachineLayer.authorityPath] = .string("/ca.pem")
        var change = ConfigurationChange()
        change.values[["mqtt", "port"]] = .integer(1)
        #expect(try layer.changed(by: change, authorityPath: nil).values.count == 4)
        change.values[["mqtt", "tls", "enabled"]] = .flag(false)
        let without = try layer.changed(by: change, authorityPath: nil).values
        #expect(Set(without.keys) == [["mqtt", "port"], ["mqtt", "tls", "enabled"]])
        change.values[name] = .text("other")
        #expect(try layer.changed(by: change, authorityPath: nil).values[name] == .string("other"))
    }

    @Test("the layer has priority over people's files, key by key")
    func wins() throws {
        let person = "[mqtt]\nhost = \"a\"\ntopic_prefix = \"p\"\nkeep_alive_s = 60\n"
        let configuration = try load(person, "[mqtt]\ntopic_prefix = \"q\"\n[gateway]\nname = \"Attic\"\n")
        #expect(configuration.mqtt.host == "a" && configuration.mqtt.topicPrefix == "q")
        #expect(configuration.mqtt.keepAliveSeconds == 60)
        #expect(configuration.name == "Attic" && configuration.displayName == "Attic")
        #expect(configuration.layerProblems == [])
    }

    @Test("the layer's broker replaces people's brokers, with all their settings")
    func broker() throws {
        try folder.write("secret", "geheim\n")
        let person = """
            [mqtt]
            brokers = ["a", "b:1884"]
            port = 8883
            username = "u"
            password_file = "\(folder.path("secret"))"
            [mqtt.tls]
            enabled = true
            server_name = "a.example.org"
            """
        let configuration = try load(person, "[mqtt]\nhost = \"c\"\n")
        #expect(configuration.mqtt.addresses == [BrokerAddress(host: "c", port: 1883)])
        #expect(configuration.mqtt.username == nil && configuration.mqtt.password == nil)
        #expect(configuration.mqtt.tls == nil)
    }

    @Test("a password goes to its own broker, and to no other")
    func secrets() throws {
        try folder.write("credentials/mqtt.password", "systemd\n")
        let environment = ["CREDENTIALS_DIRECTORY": folder.path("credentials")]
        let same = try load(
            "[mqtt]\nhost = \"a\"\nusername = \"u\"\npassword = \"geheim\"\n", "[mqtt]\nhost = \"a\"\nport = 1883\n")
        #expect(same.mqtt.password == Secret("geheim"))
        let other = try load(
            "[mqtt]\nhost = \"a\"\n", "[mqtt]\nhost = \"evil\"\nusername = \"u\"\n", environment: environment)
        #expect(other.mqtt.username == "u" && other.mqtt.password == nil)
        let first = try load(
            "[mqtt]\nhost = \"a\"\nusername = \"u\"\n", "[mqtt]\ntopic_prefix = \"p\"\n", environment: environment)
        #expect(first.mqtt.password == Secret("systemd"))
    }

    @Test("the layer's password replaces a password file, and its plain connection replaces the keys for TLS")
    func contradictions() throws {
        let person = """
            [mqtt]
            host = "a"
            username = "u"
            password_file = "/no/such/file"
            [mqtt.tls]
            enabled = true
            ca_file = "/no/such/ca"
            """
        let configuration = try load(person, "[mqtt]\npassword = \"p\"\n[mqtt.tls]\nenabled = false\n")
        #expect(configuration.mqtt.password == Secret("p") && configuration.mqtt.tls == nil)
    }

    @Test("the layer's password without a user is left out, and does not keep the gateway from starting")
    func lonelyPassword() throws {
        #expect(try load("[mqtt]\nhost = \"a\"\n", "[mqtt]\npassword = \"p\"\n").mqtt.password == nil)
        #expect(throws: ConfigurationError.self) {
            try load("[mqtt]\npassword = \"p\"\n", "[gateway]\nname = \"n\"\n")
        }
    }

    @Test("for a sensor that is in people's files, too, their entry is taken")
    func twins() throws {
        let entry = "[[sensor]]\naddress = \"C4:7C:8D:00:11:22\"\nid = \"one\"\nsubscribe = [\"180d/2a37\"]\n"
        let byAddress = entry.replacing("one", with: "two").replacing("2a37", with: "2a38")
        let byID = entry.replacing("11:22", with: "11:23").replacing("2a37", with: "2a38")
        let third = entry.replacing("11:22", with: "11:24").replacing("one", with: "three")
        let configuration = try load(entry, byAddress + byID + third)
        #expect(configuration.sensors.map(\.id) == ["one", "three"])
        #expect(configuration.leftOut.count == 2)
        #expect(configuration.leftOut.allSatisfy { configuration.warnings.contains($0) })
    }

    @Test("the layer leaves out sensors beyond the maximum, and people's files may not exceed it")
    func tooMany() throws {
        let entries = (0..<513).map { "[[sensor]]\nname = \"S\($0)\"\nsubscribe = [\"180d/2a37\"]\n" }
        let configuration = try load(entries[..<512].joined(), entries[512])
        #expect(configuration.sensors.count == 512 && configuration.leftOut.count == 1)
        #expect(throws: ConfigurationError.self) { try load(entries.joined(), "[mqtt]\nport = 1\n") }
    }

    @Test(
        "a damaged file does not keep the gateway from starting: it is put aside, and the former file is used",
        arguments: [
            "", "\u{0}\u{0}", "[mqtt", "[mqtt]\nhost = 5\n", "[mqtt]\nkey_of_the_future = 1\n",
            "[[sensor]]\nid = \"a\"\n",
        ])
    func damaged(text: String) throws {
        try folder.write(own + ".before", "[mqtt]\nhost = \"before\"\n")
        // A check changes nothing.
        let checked = try load("", text, isCheck: true)
        #expect(checked.mqtt.host == "before" && checked.layerProblems.count == 1)
        #expect(checked.warnings.contains { $0.contains("is damaged") })
        #expect(try String(contentsOfFile: folder.path(own), encoding: .utf8) == text)

        let started = try load("", nil, freshName: "gw-000000")
        #expect(started.mqtt.host == "before" && started.layerProblems.count == 1)
        let aside = folder.path("state/corrupt/50-provisioned.toml.1")
        #expect(try String(contentsOfFile: aside, encoding: .utf8) == text)
        let again = try load("", nil, freshName: "gw-000000")
        #expect(again.mqtt.host == "before" && again.layerProblems == [])
    }

    @Test("a damaged file without a former file leaves a gateway without a set-up")
    func damagedFirst() throws {
        let configuration = try load("", "[mqtt", freshName: "gw-000000")
        #expect(!configuration.isProvisioned && configuration.mqtt.host == "localhost")
        #expect(configuration.layerProblems.first?.contains("nothing is left of what was set up") == true)
    }

    @Test("another unusable file in the folder is left out, and stays in its place")
    func strangers() throws {
        try folder.write("state/config.d/10-other.toml", "[mqtt]\nhost = \"ten\"\nport = 1\n")
        try folder.write("state/config.d/60-bad.toml", "nonsense")
        let configuration = try load("", "[mqtt]\nport = 2\n", freshName: "gw-000000")
        #expect(configuration.mqtt.host == "ten" && configuration.mqtt.port == 2)
        #expect(configuration.layerProblems.count == 1)
        #expect(FileManager.default.fileExists(atPath: folder.path("state/config.d/60-bad.toml")))
    }

    @Test(
        "a gateway is set up when any layer names a broker",
        arguments: [
            ("", "", false), ("[mqtt]\nhost = \"a\"\n", "", true), ("[mqtt]\nbrokers = [\"a\"]\n", "", true),
            ("", "[mqtt]\nhost = \"a\"\n", true), ("[mqtt]\nport = 1\n", "[gateway]\nname = \"n\"\n", false),
        ])
    func isProvisioned(person: String, layer: String, expected: Bool) throws {
        #expect(try load(person, layer.isEmpty ? nil : layer).isProvisioned == expected)
    }

    @Test("names for people have 1 to 32 characters, and windows 1 to 60 minutes")
    func limits() throws {
        let name = String(repeating: "é", count: 32)
        #expect(try load("", "[gateway]\nname = \"\(name)\"\n").name == name)
        #expect(try load("[provisioning]\nwindow_s = 60\nled = \"ACT\"\n", nil).provisioning.window == .seconds(60))
        for text in [
            "[gateway]\nname = \"\"\n", "[gateway]\nname = \"  \"\n", "[gateway]\nname = \"\(name)x\"\n",
            "[gateway]\nname = \"a\\nb\"\n", "[provisioning]\nwindow_s = 59\n", "[provisioning]\nwindow_s = 3601\n",
            "[provisioning]\nled = \"../x\"\n", "[provisioning]\nnetwork = \"x\"\n", "[provisioning]\nbutton = \"x\"\n",
        ] {
            #expect(throws: ConfigurationError.self, "\(text)") {
                try GatewayConfiguration.parse(text, gateway: "g")
            }
        }
    }
}
