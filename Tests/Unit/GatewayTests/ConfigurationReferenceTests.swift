// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Configuration
@testable import Gateway

/// docs/configuration.md and docs/martlet.toml.
struct ConfigurationReferenceTests {
    @Test("The documentation's reference equals the program's keys, and its example is valid")
    func documentation() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appendingPathComponent("docs/configuration.md"), encoding: .utf8)
        #expect(page.contains(ConfigurationReference.markdown), "run: martlet check-config --keys")
        let example = try String(contentsOf: root.appendingPathComponent("docs/martlet.toml"), encoding: .utf8)
        #expect(throws: Never.self) { try GatewayConfiguration.parse(example, gateway: "g") }
        for section in GatewayConfiguration.sections {
            #expect(example.contains("[\(section.name)]"))
            for key in section.keys { #expect(example.contains("\(key.name) ="), "\(section.name).\(key.name)") }
        }
        for key in GatewayConfiguration.sensorSection.keys { #expect(example.contains("\(key.name) ="), "\(key.name)") }
    }
}
