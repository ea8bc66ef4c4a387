// SPDX-License-Identifier: Apache-2.0

/// Lines on their way to a central, cut to the size of its notifications. Bounded: for a slow central, a newer line
/// replaces a waiting line with the same key. Other surplus lines are dropped, and the central gets their number.
package struct LineQueue: Sendable {
    /// Octets of a line without its line feed.
    package static let lineLimit = 512
    /// Lines that wait, besides the line being sent.
    package static let capacity = 256

    private struct Line {
        var key: String?
        var octets: [UInt8]
    }

    /// The rest of the line being sent.
    private var current: ArraySlice<UInt8> = []
    private var waiting: [Line] = []
    private var dropped = 0

    package init() {}

    package var isEmpty: Bool { current.isEmpty && waiting.isEmpty && dropped == 0 }

    /// - Parameter key: Replaces a waiting line with the same key, in its place; nil: this line replaces none, and is
    ///   dropped and counted if the queue is full.
    package mutating func append(_ text: String, key: String? = nil) {
        let line = Line(key: key, octets: Array(text.utf8.prefix(Self.lineLimit)) + [UInt8(ascii: "\n")])
        if let key, let index = waiting.firstIndex(where: { $0.key == key }) {
            waiting[index] = line
            return
        }
        if dropped > 0, waiting.count + 1 < Self.capacity { waiting.append(takeNotice()) }
        if waiting.count < Self.capacity {
            waiting.append(line)
        } else if key == nil {
            dropped += 1
        } else {
            // Lines with a key come again, so the oldest line is dropped.
            waiting.removeFirst()
            waiting.append(line)
        }
    }

    /// The next piece; stays until ``removePiece(_:)``.
    package mutating func piece(limit: Int) -> ArraySlice<UInt8>? {
        if current.isEmpty {
            if !waiting.isEmpty {
                current = waiting.removeFirst().octets[...]
            } else if dropped > 0 {
                current = takeNotice().octets[...]
            } else {
                return nil
            }
        }
        return current.prefix(max(1, limit))
    }

    package mutating func removePiece(_ piece: ArraySlice<UInt8>) { current = current.dropFirst(piece.count) }

    /// The line in place of dropped lines.
    private mutating func takeNotice() -> Line {
        defer { dropped = 0 }
        return Line(key: nil, octets: Array("… \(dropped) lines were dropped here\n".utf8))
    }
}
