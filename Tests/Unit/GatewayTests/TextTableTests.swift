// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import martlet

@Suite("Tables and screens of a terminal")
struct TextTableTests {
    private let table = TextTable(
        columns: [
            .init(title: "WHO", least: 4), .init(title: "WHERE", rank: 2),
            .init(title: "N", rank: 1, isRightAligned: true),
            .init(title: "STATE", usual: 8),
        ], rows: [["greenhouse", "garden", "7", "up"], ["cellar", "below", "12", "down"]])

    @Test("with room for everything, columns are as wide as their content")
    func whole() {
        let whole = TextTable.Layout(
            header: "WHO         WHERE    N  STATE",
            rows: ["greenhouse  garden   7  up", "cellar      below   12  down"],
            leftOut: [])
        #expect(table.layout(width: nil) == whole)
        #expect(table.layout(width: 80) == whole)
    }

    @Test("without room, cells are cut, then columns go by rank")
    func narrow() {
        #expect(
            table.layout(width: 30)
                == .init(
                    header: "WHO       WHERE    N  STATE",
                    rows: ["greenho…  garden   7  up", "cellar    below   12  down"], leftOut: []))
        #expect(
            table.layout(width: 24)
                == .init(
                    header: "WHO          N  STATE", rows: ["greenhouse   7  up", "cellar      12  down"],
                    leftOut: ["WHERE"]))
        #expect(table.layout(width: 15).leftOut == ["WHERE", "N"])
        for width in 0...40 {
            let layout = table.layout(width: width)
            #expect(([layout.header] + layout.rows).allSatisfy { Text.width($0) <= width })
        }
    }

    @Test("wide characters take two columns, and marks on characters none")
    func widths() {
        #expect(["abc", "温度", "🌡", "e\u{301}", "", "ä"].map { Text.width($0) } == [3, 4, 2, 1, 0, 1])
        #expect(Text.fit("温度計", 5) == "温度…" && Text.fit("温度計", 4) == "温… ")
        #expect(Text.wrapped("one two three", 8, indent: 2) == ["one two", "  three"])
        #expect(Text.wrapped("0123456789", 4, indent: 1) == ["0123", " 456", " 789"])
        #expect(Text.wrapped("温温温", 3, indent: 1) == ["温", " 温", " 温"])
        #expect(Text.wrapped("温温温", 2, indent: 1) == ["温"])
    }

    private let head: [TextScreen.Line] = [
        .init(text: "head"), .init(text: "details that may go", rank: 2), .init(text: "", rank: 1),
    ]

    @Test("a short table is on one screen")
    func onePage() {
        let screen = TextScreen(head: head, title: "TITLE", list: ["a", "b"], foot: [.init(text: "foot")])
        #expect(
            screen.lines(columns: 80, rows: 24, turn: 5) == [
                "head", "details that may go", "", "TITLE", "a", "b", "foot",
            ])
    }

    @Test("a long table comes page by page: each line once, below a fixed head and title")
    func pages() {
        let list = (1...10).map { "row \($0)" }
        let screen = TextScreen(head: head, title: "TITLE", list: list, foot: [.init(text: "foot")])
        var seen: [String] = []
        for turn in 0..<4 {
            let lines = screen.lines(columns: 20, rows: 8, turn: turn)
            #expect(lines.count == 8)
            #expect(Array(lines.prefix(3)) == ["head", "", "TITLE"] && lines.last == "foot", "details gave way")
            #expect(lines[6] == "– page \(turn + 1) of 4 –")
            seen += lines[3..<6].filter { !$0.isEmpty }
        }
        #expect(seen == list)
        #expect(screen.lines(columns: 20, rows: 8, turn: 4) == screen.lines(columns: 20, rows: 8, turn: 0))
    }

    @Test("no terminal is too small, and none is written over its edges")
    func bounds() {
        let screen = TextScreen(
            head: head, title: "A TITLE", list: (1...50).map { "row \($0) with 温度 in it" }, foot: [.init(text: "foot")])
        for rows in 0...12 {
            for columns in 0...24 {
                for turn in 0..<3 {
                    let lines = screen.lines(columns: columns, rows: rows, turn: turn)
                    #expect(lines.count <= rows && lines.allSatisfy { Text.width($0) <= columns })
                }
            }
        }
    }
}
