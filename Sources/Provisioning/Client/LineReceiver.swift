// SPDX-License-Identifier: Apache-2.0

/// Makes lines of the pieces that come as notifications: docs/provisioning.md. Whatever comes, it holds no more than
/// ``limit`` octets.
package struct LineReceiver: Sendable {
    /// Octets of a line, without its end. What is longer is left out, and counted.
    package let limit: Int
    /// Lines that were left out: too long, or a piece of them was lost.
    package private(set) var losses = 0
    private var line: [UInt8] = []
    /// The line that is under way is of no use.
    private var skips = false

    package init(limit: Int = 4096) { self.limit = limit }

    /// The lines that this piece completes. Octets that are no UTF-8 become U+FFFD; empty lines are left out.
    package mutating func receive(_ piece: some Sequence<UInt8>) -> [String] {
        var lines: [String] = []
        for octet in piece {
            if octet == UInt8(ascii: "\n") {
                if let line = end() { lines.append(line) }
            } else if !skips {
                if line.count < limit { line.append(octet) } else { skip() }
            }
        }
        return lines
    }

    /// Pieces were lost before the next one: the line that it belongs to is of no use.
    package mutating func lost() { skip() }

    private mutating func skip() {
        guard !skips else { return }
        skips = true
        losses += 1
        line = []
    }

    private mutating func end() -> String? {
        defer {
            line.removeAll(keepingCapacity: true)
            skips = false
        }
        return skips || line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }
}
