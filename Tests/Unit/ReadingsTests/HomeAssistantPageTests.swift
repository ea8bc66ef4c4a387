// SPDX-License-Identifier: Apache-2.0

import Foundation
import Readings
import TestMaterials
import Testing

/// This test writes the table of docs/home-assistant.md: `MARTLET_WRITE=1 make unit TEST=HomeAssistantPageTests`. `make
/// test-home-assistant` compares the table with Home Assistant's own.
struct HomeAssistantPageTests {
    private static var table: String {
        let rows = Quantity.allCases.sorted { $0.key < $1.key }.compactMap { quantity -> String? in
            guard let platform = quantity.homeAssistantPlatform else { return nil }
            let place = quantity.isOffByDefault ? "diagnostic, off" : quantity.isDiagnostic ? "diagnostic" : nil
            let cells = [
                platform, quantity.details.deviceClass, quantity.details.unit, quantity.stateClass, place,
            ].map { $0 ?? "–" }
            return "| `\(quantity.key)` | " + cells.joined(separator: " | ") + " |\n"
        }
        return "\n| key | entity | device class | unit | state class | place |\n| --- | --- | --- | --- | --- | --- |\n"
            + rows.joined() + "\n"
    }

    @Test func `the table of the page is what the program tells`() throws {
        #expect(
            try MadeFile.holds(
                Self.table, at: "docs/home-assistant.md", from: "<!-- quantities -->\n", to: "<!-- /quantities -->"),
            "MARTLET_WRITE=1 make unit TEST=HomeAssistantPageTests")
    }
}
