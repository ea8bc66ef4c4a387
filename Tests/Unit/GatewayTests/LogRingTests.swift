// SPDX-License-Identifier: Apache-2.0

import Logging
import Testing

@testable import Gateway
@testable import martlet

@Suite("The log for clients")
struct LogRingTests {
    @Test("the newest 256 lines are kept, oldest first")
    func tail() {
        let ring = LogRing()
        #expect(ring.tail(5) == [])
        for number in 1...300 { ring.append("\(number)") }
        #expect(ring.tail(3) == ["298", "299", "300"])
        #expect(ring.tail(1_000) == (45...300).map(String.init))
        #expect(ring.tail(0) == [] && ring.tail(-1) == [])
    }

    @Test("a line has 512 octets, and ends with a whole character")
    func length() {
        let ring = LogRing()
        ring.append(String(repeating: "é", count: 300))
        ring.append("x" + String(repeating: "é", count: 300))
        #expect(ring.tail(2).map(\.utf8.count) == [512, 511])
    }

    @Test("followers get new lines; a slow follower misses the oldest, and the number of followers has a bound")
    func follow() async {
        let ring = LogRing()
        var streams = (0..<LogRing.followers).map { _ in ring.follow() }
        var refused = ring.follow().makeAsyncIterator()
        #expect(await refused.next() == nil)
        for number in 1...100 { ring.append("\(number)") }
        var first = streams[0].makeAsyncIterator()
        #expect(await first.next() == "37")
        // Closed streams make room.
        streams = []
        var next = ring.follow().makeAsyncIterator()
        ring.append("more")
        #expect(await next.next() == "more")
    }

    @Test("the lines equal the program's log, without its details")
    func handler() {
        let ring = LogRing()
        var logger = Logger(label: "test") { _ in RingLogHandler(ring, level: .trace) }
        logger[metadataKey: "part"] = "collector"
        logger.debug("a detail")
        logger.info("collecting\n", metadata: ["sensor": "a b"])
        let line = ring.tail(2)
        #expect(line.count == 1 && line[0].hasSuffix(" info     collector: collecting  sensor=\"a b\""), "\(line)")
    }
}
