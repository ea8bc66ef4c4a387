// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import Page

struct EventFeedTests {
    /// A visitor's reads, `room` octets at a time.
    private static func take(_ feed: EventFeed, room: Int = 64) -> String {
        var octets: [UInt8] = []
        var isSuspended = false
        while !isSuspended {
            var part = [UInt8](repeating: 0, count: room)
            let count = part.withUnsafeMutableBytes {
                feed.write(into: $0, suspend: { isSuspended = true }, resume: {})
            }
            guard count > 0 else { break }
            octets += part.prefix(count)
        }
        return String(decoding: octets, as: UTF8.self)
    }

    @Test(arguments: [1, 7, 4096])
    func `events come whole, however much is taken at a time`(room: Int) {
        let feed = EventFeed()
        feed.put(.status, Array(#"{"a":1}"#.utf8))
        feed.put(lines: ["one", "two\nlines"])
        #expect(
            Self.take(feed, room: room)
                == "retry: 3000\n\nevent: status\ndata: {\"a\":1}\n\n"
                + "event: log\ndata: {\"lines\":[\"one\",\"two\\nlines\"]}\n\n")
        #expect(Self.take(feed, room: room).isEmpty)
        feed.beat()
        #expect(Self.take(feed, room: room) == ":\n\n")
    }

    @Test func `of a state only the newest waits, and of lines so many, with a word of those that are missing`() {
        let feed = EventFeed()
        _ = Self.take(feed)
        for number in 0..<1_000 {
            feed.put(.status, Array("{\"n\":\(number)}".utf8))
            feed.put(lines: ["line \(number)"])
        }
        let text = Self.take(feed)
        #expect(text.hasPrefix("event: status\ndata: {\"n\":999}\n\nevent: log\ndata: "))
        #expect(text.contains("… 700 lines were left out") && text.contains("line 700") && text.contains("line 999"))
        #expect(!text.contains("line 699"))
    }

    @Test func `who has nothing to take is suspended, and resumed once by what comes`() {
        let feed = EventFeed()
        _ = Self.take(feed)
        let resumed = Atomic(0)
        var room = [UInt8](repeating: 0, count: 8)
        var suspended = 0
        let count = room.withUnsafeMutableBytes {
            feed.write(into: $0, suspend: { suspended += 1 }, resume: { resumed.add(1, ordering: .relaxed) })
        }
        #expect(count == 0 && suspended == 1 && resumed.load(ordering: .relaxed) == 0)
        feed.put(lines: [])
        #expect(resumed.load(ordering: .relaxed) == 0)
        feed.put(lines: ["a"])
        feed.put(lines: ["b"])
        #expect(resumed.load(ordering: .relaxed) == 1)
        feed.end()
        let end = room.withUnsafeMutableBytes { feed.write(into: $0, suspend: {}, resume: {}) }
        #expect(end == -1 && feed.isEnded)
    }
}
