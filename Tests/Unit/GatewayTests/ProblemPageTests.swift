// SPDX-License-Identifier: Apache-2.0

import Foundation
import Health
import TestMaterials
import Testing

/// The table of problems in docs/status.md.
struct ProblemPageTests {
    private static var table: String {
        let head =
            "| code | severity | part | title | causes | shown after, s | gone after, s |\n| --- | --- | --- | --- | --- | ---: | ---: |\n"
        let rows = ProblemTable.rows.map { row in
            let title = row.title == "{subject}" ? "the sensor: " + row.text : row.title
            let causes = row.causes.map { "`\($0.rawValue)`" }.joined(separator: ", ")
            let cells = [
                "`\(row.code.rawValue)`", row.severity.rawValue, "`\(row.part)`", title, causes.isEmpty ? "–" : causes,
                "\(row.shownAfter)", "\(row.goneAfter)",
            ]
            return "| " + cells.joined(separator: " | ") + " |\n"
        }
        return head + rows.joined()
    }

    @Test func `the documentation has each problem`() throws {
        let file = Checkout.root.appendingPathComponent("docs/status.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let begin = "<!-- made from the table: MARTLET_WRITE=1 make unit TEST=ProblemPageTests -->\n"
        let parts = text.components(separatedBy: begin)
        try #require(parts.count == 2)
        let rest = parts[1].components(separatedBy: "<!-- end -->")
        try #require(rest.count == 2)
        if ProcessInfo.processInfo.environment["MARTLET_WRITE"] != nil {
            let whole = parts[0] + begin + Self.table + "<!-- end -->" + rest[1]
            try whole.write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(rest[0] == Self.table, "MARTLET_WRITE=1 make unit TEST=ProblemPageTests")
        }
    }
}
