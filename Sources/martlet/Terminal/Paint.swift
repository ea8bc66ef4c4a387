// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Colours of lines on a terminal. A line keeps its width.
enum Paint {
    /// True on a terminal, unless a person has set NO_COLOR. https://no-color.org
    static var isWanted: Bool {
        Output.isTerminal && (getenv("NO_COLOR").map { $0.pointee == 0 } ?? true)
    }

    /// Lines with the colour of their first sign: `!` of problems, the marks of the doctor, and a table's titles.
    static func lines(_ lines: [String], isWanted: Bool = Paint.isWanted) -> [String] {
        isWanted ? lines.map(painted) : lines
    }

    private static func painted(_ line: String) -> String {
        guard let code = code(of: line) else { return line }
        return "\u{1B}[\(code)m\(line)\u{1B}[0m"
    }

    /// All numbers of ours, and the end of a colour.
    static let codes: Set<String> = ["0", "1", "2", "31", "32", "33"]

    /// The number of Select Graphic Rendition. ECMA-48, 8.3.117.
    private static func code(of line: String) -> Int? {
        if line.hasPrefix("! ") { return 33 }
        if line.hasPrefix("✗ ") { return 31 }
        if line.hasPrefix("✓ ") { return 32 }
        if line.hasPrefix("· ") || line.hasPrefix("? ") { return 2 }
        return line.hasPrefix("SENSOR ") ? 1 : nil
    }
}
