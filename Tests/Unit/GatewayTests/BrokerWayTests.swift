// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing

@testable import Configuration
@testable import Gateway
@testable import GatewayBench
@testable import MQTT
@testable import Operations
@testable import Publisher

/// A stored password does not go to another broker. Keys and options come from the code, so that a new key is covered.
@Suite("The way to the broker, and its password")
struct BrokerWayTests {
    /// For a key of any type, one of these values differs from its present value.
    private static let values: [ConfigurationValue] = [
        .string("/other"), .string("other.example"), .integer(4_321), .boolean(true), .boolean(false), .real(0.5),
        .list([.string("other.example:4321")]), .list([.string("scan")]), .string("sparkplug"), .string("theengs"),
        .string("drop"), .string("0011"),
    ]

    private static let base: GatewayConfiguration = {
        var configuration = GatewayConfiguration(gateway: "g")
        configuration.mqtt.host = "a.example"
        configuration.tls.isEnabled = true
        return configuration
    }()

    /// The configuration with another value for a key.
    private static func changed(_ key: ConfigurationKey<GatewayConfiguration>) -> GatewayConfiguration? {
        for value in values {
            var configuration = base
            guard (try? key.apply(value, &configuration)) != nil, !key.isSame(base, configuration) else { continue }
            return configuration
        }
        return nil
    }

    private static func keys(_ path: [String]) -> [ConfigurationKey<GatewayConfiguration>] {
        GatewayConfiguration.sections.first { $0.path == path }?.keys ?? []
    }

    @Test func `every key of mqtt tls is part of the way`() throws {
        let keys = Self.keys(["mqtt", "tls"])
        #expect(keys.count >= 6)
        for key in keys {
            let other = try #require(Self.changed(key), "\(key.name): a value for it is missing in this test")
            let (here, there) = (BrokerWay(Self.base), BrokerWay(other))
            #expect(here != there, "\(key.name) is no part of the way")
            #expect(!there.mayUse(passwordOf: here, isNew: false), "\(key.name)")
            #expect(there.mayUse(passwordOf: here, isNew: true), "\(key.name)")
        }
    }

    @Test func `a password is given by a text that is not empty, whatever its type`() {
        func gives(_ value: ConfigurationChange.Value?) -> Bool {
            var change = ConfigurationChange()
            change.values[["mqtt", "password"]] = .some(value)
            return change.givesPassword
        }
        #expect(gives(.text("a")) && gives(.secret(Secret("a"))))
        #expect(!gives(.text("")) && !gives(.secret(Secret(""))) && !gives(.integer(1)) && !gives(.flag(true)))
        #expect(!gives(nil) && !ConfigurationChange().givesPassword)
    }

    @Test func `each broker of several is part of the way`() {
        var here = MQTTConfiguration()
        here.brokers = ["a.example:1883", "b.example:1883"]
        let others = [["a.example:1883", "c.example:1883"], ["a.example:1883", "b.example:1884"], ["a.example:1883"]]
        for brokers in others {
            var there = here
            there.brokers = brokers
            #expect(!BrokerWay(there).mayUse(passwordOf: BrokerWay(here), isNew: false), "\(brokers)")
        }
    }

    @Test func `every option of TLS is part of the way`() throws {
        // Each stored property of the options has to be told apart by their comparison.
        let names = Mirror(reflecting: MQTTConfiguration.TLS()).children.compactMap(\.label)
        var mqtt = MQTTConfiguration()
        mqtt.tls = MQTTConfiguration.TLS()
        let others: [String: MQTTConfiguration.TLS] = [
            "caFile": .init(caFile: "/x"), "certificateFile": .init(certificateFile: "/x"),
            "keyFile": .init(keyFile: "/x"),
            "verifyHostname": .init(verifyHostname: false), "serverName": .init(serverName: "x"),
        ]
        #expect(Set(names) == Set(others.keys), "an option was added: give this test another value of it")
        for (name, options) in others {
            var other = mqtt
            other.tls = options
            #expect(BrokerWay(other) != BrokerWay(mqtt), "\(name)")
        }
        var bare = mqtt
        bare.tls = nil
        #expect(BrokerWay(bare) != BrokerWay(mqtt))
    }

