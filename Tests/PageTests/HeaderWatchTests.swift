// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Page

struct HeaderWatchTests {
    /// A connection of which both ends are here.
    private final class Pair {
        var ends: [Int32] = [-1, -1]
        init() { _ = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) }
        deinit { for end in ends { close(end) } }

        /// Whether the gateway has ended it.
        var isOver: Bool {
            var octet: UInt8 = 0
            return recv(ends[1], &octet, 1, Int32(MSG_DONTWAIT)) == 0
        }
    }

    private let watch = HeaderWatch()
    private let start = ContinuousClock.now

    @Test func `a header has its time, and who has sent one is left alone`() {
        let (slow, served, new) = (Pair(), Pair(), Pair())
        watch.begin(slow.ends[0], at: start)
        watch.begin(served.ends[0], at: start)
        watch.remove(served.ends[0])
        watch.begin(new.ends[0], at: start + .seconds(1))
        watch.look(at: start + HeaderWatch.patience - .seconds(1))
        #expect(!slow.isOver && watch.count == 2)
        watch.look(at: start + HeaderWatch.patience)
        #expect(slow.isOver && !served.isOver && !new.isOver && watch.count == 1)
        // Its next request has its time as well.
        watch.begin(served.ends[0], at: start + .seconds(40))
        watch.look(at: start + .seconds(69))
        #expect(!served.isOver)
        watch.look(at: start + .seconds(70))
        #expect(served.isOver)
    }

    @Test func `a crowd pushes itself out`() {
        let pairs = (0...HeaderWatch.capacity + 1).map { _ in Pair() }
        for (count, pair) in pairs.enumerated() { watch.begin(pair.ends[0], at: start + .milliseconds(count)) }
        #expect(pairs.map(\.isOver) == [true, true] + Array(repeating: false, count: HeaderWatch.capacity))
    }
}
