// SPDX-License-Identifier: Apache-2.0

import Foundation
import Readings
import TestMaterials
import Testing

/// This test writes the table of docs/home-assistant.md: `MARTLET_WRITE_PAGES=1 swift test --filter HomeAssistantPageTests`. `make
/// test-home-assistant` compares the table with Home Assistant's own.
struct HomeAssistantPageTests {
    private static let page = Checkout.url("docs/home-assistant.md")

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
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        let start = try #require(page.range(of: "<!-- quantities -->\n"))
        let end = try #require(page.range(of: "<!-- /quantities -->"))
        if ProcessInfo.processInfo.environment["MARTLET_WRITE_PAGES"] != nil {
            let text = page[..<start.upperBound] + Self.table + page[end.lowerBound...]
            try String(text).write(to: Self.page, atomically: true, encoding: .utf8)
            return
        }
        #expect(
            page[start.upperBound..<end.lowerBound] == Self.table,
            "run: MARTLET_WRITE_PAGES=1 swift test --filter HomeAssistantPageTests")
    }
}
