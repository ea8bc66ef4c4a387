// SPDX-License-Identifier: Apache-2.0

/// Assembles lines from the pieces of notifications: docs/provisioning-protocol.md. Never holds more than ``limit`` octets.
package struct LineReceiver: Sendable {
    /// Octets of a line, without its end. A longer line is dropped and counted.
    package let limit: Int
    /// Dropped lines: too long, or with a lost piece.
    package private(set) var losses = 0
    private var line: [UInt8] = []
    /// The present line is useless.
    private var skips = false

    package init(limit: Int = 4096) { self.limit = limit }

    /// The lines completed by this piece. Octets that are not UTF-8 become U+FFFD; empty lines are dropped.
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

    /// Pieces were lost before the next piece, so their line is useless.
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
