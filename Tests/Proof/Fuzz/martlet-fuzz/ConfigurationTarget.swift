// SPDX-License-Identifier: Apache-2.0

import Configuration
import FuzzSeeds
import Gateway

/// The text of a configuration file: valid, or refused with an existing line and words for a person.
struct ConfigurationTarget: FuzzTarget {
    static let name = "configuration"
    static let maximumLength = FuzzFormats.Limit.configuration

    static var seeds: [[UInt8]] {
        let texts = [
            """
            [gateway]
            id = "gw-3f2a1c"
            [bluetooth]
            controller = "hci0"
            [journal]
            commit_rows = 100
            durability = "fast"
            [mqtt]
            host = "localhost"
            port = 1883
            username = "u"
            password = "p"
            topic_prefix = "martlet"
            retain = true
            live_window_s = 10
            [mqtt.tls]
            enabled = true
            ca_file = "/etc/ca.pem"
            [[sensor]]
            id = "fridge"
            address = "C4:7C:8D:00:11:22"
            subscribe = ["environmental_sensing/temperature", "180f/2a19"]
            """,
            """
            mqtt = { host = "a", "port" = 8_883, tls.enabled = false }
            sensor = [{ name = "Heart*", read = ["180d/2a37"] }, { service = "180d" }]
            clock.require_sync = false # why
            """,
            "[[sensor]]\nidentifier = '5B0E1B3C-5F2B-4C53-9D5E-0A6B2E1C7D11'\nsubscribe = ['1809/2a1c']\n",
            "[mqtt]\nprot = 1\nhost = 5\nclient_id = \"\"\"\nx\\u00e9\"\"\"\n[mqtt]\n",
            "[control]\nsocket = \"/run/x\"\nsince = 1979-05-27T07:32:00Z\nx = [1, [2.5e3, inf], nan, 0xFF, 0o7, 0b1]\n",
        ]
        return texts.map { Array($0.utf8) }
    }

    mutating func run(_ octets: [UInt8]) {
        let text = String(decoding: octets, as: UTF8.self)
        // This target reads no other files: the configuration would open the named file.
        guard !text.contains("password_file") else { return }
        let lines = text.utf8.count { $0 == UInt8(ascii: "\n") } + 1
        do throws(ConfigurationError) {
            let configuration = try GatewayConfiguration.parse(text, gateway: "gw-000000")
            promise(configuration.sensors.count <= 256, "\(configuration.sensors.count) sensors")
            promise(!configuration.gateway.isEmpty, "a gateway without a name")
        } catch {
            promise(!error.issues.isEmpty, "refused without a reason")
            for issue in error.issues {
                promise((0...lines).contains(issue.line), "line \(issue.line) of \(lines)")
                promise(!issue.message.isEmpty, "refused without words")
            }
        }
    }
}