    @Test func `of mqtt the broker's addresses are, and nothing else is`() throws {
        for key in Self.keys(["mqtt"]) {
            let isWay = ["host", "port", "brokers"].contains(key.name)
            guard let other = Self.changed(key) else {
                #expect(!isWay, "\(key.name): a value for it is missing in this test")
                continue
            }
            #expect((BrokerWay(other) != BrokerWay(Self.base)) == isWay, "\(key.name)")
        }
        var upper = Self.base
        upper.mqtt.host = "A.Example"
        #expect(BrokerWay(upper) == BrokerWay(Self.base), "names of hosts are the same in either case")
    }

    // MARK: - The layer over people's files

    /// Changes of the route in the layer, and the nearest changes that keep it.
    @Test(
        arguments: [
            ("", true), ("topic_prefix = \"x\"\n", true), ("host = \"a\"\nport = 8883\n", true),
            ("host = \"A\"\n", true),
            ("[mqtt.tls]\nenabled = true\n", true), ("[mqtt.tls]\nserver_name = \"s\"\n", true),
            ("port = 8884\n", false), ("host = \"b\"\nusername = \"u\"\n", false),
            ("[mqtt.tls]\nenabled = false\n", false),
            ("[mqtt.tls]\nserver_name = \"t\"\n", false), ("[mqtt.tls]\nverify_hostname = false\n", false),
            ("[mqtt.tls]\nca_file = \"/none\"\n", false),
            ("[mqtt.tls]\ncertificate_file = \"/c\"\nkey_file = \"/k\"\n", false),
            // An empty password does not count as given.
            ("port = 8884\npassword = \"\"\n", false),
        ])
    func `people's password is used on the way that it was written for`(layer: String, isUsed: Bool) throws {
        let folder = try TestFolder()
        try folder.write("secret", "geheim\n")
        for (password, environment) in [
            ("password = \"geheim\"\n", [:]), ("password_file = \"\(folder.path("secret"))\"\n", [:]),
            ("", ["CREDENTIALS_DIRECTORY": folder.path("credentials")]),
        ] as [(String, [String: String])] {
            try folder.write("credentials/mqtt.password", "geheim\n")
            try folder.write(
                "martlet.toml",
                "[gateway]\nid = \"g\"\n[bluetooth]\nstate_directory = \"\(folder.path("state"))\"\n"
                    + "[mqtt]\nhost = \"a\"\nport = 8883\nusername = \"u\"\n\(password)"
                    + "[mqtt.tls]\nenabled = true\nserver_name = \"s\"\n")
            try folder.write("state/config.d/50-provisioned.toml", (layer.hasPrefix("[") ? "" : "[mqtt]\n") + layer)
            let found = try GatewayConfiguration.load(path: folder.path("martlet.toml"), environment: environment)
            #expect(found.mqtt.password?.revealed.contains("geheim") ?? false == isUsed, "\(layer) with \(password)")
            #expect(found.mqtt.username == "u")
            let isTold = found.warnings.contains { $0.contains("the password is not used") }
            #expect(isTold == (!isUsed && !password.isEmpty), "\(found.warnings)")
            #expect(!found.warnings.contains { $0.contains("geheim") })
        }
    }

    // MARK: - Clients' changes

    /// Another value for each key of the route that clients may change, one at a time, and changes that keep the route.
    private static let changes: [(path: [String], value: ConfigurationChange.Value?, isWay: Bool)] = [
        (["mqtt", "host"], .text("127.0.0.2"), true), (["mqtt", "host"], .text("127.0.0.1"), false),
        (["mqtt", "host"], .text("LOCALHOST"), true), (["mqtt", "port"], .integer(2), true),
        (["mqtt", "port"], .integer(1), false), (["mqtt", "port"], nil, true),
        (["mqtt", "tls", "enabled"], .flag(false), true), (["mqtt", "tls", "enabled"], .flag(true), false),
        (["mqtt", "tls", "server_name"], .text("other"), true),
        (["mqtt", "tls", "server_name"], .text("broker"), false),
        (["mqtt", "tls", "server_name"], nil, true), (["mqtt", "tls", "verify_hostname"], .flag(false), true),
        (["mqtt", "tls", "verify_hostname"], .flag(true), false), (["mqtt", "username"], .text("v"), false),
        (["mqtt", "topic_prefix"], .text("p"), false), (["gateway", "name"], .text("Attic"), false),
    ]

