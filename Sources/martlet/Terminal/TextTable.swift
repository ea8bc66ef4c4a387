// SPDX-License-Identifier: Apache-2.0

/// A table that fits a terminal. On a narrow terminal, cells are cut first; then whole columns are removed, the least
/// important first.
struct TextTable {
    struct Column {
        var title: String
        /// Columns of rank 0 stay. The highest rank is removed first.
        var rank = 0
        var isRightAligned = false
        /// The least width of the column, so that the table does not move with its values.
        var usual = 0
        /// Cells may be cut to this width; nil: never.
        var least: Int?
    }

    struct Layout: Equatable {
        var header: String
        var rows: [String]
        /// Titles of the removed columns.
        var leftOut: [String]
    }

    /// Blanks between columns.
    var gap = 2
    var columns: [Column]
    /// Each row has a cell for each column.
    var rows: [[String]]

    /// The table in at most `width` columns of the terminal; complete if `width` is nil.
    func layout(width: Int?) -> Layout {
        var shown = Array(columns.indices)
        var widths = columns.indices.map { index in
            let cells = rows.map { Text.width($0[index]) }.max() ?? 0
            return max(columns[index].usual, Text.width(columns[index].title), cells)
        }
        if let width {
            while sum(shown.map { least($0, widths) }) > width,
                let last = shown.filter({ columns[$0].rank > 0 }).max(by: { columns[$0].rank < columns[$1].rank })
            {
                shown.removeAll { $0 == last }
            }
            // The widest column becomes narrower first.
            while sum(shown.map { widths[$0] }) > width,
                let widest = shown.filter({ widths[$0] > least($0, widths) }).max(by: { widths[$0] < widths[$1] })
            {
                widths[widest] -= 1
            }
        }
        func line(_ cells: [String]) -> String {
            var line = shown.map { Text.fit(cells[$0], widths[$0], right: columns[$0].isRightAligned) }
                .joined(separator: String(repeating: " ", count: gap))
            while line.last == " " { line.removeLast() }
            return width.map { Text.prefix(line, $0) } ?? line
        }
        return Layout(
            header: line(columns.map(\.title)), rows: rows.map(line),
            leftOut: columns.indices.filter { !shown.contains($0) }.map { columns[$0].title })
    }

    private func least(_ column: Int, _ widths: [Int]) -> Int {
        columns[column].least.map { min($0, widths[column]) } ?? widths[column]
    }

    private func sum(_ widths: [Int]) -> Int { widths.reduce(0, +) + gap * max(widths.count - 1, 0) }
}
