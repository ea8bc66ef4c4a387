// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Provisioning

@Suite struct LineQueueTests {
    private func drain(_ queue: inout LineQueue, limit: Int = 20) -> String {
        var octets: [UInt8] = []
        while let piece = queue.piece(limit: limit) {
            #expect(!piece.isEmpty && piece.count <= limit)
            octets += piece
            queue.removePiece(piece)
        }
        return String(decoding: octets, as: UTF8.self)
    }

    private func next(_ queue: inout LineQueue, _ limit: Int) -> [UInt8]? { queue.piece(limit: limit).map(Array.init) }

    @Test(arguments: [1, 2, 7, 20, 182, 512]) func `lines are cut into what fits, and come whole`(limit: Int) {
        var queue = LineQueue()
        let lines = ["", "a", "Dachböden", String(repeating: "x", count: 512), "{}"]
        for line in lines { queue.append(line) }
        #expect(drain(&queue, limit: limit) == lines.map { $0 + "\n" }.joined())
        #expect(queue.isEmpty)
    }

    @Test func `a piece stays until it was taken`() {
        var queue = LineQueue()
        queue.append("abcdef")
        #expect(next(&queue, 3) == Array("abc".utf8))
        #expect(next(&queue, 3) == Array("abc".utf8))
        queue.removePiece(queue.piece(limit: 3) ?? [])
        #expect(next(&queue, 5) == Array("def\n".utf8))
    }

    @Test func `a newer line takes the place of one with the same key, but not of one that has begun`() {
        var queue = LineQueue()
        queue.append("the status", key: "status")
        queue.removePiece(queue.piece(limit: 3) ?? [])
        queue.append("status 1", key: "status")
        queue.append("line")
        queue.append("status 2", key: "status")
        #expect(drain(&queue) == " status\nstatus 2\nline\n")
    }

    @Test func `lines for which there is no room are counted, and it is said where they are missing`() {
        var queue = LineQueue()
        for number in 0..<LineQueue.capacity + 5 { queue.append("\(number)") }
        // Two lines leave: then there is room for the count of lost lines, and for one more line.
        var begin: [UInt8] = []
        for _ in 0..<2 {
            let piece = queue.piece(limit: 20) ?? []
            begin += piece
            queue.removePiece(piece)
        }
        #expect(begin == Array("0\n1\n".utf8))
        queue.append("next")
        let expected = (2..<LineQueue.capacity).map { "\($0)\n" }.joined() + "… 5 lines were dropped here\nnext\n"
        #expect(drain(&queue) == expected)
    }

    @Test func `a central that takes nothing costs no more than its lines`() {
        var queue = LineQueue()
        for number in 0..<100_000 { queue.append("\(number)") }
        for number in 0..<1_000 { queue.append("\(number)", key: "\(number)") }
        let text = drain(&queue, limit: 512)
        #expect(text.split(separator: "\n").count <= LineQueue.capacity + 1)
        #expect(text.hasSuffix("999\n… 99744 lines were dropped here\n"))
    }
}