    @Test func `a password that a client gave once goes no way but its own, unless it is given again`() async throws {
        let scene = try OperationsScene()
        let operations = scene.operations
        var first = OperationsScene.broker(
            "127.0.0.1", ["username": .text("u"), "password": .secret(Secret("geheim"))])
        first.values[["mqtt", "tls", "enabled"]] = .flag(true)
        first.values[["mqtt", "tls", "server_name"]] = .text("broker")
        try await operations.tryOut(first)
        try await operations.keep(network: nil)
        for (path, value, isWay) in Self.changes {
            for password in [nil, Secret(""), Secret("neu")] {
                var change = ConfigurationChange()
                change.values[path] = .some(value)
                if let password { change.values[["mqtt", "password"]] = .some(.secret(password)) }
                let said = await refusal { () throws(OperationError) in _ = try await operations.check(change) }
                let isRefused = isWay && password != Secret("neu")
                #expect((said != nil) == isRefused, "\(path) \(String(describing: said))")
                if isRefused { #expect(said?.description.contains("give it again") == true) }
            }
            // Without the password the change is valid, and then there is no password.
            var without = ConfigurationChange()
            without.values[path] = .some(value)
            without.values[["mqtt", "password"]] = .some(nil)
            try await operations.tryOut(without)
            #expect(scene.gateway.configuration.mqtt.password == nil, "\(path)")
            await operations.revert()
        }
        // The table above has every key of the route that clients may ever change.
        let tried = Set(Self.changes.map(\.path))
        for section in [["mqtt"], ["mqtt", "tls"]] {
            for key in Self.keys(section) {
                guard let other = Self.changed(key), BrokerWay(other) != BrokerWay(Self.base) else { continue }
                var change = ConfigurationChange()
                change.values[section + [key.name]] = .text("x")
                let said = await refusal { () throws(OperationError) in _ = try await operations.check(change) }
                let isShut = said?.description.contains("cannot be set from here") == true
                #expect(isShut || tried.contains(section + [key.name]), "\(key.name)")
            }
        }
    }

    @Test func `an empty password does not have the one of people's files go another way`() async throws {
        let folder = try TestFolder()
        try folder.write("secret", "geheim\n")
        let scene = try OperationsScene(
            "[mqtt]\nhost = \"127.0.0.1\"\nport = 1\nusername = \"u\"\npassword_file = \"\(folder.path("secret"))\"\n"
                + "[mqtt.tls]\nenabled = true\nserver_name = \"broker\"\n")
        let operations = scene.operations
        #expect(scene.gateway.configuration.mqtt.password == Secret("geheim"))
        for (path, value, isWay) in Self.changes {
            var change = ConfigurationChange()
            change.values[path] = .some(value)
            let said = await refusal { () throws(OperationError) in _ = try await operations.check(change) }
            // The removal of a key that the layer does not have changes nothing.
            let isChange = isWay && value != nil
            #expect((said?.description.contains("give it again") ?? false) == isChange, "\(path)")
            change.values[["mqtt", "password"]] = .some(nil)
            try await operations.tryOut(change)
            #expect((scene.gateway.configuration.mqtt.password == nil) == isChange, "\(path)")
            // Nor does its removal after a step without the key.
            try await operations.keep(network: nil)
            #expect((try scene.source.load().mqtt.password == nil) == isChange, "\(path)")
            #expect(!scene.layer.contains("geheim"))
            var back = ConfigurationChange()
            back.values[path] = .some(nil)
            back.values[["mqtt", "password"]] = .some(nil)
            try await operations.tryOut(back)
            try await operations.keep(network: nil)
            #expect(scene.gateway.configuration.mqtt.password == Secret("geheim"), "\(path)")
        }
    }

    @Test func `two steps are no way round`() async throws {
        let folder = try TestFolder()
        try folder.write("secret", "geheim\n")
        let scene = try OperationsScene(
            "[mqtt]\nhost = \"127.0.0.1\"\nport = 1\nusername = \"u\"\npassword_file = \"\(folder.path("secret"))\"\n")
        let operations = scene.operations
        // To another broker with its own password; then the password is removed again.
        try await operations.tryOut(OperationsScene.broker("127.0.0.1", port: 2, ["password": .secret(Secret("own"))]))
        try await operations.keep(network: nil)
        var second = ConfigurationChange()
        second.values[["mqtt", "password"]] = .some(nil)
        try await operations.tryOut(second)
        #expect(scene.gateway.configuration.mqtt.password == nil)
        try await operations.keep(network: nil)
        #expect(try scene.source.load().mqtt.password == nil)
    }
}
