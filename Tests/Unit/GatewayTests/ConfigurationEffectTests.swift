// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import Configuration
@testable import Gateway
@testable import GatewayBench

@Suite("The effect of each key")
struct ConfigurationEffectTests {
    /// Values that differ from the base, for keys whose type alone does not suggest one.
    private static let samples: [String: String] = [
        "gateway.id": "\"other\"", "gateway.name": "\"Attic\"", "bluetooth.controller": "\"hci1\"",
        "bluetooth.privacy": "\"off\"", "journal.durability": "\"fast\"",
        "bluetooth.recover_up_to": "\"reboot\"", "update.url": "\"https://example.org/x.raucb\"",
        "mqtt.format": "\"sparkplug\"", "sparkplug.group": "\"other\"",
        "sparkplug.primary_host": "\"other\"",
        "mqtt.layout": "\"theengs\"", "mqtt.suppressed": "\"drop\"", "mqtt.dead_band": "0.5",
        "mqtt.host": "\"other\"", "mqtt.username": "\"other\"", "mqtt.password": "\"other\"",
        "mqtt.client_id": "\"other\"", "mqtt.topic_prefix": "\"other\"", "mqtt.tls.server_name": "\"other\"",
        "provisioning.led": "\"ACT\"", "provisioning.network": "\"00000000-0000-0000-0000-000000000001\"",
        "security.minimum_key_size": "7", "sensor": "", "home_assistant.discovery": "\"both\"",
        "home_assistant.prefix": "\"other\"", "mqtt.commands.allow": "[\"scan\"]",
        "home_assistant.status_topic": "\"other\"", "page.listen": "\"127.0.0.1:8080\"",
        "page.hosts": "[\"other\"]", "page.password": "\"12345678\"",
    ]

    /// Keys that never change alone.
    private static let together: [String: [String]] = [
        "page.password_file": ["page.password", "page.password_file"],
        "page.certificate_file": ["page.certificate_file", "page.key_file"],
        "page.key_file": ["page.certificate_file", "page.key_file"],
    ]

    /// The base with the keys that a key needs, and without the keys that it excludes.
    private static func base(for name: String) -> String {
        let host = name == "mqtt.brokers" ? "" : "host = \"a\"\n"
        let password = name == "mqtt.password_file" ? "" : "password = \"p\"\n"
        let tls = name == "mqtt.tls.enabled" ? "" : "[mqtt.tls]\nenabled = true\n"
        return "[mqtt]\n\(host)username = \"u\"\n\(password)\(tls)"
    }

    private static let keys: [String] = GatewayConfiguration.sections.flatMap { section in
        section.keys.map { "\(section.name).\($0.name)" }
    }

    @Test("a change of a key alone has exactly the effect at its row", arguments: keys)
    func effect(name: String) throws {
        let folder = try TestFolder()
        try folder.write("file", "geheimnis\n")
        let section = try #require(
            GatewayConfiguration.sections.first { section in
                section.keys.contains { "\(section.name).\($0.name)" == name }
            })
        let key = try #require(section.keys.first { "\(section.name).\($0.name)" == name })
        let base = Self.base(for: name)
        let old = try GatewayConfiguration.parse(base, gateway: "g")
        let value = Self.samples[name] ?? Self.sample(key, old, file: folder.path("file"))
        // A key of the base changes in place.
        let path = section.path + [key.name]
        var layer = try MachineLayer(parsing: base)
        let written = try TOMLDocument("value = \(value)\n", file: "value").root["value"]
        layer.values[path] = written
        // A certificate and its key come together.
        if name == "mqtt.tls.certificate_file" { layer.values[section.path + ["key_file"]] = .string("/k") }
        if name == "page.certificate_file" { layer.values[section.path + ["key_file"]] = .string("/k") }
        if name == "page.key_file" { layer.values[section.path + ["certificate_file"]] = .string("/c") }
        if name == "mqtt.tls.key_file" { layer.values[section.path + ["certificate_file"]] = .string("/c") }
        let new = try GatewayConfiguration.parse(layer.text, gateway: "g")
        try #require(!key.isSame(old, new), "\(name) = \(value) is no change")

        let takeover = old.takeover(of: new)
        let observed: ConfigurationEffect =
            !key.isSame(takeover.merged, new) ? .restart : takeover.reconnects ? .reconnect : .live
        #expect(observed == key.effect)
        #expect(takeover.waiting == (key.effect == .restart ? Self.together[name] ?? [name] : []))
    }

    /// A value of the key's type that differs from the present value.
    private static func sample(
        _ key: ConfigurationKey<GatewayConfiguration>, _ old: GatewayConfiguration, file: String
    ) -> String {
        switch key.type {
        case "true or false": return key.fallback(old) == "true" ? "false" : "true"
        case let type where type.hasPrefix("integer"):
            let bounds = type.dropFirst("integer, ".count).split(separator: "…").map(String.init)
            return key.fallback(old) == bounds[0] ? bounds[1] : bounds[0]
        case let type where type.hasPrefix("list"): return "[\"b:1\"]"
        // The remaining keys are paths.
        default: return quoted(file)
        }
    }

    @Test("sensors change while the gateway runs")
    func sensors() throws {
        let old = try GatewayConfiguration.parse("", gateway: "g")
        let new = try GatewayConfiguration.parse(
            "[[sensor]]\nname = \"a\"\nsubscribe = [\"180d/2a37\"]\n", gateway: "g")
        let takeover = old.takeover(of: new)
        #expect(takeover.changesSensors && !takeover.reconnects && takeover.waiting.isEmpty)
        #expect(takeover.merged.sensors == new.sensors)
        #expect(GatewayConfiguration.sensorSection.keys.allSatisfy { $0.effect == .live })
    }

    @Test("a change has the strongest effect of its keys")
    func strongest() {
        var change = ConfigurationChange()
        #expect(change.isEmpty && change.effect == .live)
        change.values[["gateway", "name"]] = .text("a")
        #expect(change.effect == .live)
        change.authority = []
        #expect(change.effect == .reconnect)
        change.values[["gateway", "id"]] = .some(nil)
        #expect(change.effect == .restart)
    }
}
