// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatewayBench
import Testing

@testable import Configuration
@testable import Gateway

/// docs/configuration.md and docs/martlet.toml.
struct ConfigurationReferenceTests {
    @Test("The documentation's reference equals the program's keys, and its example is valid")
    func documentation() throws {
        let page = try Checkout.text("docs/configuration.md")
        #expect(page.contains(ConfigurationReference.markdown), "run: martlet check-config --keys")
        let example = try Checkout.text("docs/martlet.toml")
        #expect(throws: Never.self) { try GatewayConfiguration.parse(example, gateway: "g") }
        for section in GatewayConfiguration.sections {
            #expect(example.contains("[\(section.name)]"))
            for key in section.keys { #expect(example.contains("\(key.name) ="), "\(section.name).\(key.name)") }
        }
        for key in GatewayConfiguration.sensorSection.keys { #expect(example.contains("\(key.name) ="), "\(key.name)") }
    }
}
