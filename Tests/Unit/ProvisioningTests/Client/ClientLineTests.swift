// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Provisioning

@Suite("Lines of notifications") struct ClientLineTests {
    /// The gateway sends `pieces` one by one; the client makes `lines` of them.
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var pieces: [String]
        var lines: [String]
        var losses = 0
    }

    static let rows: [Row] = [
        Row(testDescription: "a line in one piece", pieces: ["one\n"], lines: ["one"]),
        Row(testDescription: "a line in three", pieces: ["o", "n", "e\n"], lines: ["one"]),
        Row(testDescription: "two lines in one piece", pieces: ["one\ntwo\n"], lines: ["one", "two"]),
        Row(
            testDescription: "the end of one with the beginning of the next", pieces: ["on", "e\ntw", "o\n"],
            lines: ["one", "two"]),
        Row(testDescription: "a line end alone", pieces: ["one", "\n"], lines: ["one"]),
        Row(testDescription: "nothing without an end", pieces: ["one"], lines: []),
        Row(testDescription: "empty lines and pieces", pieces: ["", "\n\n", "one\n", "\n"], lines: ["one"]),
        Row(testDescription: "a line of the limit", pieces: ["12345678", "\n"], lines: ["12345678"]),
        Row(testDescription: "a line beyond it", pieces: ["12345678", "9\none\n"], lines: ["one"], losses: 1),
        Row(
            testDescription: "one that never ends", pieces: Array(repeating: "xxxxxxxxxx", count: 1000) + ["\none\n"],
            lines: ["one"], losses: 1),
        Row(testDescription: "a character in two pieces", pieces: ["gr\u{FC}n\n"], lines: ["grün"]),
    ]

    @Test(arguments: rows) func `pieces become lines`(_ row: Row) {
        var receiver = LineReceiver(limit: 8)
        let lines = row.pieces.flatMap { receiver.receive($0.utf8) }
        #expect(lines == row.lines && receiver.losses == row.losses)
    }

    @Test func `a line that misses a piece is left out, and the next one is whole`() {
        var receiver = LineReceiver()
        #expect(receiver.receive("on".utf8) == [])
        receiver.lost()
        receiver.lost()
        #expect(receiver.receive("!\ntwo\n".utf8) == ["two"])
        #expect(receiver.losses == 1)
    }

    @Test func `octets that are no text become replacement characters`() {
        var receiver = LineReceiver()
        #expect(receiver.receive([0xFF, 0x41, 0xC3, 0x0A]) == ["\u{FFFD}A\u{FFFD}"])
    }

    @Test func `however a text is cut into pieces, the lines are the same`() {
        let text = "{\"ssid\":\"Dach\u{1F3E0}boden\"}\n\nzwei\n" + String(repeating: "y", count: 40) + "\ndrei\n"
        let whole = ["{\"ssid\":\"Dach\u{1F3E0}boden\"}", "zwei", "drei"]
        var random = SystemRandomNumberGenerator()
        for size in Array(1...30) + (0..<500).map({ _ in Int.random(in: 1...30, using: &random) }) {
            var receiver = LineReceiver(limit: 32)
            var rest = Array(text.utf8)[...]
            var lines: [String] = []
            while !rest.isEmpty {
                let count = min(rest.count, Int.random(in: 1...size, using: &random))
                lines += receiver.receive(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            #expect(lines == whole && receiver.losses == 1)
        }
    }
}
