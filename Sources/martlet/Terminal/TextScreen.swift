// SPDX-License-Identifier: Apache-2.0

/// A terminal's picture: a head and the title of a list, which stay, and the list itself, page by page where it has more
/// lines than there is room for.
struct TextScreen {
    struct Line: Equatable {
        var text: String
        /// Lines of 0 stay; of the others the highest goes first where there is no room for the list.
        var rank = 0
        /// Blanks before what does not fit into the line and goes on below.
        var indent = 0
    }

    var head: [Line]
    /// What stays above the list.
    var title: String?
    var list: [String]
    var foot: [Line] = []

    /// At most `rows` lines of at most `columns` columns. `turn` counts on from page to page, and begins again after the
    /// last one.
    func lines(columns: Int, rows: Int, turn: Int) -> [String] {
        let list = list.flatMap { Text.wrapped($0, columns, indent: 2) }
        var head = fitted(self.head, columns)
        var foot = fitted(self.foot, columns)
        let titles = (title.map { [Text.prefix($0, columns)] } ?? [])
        func room() -> Int { rows - head.count - foot.count - titles.count }
        // Half of the terminal is the list's, if it has so many lines.
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
        // The last page may be short: what is below it stays where it is.
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

    /// What draws lines over those that were there before, without flicker: each erases what is right of it, and the last
    /// one everything below.
    static func drawing(_ lines: [String]) -> String {
        "\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J"
    }
}
