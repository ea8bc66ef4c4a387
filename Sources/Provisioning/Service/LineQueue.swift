// SPDX-License-Identifier: Apache-2.0

/// Lines on their way to one central, cut into what fits its notifications. Bounded: a central that takes them slowly gets
/// the newest of what is replaced by newer lines, and is told how many of the others it misses.
package struct LineQueue: Sendable {
    /// Octets of a line without its line feed.
    package static let lineLimit = 512
    /// Lines that wait, beside the one that is being sent.
    package static let capacity = 256

    private struct Line {
        var key: String?
        var octets: [UInt8]
    }

    /// The rest of the line that has begun to go.
    private var current: ArraySlice<UInt8> = []
    private var waiting: [Line] = []
    private var dropped = 0

    package init() {}

    package var isEmpty: Bool { current.isEmpty && waiting.isEmpty && dropped == 0 }

    /// - Parameter key: A line with the same key that waits is replaced, in its place; nil: this line stands for itself,
    ///   and is dropped and counted where there is no room.
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
            // A line that is replaced by newer ones comes again: the oldest one gives way.
            waiting.removeFirst()
            waiting.append(line)
        }
    }

    /// The next piece; it stays until ``removePiece(_:)``.
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

    /// Stands where the lines are missing.
    private mutating func takeNotice() -> Line {
        defer { dropped = 0 }
        return Line(key: nil, octets: Array("… \(dropped) lines were dropped here\n".utf8))
    }
}
