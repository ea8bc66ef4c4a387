// SPDX-License-Identifier: Apache-2.0

import CQREncode
import Foundation

/// A QR code, for a terminal or a printer.
struct QRCode {
    /// Light modules around the code, as ISO/IEC 18004 requires.
    private static let quiet = 4

    private let width: Int
    private let isDark: [Bool]

    init?(_ text: String) {
        // Level M: readable with up to 15 % damage.
        guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
        defer { QRcode_free(code) }
        guard let modules = code.pointee.data else { return nil }
        let width = Int(code.pointee.width)
        self.width = width
        isDark = (0..<width * width).map { modules[$0] & 1 == 1 }
    }

    private func isDark(_ column: Int, _ row: Int) -> Bool {
        (0..<width).contains(column) && (0..<width).contains(row) && isDark[row * width + column]
    }

    /// Two rows of modules a line. Blocks draw the light modules, for dark terminals.
    var halfBlocks: [String] {
        let range = -Self.quiet..<(width + Self.quiet)
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
            range.map { column in
                switch (isDark(column, row), isDark(column, row + 1)) {
                case (false, false): "█"
                case (false, true): "▀"
                case (true, false): "▄"
                case (true, true): " "
                }
            }.joined()
        }
    }

    /// 50 mm wide, with the name above and the passkey below.
    func svg(title: String, text: String) -> String {
        let size = width + 2 * Self.quiet
        var path = ""
        for row in 0..<width {
            for column in 0..<width where isDark(column, row) {
                path += "M\(column + Self.quiet) \(row + Self.quiet + 4)h1v1h-1z"
            }
        }
        let lines = [(title, 4), (text, size + 6)].map { text, y in
            """
            <text x="\(size / 2)" y="\(y)" font-family="sans-serif" font-size="3" text-anchor="middle">\
            \(Self.escaped(text))</text>
            """
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="50mm" viewBox="0 0 \(size) \(size + 8)">
            <rect width="\(size)" height="\(size + 8)" fill="#fff"/>
            \(lines.joined(separator: "\n"))
            <path d="\(path)"/>
            </svg>

            """
    }

    private static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
    }
}
