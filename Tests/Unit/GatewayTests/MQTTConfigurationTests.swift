// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Collector
@testable import Configuration
@testable import Gateway
@testable import GatewayBench
@testable import MQTT
@testable import Publisher
@testable import Readings

/// The keys of `[mqtt]`, `[mqtt.tls]` and `[[sensor]]` for the form and the target of values.
@Suite("Configuration of delivery")
struct MQTTConfigurationTests {
    private static let sensor = "[[sensor]]\nname = \"a\"\nsubscribe = [\"180d/2a37\"]\n"

    private static func parse(
        _ text: String, environment: [String: String] = [:]
    ) throws -> GatewayConfiguration {
        try GatewayConfiguration.parse(text, file: "f", gateway: "gw-test", environment: environment)
    }

    @Test func `brokers, lanes and pacing are read`() throws {
        let configuration = try Self.parse(
            """
            [mqtt]
            brokers = ["a", "b:1884", "[::1]:8883"]
            port = 1885
            layout = "theengs"
            min_interval_ms = 5000
            dead_band = 0.5
            max_interval_s = 120
            suppressed = "drop"
            history_rows_per_second = 0
            expire_after_s = 0
            session_expiry_s = 60
            \(Self.sensor)
            min_interval_ms = 0
            dead_band = { heart_rate = 0.2, energy_expended = 1 }
            max_interval_s = 30
            suppressed = "history"
            """)
        let mqtt = configuration.mqtt
        #expect(mqtt.addresses.map(\.description) == ["a:1885", "b:1884", "[::1]:8883"])
        #expect(mqtt.layout == .theengs)
        #expect(mqtt.pacing.minimumInterval == .seconds(5))
        #expect(mqtt.pacing.deadBand == .all(0.5))
        #expect(mqtt.pacing.maximumInterval == .seconds(120))
        #expect(mqtt.pacing.suppressed == .drop)
        #expect(mqtt.historyRowsPerSecond == 0 && mqtt.expireAfterSeconds == 0 && mqtt.sessionExpirySeconds == 60)
        let rule = try #require(configuration.sensors.first).pacing
        #expect(rule.minimumInterval == .zero)
        #expect(rule.deadBand == .fields([.heartRate: 0.2, .energyExpended: 1]))
        #expect(rule.maximumInterval == .seconds(30))
        #expect(rule.suppressed == .history)
    }

