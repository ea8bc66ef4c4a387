// SPDX-License-Identifier: Apache-2.0

import Foundation
import Readings
import Testing

/// The families of docs/sensors.md are written here: `MARTLET_WRITE_PAGES=1 swift test --filter SensorPageTests`.
struct SensorPageTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../docs/sensors.md")
    private static let (start, end) = ("<!-- families -->\n", "<!-- /families -->")

    private static var table: String {
        let rows = SensorFamilies.all.sorted { $0.name.lowercased() < $1.name.lowercased() }.map { family in
            let needs = family.needs
            let wants = [
                needs.key == .none ? nil : "key (\(needs.key.rawValue))", needs.needsActiveScan ? "active scan" : nil,
                needs.needsExtendedAdvertising ? "extended advertising (Bluetooth 5)" : nil,
            ].compactMap(\.self)
            let cells = [
                "`\(family.family)`", family.name, needs.products, fields(of: family),
                ([wants.joined(separator: ", "), needs.hint].filter { !$0.isEmpty }).joined(separator: ". "),
            ]
            return "| " + cells.map { $0.isEmpty ? "–" : $0 }.joined(separator: " | ") + " |\n"
        }
        return "\n| family | name | products | fields | what you need |\n| --- | --- | --- | --- | --- |\n"
            + rows.joined() + "\n"
    }

    /// BTHome and MiBeacon can say most of the catalogue: a row is no place for all of it.
    private static func fields(of family: any AdvertisementDecoder.Type) -> String {
        let keys = family.quantities.map { "`\($0.rawValue)`" }
        return keys.count <= 16
            ? keys.joined(separator: ", ")
            : keys.prefix(12).joined(separator: ", ") + " and \(keys.count - 12) others"
    }

    @Test func `the table of families is what the program knows`() throws {
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        let start = try #require(page.range(of: Self.start))
        let end = try #require(page.range(of: Self.end))
        if ProcessInfo.processInfo.environment["MARTLET_WRITE_PAGES"] != nil {
            let text = page[..<start.upperBound] + Self.table + page[end.lowerBound...]
            try String(text).write(to: Self.page, atomically: true, encoding: .utf8)
            return
        }
        #expect(
            page[start.upperBound..<end.lowerBound] == Self.table,
            "run: MARTLET_WRITE_PAGES=1 swift test --filter SensorPageTests")
    }
}
