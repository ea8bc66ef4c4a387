// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Page

struct ConnectionWatchTests {
    /// A connection of which both ends are here.
    private final class Pair {
        var ends: [Int32] = [-1, -1]
        init() { _ = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) }
        deinit { for end in ends { close(end) } }

        /// Whether the gateway has ended the connection.
        var isOver: Bool {
            var octet: UInt8 = 0
            return recv(ends[1], &octet, 1, Int32(MSG_DONTWAIT)) == 0
        }
    }

    private let watch = ConnectionWatch(capacity: 8)
    private let start = ContinuousClock.now
    private let patience = Duration.seconds(30)

    private func begin(_ pair: Pair, of visitor: ConnectionWatch.Visitor = .stranger, after milliseconds: Int) {
        watch.begin(pair.ends[0], of: visitor, patience: patience, at: start + .milliseconds(milliseconds))
    }

    @Test func `a stage has its time, and who has gone through it is left alone`() {
        let (slow, served, new) = (Pair(), Pair(), Pair())
        begin(slow, after: 0)
        begin(served, after: 0)
        watch.remove(served.ends[0])
        begin(new, after: 1_000)
        watch.look(at: start + patience - .seconds(1))
        #expect(!slow.isOver && watch.count == 2)
        watch.look(at: start + patience)
        #expect(slow.isOver && !served.isOver && !new.isOver && watch.count == 1)
        // Its next request has its time as well.
        begin(served, after: 40_000)
        watch.look(at: start + .seconds(69))
        #expect(!served.isOver)
        watch.look(at: start + .seconds(70))
        #expect(served.isOver)
    }

    @Test func `a crowd pushes itself out, the slowest first`() {
        let pairs = (0...watch.capacity + 1).map { _ in Pair() }
        for (count, pair) in pairs.enumerated() { begin(pair, after: count) }
        #expect(pairs.map(\.isOver) == [true, true] + Array(repeating: false, count: watch.capacity))
    }

    @Test func `strangers push out no visitor who is in, and those who are in push out the slowest stranger`() {
        let known = (0..<watch.capacity - 1).map { _ in Pair() }
        for (count, pair) in known.enumerated() { begin(pair, of: .known, after: count) }
        let strangers = (0..<4).map { _ in Pair() }
        for (count, pair) in strangers.enumerated() { begin(pair, after: 1_000 + count) }
        #expect(known.allSatisfy { !$0.isOver } && strangers.map(\.isOver) == [true, true, true, false])
        let last = (0..<2).map { _ in Pair() }
        for (count, pair) in last.enumerated() { begin(pair, of: .known, after: 2_000 + count) }
        #expect(strangers.allSatisfy(\.isOver) && last.allSatisfy { !$0.isOver })
        // Among each other they are like all other connections.
        #expect(known.map(\.isOver) == [true] + Array(repeating: false, count: known.count - 1))
    }

    @Test func `in each stage a crowd of strangers pushes itself out, and no one in another stage`() {
        let stages = PageStages()
        let begin: [(Int32) -> Void] = [
            { stages.expectHeader(on: $0) }, { stages.expectBody(on: $0, of: .stranger) },
            { stages.expectTaking(on: $0, by: .stranger) },
        ]
        let crowds = begin.map { begin in
            let pairs = (0...PageStages.capacity).map { _ in Pair() }
            for pair in pairs { begin(pair.ends[0]) }
            return pairs
        }
        for crowd in crowds { #expect(crowd.count(where: \.isOver) == 1) }
        // Answers to visitors with a session have no end.
        let known = (0...PageStages.capacity).map { _ in Pair() }
        for pair in known { stages.expectTaking(on: pair.ends[0], by: .known) }
        #expect(known.allSatisfy { !$0.isOver })
        // A closed connection leaves all stages.
        for pair in crowds.flatMap({ $0 }) { stages.leave(pair.ends[0]) }
        for begin in begin {
            let next = (0..<PageStages.capacity).map { _ in Pair() }
            for pair in next { begin(pair.ends[0]) }
            #expect(next.allSatisfy { !$0.isOver })
            for pair in next { stages.leave(pair.ends[0]) }
        }
    }

    @Test func `a connection that goes on to its next stage frees its place in the last one`() {
        let stages = PageStages()
        let begin: [(Int32) -> Void] = [
            { stages.expectHeader(on: $0) }, { stages.expectBody(on: $0, of: .stranger) },
            { stages.expectTaking(on: $0, by: .stranger) },
        ]
        // An answered connection may send another header.
        for stage in begin.indices {
            let first = (0..<PageStages.capacity).map { _ in Pair() }
            for pair in first {
                begin[stage](pair.ends[0])
                begin[(stage + 1) % begin.count](pair.ends[0])
            }
            let next = (0..<PageStages.capacity).map { _ in Pair() }
            for pair in next { begin[stage](pair.ends[0]) }
            #expect((first + next).allSatisfy { !$0.isOver }, "stage \(stage)")
            for pair in first + next { stages.leave(pair.ends[0]) }
        }
    }

    @Test func `before the login a body is small and quick`() {
        #expect(PageServer.Limit.body(of: .stranger) == 4_096 && PageServer.Limit.body(of: .known) == 262_144)
        #expect(PageServer.Limit.upload(of: .stranger) == .seconds(5))
        // Each stage has its places, and there are more connections than all slow strangers together may have.
        #expect(Int(PageServer.Limit.connections) > 3 * PageStages.capacity)
    }
}
