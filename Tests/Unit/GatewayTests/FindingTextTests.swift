// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatewayBench
import Testing

@testable import Configuration

/// Whole findings of configurations, which the page's test looks at in German: Tests/Scenes/Web/languages.py.
struct FindingTextTests {
    /// Texts beside the ones of other tests.
    private static let texts = [
        "sensor = [1]\n",
        "[mqtt]\nbrokers = []\n",
        "[home_assistant]\ndiscovery = \"device\"\n[mqtt]\nformat = \"sparkplug\"\n",
        "[mqtt]\nformat = \"sparkplug\"\nshares_sensors = true\n",
        "[mqtt]\nhost = \"mqtts://u:p@a:8883/x\"\n",
        "[mqtt]\nhost = \"wss://a\"\n",
        "[mqtt]\nbrokers = [\"a:b\"]\n",
        "[mqtt.tls]\nenabled = true\nserver_name = \"a b\"\n",
        "[mqtt]\ndead_band = -1\n",
        "[mqtt]\ndead_band = { temperature = \"a\" }\n",
        "[mqtt]\npassword = \"…\"\n",
        "[page]\nlisten = \"0.0.0.0:80\"\n",
        "[page]\nlisten = \"80\"\n",
        "[page]\nhosts = [\"a b\"]\n",
        "[page]\npassword = \"a\"\n",
        "[page]\ncertificate_file = \"/c\"\n",
        "[page]\npassword = \"12345678\"\npassword_file = \"/p\"\n",
        "[gateway]\nname = \"\"\n",
        "[provisioning]\nled = \"a/b\"\n",
        "[provisioning]\nnetwork = \"a\"\n",
        "[security]\nremote_commands = [\"acept\"]\n",
        "[mqtt.sparkplug]\ngroup = \"a/b\"\n",
        "[update]\nurl = \"ftp://a\"\n",
        "[update]\nurl = \"https:///\"\n",
        "[update]\nurl = \"https://u:p@a/\"\n",
        "[webhook]\npost_url = \"https:///\"\n",
        "[webhook]\npost_url = \"https://a/\"\nheader = \"ä: b\"\n",
        "[[sensor]]\nname = \"\"\n",
        "[[sensor]]\nname = \"a\"\npasskey = \"1\"\n",
        "[[sensor]]\nname = \"a\"\npasskey = \"019655\"\npair = false\n",
        "[[sensor]]\nname = \"a\"\npasskey = \"019655\"\npasskey_file = \"/p\"\n",
        "[[sensor]]\nname = \"a\"\nsequence = { }\n",
        "[[sensor]]\nname = \"a\"\nsequence = { characteristic = \"180d/2a37\", length = 3 }\n",
        "[[sensor]]\nname = \"a\"\nsequence = { characteristic = \"180d/2a37\", order = \"x\" }\n",
        "[[sensor]]\nname = \"a\"\nsequence = { characteristic = \"180d/2a37\", offset = -1 }\n",
        "[[sensor]]\nname = \"a\"\nsubscribe = [\"180f/2a19\"]\nsequence = { characteristic = \"180d/2a37\" }\n",
        "[[sensor]]\nname = \"a\"\nsubscribe = [\"180d/2a37#0\"]\n",
        "[[sensor]]\nname = \"a\"\nsubscribe = [\"180d/heart\"]\n",
        "[[sensor]]\nname = \"a\"\noffset = { temperature = \"1\" }\n",
        "[[sensor]]\nname = \"a\"\nwrite = 1\n",
        "[mqtt]\nretain = 1979-05-27\n",
        "[mqtt]\ntls = true\n",
        "[mqtt]\nx = 1\n[mqtt.x]\n",
    ]

    /// Texts that are good, and give warnings.
    private static let warned = [
        "", "[[sensor]]\naddress = \"C4:7C:8D:00:11:22\"\n[[sensor]]\naddress = \"C4:7C:8D:00:11:22\"\nlabel = \"a\"\n",
        "[[sensor]]\nname = \"a\"\n[[sensor]]\nname = \"a\"\n",
    ]

    private static func issues(_ text: String) -> [String] {
        let error = #expect(throws: ConfigurationError.self, "\(text)") {
            try GatewayConfiguration.parse(text, file: "f", gateway: "gw-test", isCheck: true)
        }
        return error?.issues.map(\.description) ?? []
    }

    private static func warnings(_ text: String) throws -> [String] {
        try GatewayConfiguration.check(foreign: text, file: "f", gateway: "gw-test", until: .now + .seconds(60))
    }

    @Test func `the page's test has each finding`() throws {
        var found = ConfigurationMistake.all.flatMap(\.issues) + ConfigurationAdviceTests.rows.map(\.issue)
        found += Self.texts.flatMap(Self.issues)
        // A warning has its place in the text, a mistake beside it.
        found = found.map { $0.replacing(#/^f:\d+: /#, with: "") }
        found += try Self.warned.flatMap(Self.warnings)
        let sentences = Set(found)
        #expect(sentences.count > 180)
        let remedy = "MARTLET_WRITE=1 make unit TEST=FindingTextTests"
        #expect(
            try MadeFile.holds(
                sentences: sentences, about: "Findings of configurations, made by \(remedy)",
                at: "Tests/Scenes/Web/data/findings.json"), "\(remedy)")
    }
}
