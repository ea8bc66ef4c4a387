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
        let remedy = "MARTLET_WRITE=1 make unit TEST=ProblemPageTests"
        #expect(
            try MadeFile.holds(
                Self.table, at: "docs/status.md", from: "<!-- made from the table: \(remedy) -->\n", to: "<!-- end -->"),
            "\(remedy)")
    }
}
