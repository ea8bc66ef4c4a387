// SPDX-License-Identifier: Apache-2.0

/// A terminal's picture: a fixed head and list title, and a list. A list without enough room is shown page by page.
struct TextScreen {
    struct Line: Equatable {
        var text: String
        /// Lines of rank 0 stay. If the list lacks room, the lines of the highest rank are removed first.
        var rank = 0
        /// Blanks before the continuation of a long line.
        var indent = 0
    }

    var head: [Line]
    /// The title above the list.
    var title: String?
    var list: [String]
    var foot: [Line] = []

    /// At most `rows` lines of at most `columns` columns. `turn` selects the page, and wraps around after the last
    /// page.
    func lines(columns: Int, rows: Int, turn: Int) -> [String] {
        let list = list.flatMap { Text.wrapped($0, columns, indent: 2) }
        var head = fitted(self.head, columns)
        var foot = fitted(self.foot, columns)
        let titles = (title.map { [Text.prefix($0, columns)] } ?? [])
        func room() -> Int { rows - head.count - foot.count - titles.count }
        // The list gets up to half of the terminal.
        while room() < min(list.count, rows / 2) {
            let ranks = (head + foot).map(\.rank)
            guard let highest = ranks.max(), highest > 0 else { break }
            head.removeAll { $0.rank == highest }
            foot.removeAll { $0.rank == highest }
        }
        let shown = list.count <= room() ? list : page(of: list, room: max(room() - 1, 1), columns: columns, turn: turn)
        return Array((head.map(\.text) + titles + shown + foot.map(\.text)).prefix(max(rows, 0)))
    }

    private func page(of list: [String], room: Int, columns: Int, turn: Int) -> [String] {
        let pages = (list.count + room - 1) / room
        let page = turn % pages
        let part = Array(list.dropFirst(page * room).prefix(room))
        // A short last page is filled up, so that the lines below stay in place.
        let filled = part + Array(repeating: "", count: room - part.count)
        return filled + [Text.prefix("– page \(page + 1) of \(pages) –", columns)]
    }

    private func fitted(_ lines: [Line], _ columns: Int) -> [Line] {
        lines.flatMap { line in
            Text.wrapped(line.text, columns, indent: min(line.indent, columns / 4)).map {
                Line(text: $0, rank: line.rank, indent: line.indent)
            }
        }
    }

    /// The octets that draw lines over former lines, without flicker. Each line erases the rest of its row, and the
    /// last line erases everything below.
    static func drawing(_ lines: [String]) -> String {
        "\u{1B}[H" + lines.map { Text.shown($0) + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J"
    }
}
