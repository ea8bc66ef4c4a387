// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Readings
import TestMaterials
import Testing

/// The families of docs/sensors.md are written here: `MARTLET_WRITE=1 make unit TEST=SensorPageTests`.
@Suite(.serialized)
struct SensorPageTests {
    private static var table: String {
        let rows = SensorFamilies.all.sorted { $0.name.lowercased() < $1.name.lowercased() }.map { family in
            let needs = family.needs
            let wants = [
                needs.key == .none ? nil : "key (\(needs.key.rawValue))", needs.needsActiveScan ? "active scan" : nil,
                needs.needsExtendedAdvertising ? "extended advertising (Bluetooth 5)" : nil,
            ].compactMap(\.self)
            let sources = CorpusTests.repositories[family.family, default: []].sorted()
            let cells = [
                "`\(family.family)`", family.name, needs.products, fields(of: family),
                ([wants.joined(separator: ", "), needs.hint].filter { !$0.isEmpty }).joined(separator: ". "),
                sources.isEmpty ? "none" : sources.map { "[\($0)](https://github.com/\($0))" }.joined(separator: ", "),
            ]
            return "| " + cells.map { $0.isEmpty ? "–" : $0 }.joined(separator: " | ") + " |\n"
        }
        return
            "\n| family | name | products | fields | what you need | real packets |\n| --- | --- | --- | --- | --- | --- |\n"
            + rows.joined() + "\n"
    }

    /// The models with real packets in Tests/Support/Corpus.
    private static var models: String {
        let read = CorpusRow.all.filter { $0.unread == nil }.compactMap { row in
            row.result().map { (row: row, family: $0.family, fields: $0.fields) }
        }
        let rows = Dictionary(grouping: read, by: \.row.model).sorted { $0.key.lowercased() < $1.key.lowercased() }.map
        {
            model, packets in
            let keys = packets.flatMap { $0.fields.map(\.key) }.reduce(into: [String]()) {
                if !$0.contains($1) { $0.append($1) }
            }
            let families = Set(packets.map(\.family)).sorted().map { "`\($0)`" }
            let sources = Set(packets.map { CorpusTests.repository(of: $0.row) }).sorted()
            let cells = [
                model, families.joined(separator: ", "), shortened(keys.map { "`\($0)`" }),
                sources.map { "[\($0)](https://github.com/\($0))" }.joined(separator: ", "),
            ]
            return "| " + cells.joined(separator: " | ") + " |\n"
        }
        return "\n| model | family | fields of its packets | packets from |\n| --- | --- | --- | --- |\n"
            + rows.joined() + "\n"
    }

    /// Families without a proof in their packets, and how many of a million foreign packets they may take.
    private static var chances: String {
        let stated = AcceptanceTests.bounds.filter { $0.value > 0 }
            .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let rows = stated.map { family, bound in
            let digits = String(Int(bound))
            let number = digits.count > 3 ? "\(digits.dropLast(3)),\(digits.suffix(3))" : digits
            return "`\(family)` \(number)"
        }
        return "\n" + rows.joined(separator: ", ") + "\n\n"
    }

    private static func fields(of family: SensorFamily) -> String { shortened(family.quantities.map { "`\($0.key)`" }) }

    /// BTHome and MiBeacon have most of the catalogue: too much for a row.
    private static func shortened(_ keys: [String]) -> String {
        keys.count <= 16
            ? keys.joined(separator: ", ")
            : keys.prefix(12).joined(separator: ", ") + " and \(keys.count - 12) others"
    }

    private static var profiles: String {
        let rows = SensorProfile.all.map { profile in
            let feeds = (profile.subscribe + profile.read).map { $0.characteristic.description.lowercased() }
            let keys = feeds.flatMap { uuid in Decoders.table.first { $0.characteristic == uuid }?.quantities ?? [] }
            let fields = keys.reduce(into: [Quantity]()) { if !$0.contains($1) { $0.append($1) } }
            let ways = [
                profile.subscribe.isEmpty ? nil : "notifies",
                profile.writeEverySeconds.map { "is written to every \($0) s" },
                profile.readEverySeconds.map { "is read every \($0) s" },
            ]
            let how = ways.compactMap(\.self).joined(separator: ", ")
            let hint = profile.hint.isEmpty ? "–" : profile.hint
            return
                "| `\(profile.name)` | \(how) | \(fields.map { "`\($0.key)`" }.joined(separator: ", ")) | \(hint) |\n"
        }
        return "\n| profile | how | fields | what you need |\n| --- | --- | --- | --- |\n" + rows.joined() + "\n"
    }

    @Test(arguments: [("families", table), ("profiles", profiles), ("models", models), ("chances", chances)])
    func `the tables of the page are what the program knows`(name: String, table: String) throws {
        #expect(
            try MadeFile.holds(table, at: "docs/sensors.md", from: "<!-- \(name) -->\n", to: "<!-- /\(name) -->"),
            "MARTLET_WRITE=1 make unit TEST=SensorPageTests")
    }
}