    @Test(arguments: [
        ("[home_assistant]\ndiscovery = \"device\"", "home_assistant.discovery = \"off\""),
        ("shares_sensors = true", "mqtt.shares_sensors = false"),
    ])
    func `what an edge node cannot have beside Sparkplug is refused, with what to write`(
        other: String, advice: String
    ) {
        #expect {
            try Self.parse("[mqtt]\nformat = \"sparkplug\"\n\(other)\n\(Self.sensor)")
        } throws: { error in
            "\(error)".contains("sparkplug") && "\(error)".contains(advice)
        }
    }

    @Test func `a sensor that says nothing leaves it to the defaults`() throws {
        let configuration = try Self.parse(Self.sensor)
        #expect(configuration.sensors.first?.pacing == LivePacingRule())
        #expect(!configuration.mqtt.pacing.isActive)
        #expect(configuration.mqtt.addresses == [BrokerAddress(host: "localhost", port: 1883)])
    }

    @Test(arguments: [
        ("brokers = [\"a:b\"]", "f:2: mqtt.brokers holds \"a:b\"; wanted is \"HOST:PORT\" or \"HOST\""),
        ("brokers = [\"u:secret@a b\"]", "f:2: mqtt.brokers holds \"…@a b\"; wanted is \"HOST:PORT\" or \"HOST\""),
        ("brokers = [\"a b\"]", "f:2: mqtt.brokers holds \"a b\"; wanted is \"HOST:PORT\" or \"HOST\""),
        (
            "host = \"mqtt://user:secret@a:1883\"",
            "f:2: mqtt.host is \"…@a:1883\"; wanted is a name or an address, without scheme and port: write host = \"a\" and "
                + "port = 1883; user and password have keys of their own"
        ),
        ("host = \"a b\"", "f:2: mqtt.host is \"a b\"; wanted is a name or an address, without scheme and port"),
        (
            "host = \"a:1883\"",
            "f:2: mqtt.host is \"a:1883\"; wanted is a name or an address, without scheme and port: write host = \"a\" and "
                + "port = 1883"
        ),
        (
            "brokers = [\"mqtt://a:1883\"]",
            "f:2: mqtt.brokers holds \"mqtt://a:1883\"; wanted is \"HOST:PORT\" or \"HOST\": write \"a:1883\""
        ),
        (
            "host = \"mqtt://a\"",
            "f:2: mqtt.host is \"mqtt://a\"; wanted is a name or an address, without scheme and port: write host = \"a\""
        ),
        (
            "host = \"mqtts://a:8883/x\"",
            "f:2: mqtt.host is \"mqtts://a:8883/x\"; wanted is a name or an address, without scheme and port: write host = \"a\" and "
                + "port = 8883, and below [mqtt.tls] enabled = true"
        ),
        (
            "host = \"wss://a\"",
            "f:2: mqtt.host is \"wss://a\"; wanted is a name or an address, without scheme and port: wss:// is no way to the broker "
                + "here: give the name and the port at which it speaks MQTT over TCP"
        ),
        ("brokers = []", "f:2: mqtt.brokers has 0 entries; allowed are 1 to 16"),
        ("brokers = [\"a\"]\nhost = \"b\"", "f:3: mqtt.host and mqtt.brokers are both given; keep one"),
        ("dead_band = -1", "f:2: mqtt.dead_band is -1.0; a width is 0 or more"),
        (
            "dead_band = { temperature = \"a\" }",
            "f:2: mqtt.dead_band is a string; wanted is a number, or a table like { temperature = 0.2 }"
        ),
        (
            "dead_band = { temprature = 0.2 }",
            "f:2: mqtt.dead_band names \"temprature\", which is no number of a value – did you mean \"temperature\"?"
        ),
        (
            "[mqtt.dead_band]\ntemperature = 1\nrr_interval = 1",
            "f:4: mqtt.dead_band names \"rr_interval\", which is no number of a value – docs/decoders.md lists them all"
        ),
        ("dead_band = nan", "f:2: mqtt.dead_band is nan; a width is 0 or more"),
        ("min_interval_ms = -1", "f:2: mqtt.min_interval_ms is -1; allowed are 0 to 3600000"),
        (
            "suppressed = \"dropp\"",
            "f:2: mqtt.suppressed is \"dropp\"; allowed are \"history\", \"drop\" – did you mean \"drop\"?"
        ),
        (
            "tls = { enabled = true, server_name = \"a b\" }",
            "f:2: mqtt.tls.server_name is \"a b\"; wanted is a host name, like \"broker.example.org\""
        ),
        (
            "tls = { server_name = \"a\" }",
            "f:2: mqtt.tls.server_name is given, but mqtt.tls.enabled is not true"
        ),
    ])
    func `mistakes are told`(_ line: String, _ issue: String) {
        let error = #expect(throws: ConfigurationError.self) { try Self.parse("[mqtt]\n\(line)\n") }
        #expect(error?.issues.map(\.description) == [issue])
    }

    /// Characteristics of a strap, and of a sensor that only its maker's program understands.
    @Test(arguments: [
        (
            sensor + "dead_band = { heart_rat = 1 }",
            "f:4: sensor.dead_band names \"heart_rat\", which is no number of a value – did you mean \"heart_rate\"?"
        ),
        (
            sensor + "[sensor.dead_band]\nheart_rate = 1\ntemperature = 1",
            "f:6: sensor.dead_band names \"temperature\", which is no number of a value – there are energy_expended, "
                + "heart_rate, sensor_contact"
        ),
        (
            "[[sensor]]\nname = \"a\"\nsubscribe = [\"fff0/fff1\"]\ndead_band = { temperature = 1 }",
            "f:4: sensor.dead_band names \"temperature\", which is no number of a value – no decoder knows its values"
        ),
    ])
    func `a dead band is about numbers that the sensor gives`(_ text: String, _ issue: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try Self.parse(text) }
        #expect(error?.issues.map(\.description) == [issue])
        // A characteristic in `read` counts like one in `subscribe`.
        _ = try Self.parse(Self.sensor + "read = [\"180f/2a19\"]\ndead_band = { battery = 5, heart_rate = 1 }")
    }

    @Test func `certificates and keys come from systemd's credentials where no file is named`() throws {
        let folder = try TestFolder()
        for name in ["mqtt.ca", "mqtt.certificate", "mqtt.key"] { try folder.write(name, "x") }
        let environment = ["CREDENTIALS_DIRECTORY": folder.path("")]
        let found = try #require(try Self.parse("[mqtt.tls]\nenabled = true\n", environment: environment).mqtt.tls)
        #expect(found.caFile.map { URL(fileURLWithPath: $0).lastPathComponent } == "mqtt.ca")
        #expect(found.certificateFile.map { URL(fileURLWithPath: $0).lastPathComponent } == "mqtt.certificate")
        #expect(found.keyFile.map { URL(fileURLWithPath: $0).lastPathComponent } == "mqtt.key")
        let named = try #require(
            try Self.parse(
                "[mqtt.tls]\nenabled = true\nca_file = \"/ca\"\ncertificate_file = \"/c\"\nkey_file = \"/k\"\n",
                environment: environment
            ).mqtt.tls)
        #expect(named.caFile == "/ca" && named.certificateFile == "/c" && named.keyFile == "/k")
        // Without TLS the environment is not searched.
        #expect(try Self.parse("", environment: environment).mqtt.tls == nil)
    }
}
