// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluetoothCore

@Suite("Nearest name")
struct NearestNameTests {
    @Test(
        "Edits are counted, swaps of neighbours as one",
        arguments: [
            ("", "", 0), ("host", "host", 0), ("hots", "host", 1), ("hst", "host", 1), ("hosst", "host", 1),
            ("port", "host", 2), ("", "abc", 3), ("abc", "", 3),
        ])
    func distance(left: String, right: String, edits: Int) {
        #expect(NearestName.distance(Array(left.utf8), Array(right.utf8)) == edits)
    }

    @Test("Only near names are suggested")
    func suggestion() {
        #expect(NearestName.of("HOST", among: ["port", "host"]) == "host")
        #expect(NearestName.of("colour", among: ["port", "host"]) == nil)
        #expect(NearestName.of("", among: ["host"]) == nil)
        #expect(NearestName.of(String(repeating: "x", count: 100_000), among: ["host"]) == nil)
    }
}
