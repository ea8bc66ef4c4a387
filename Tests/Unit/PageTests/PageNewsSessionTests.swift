// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import Gateway
@testable import GatewayBench
@testable import Page

/// A visitor's events end with the visitor's session.
struct PageNewsSessionTests {
    private final class Sessions: Sendable {
        let over = Mutex<Set<String>>([])
    }

    @Test func `of feeds whose session is over none goes on, and all others do`() async throws {
        let scene = try OperationsScene()
        let sessions = Sessions()
        let news = PageNews(scene.gateway, PageExtras()) { session in !sessions.over.withLock { $0.contains(session) } }
        var feeds: [EventFeed] = []
        for session in ["a", "b", "a", nil] {
            feeds.append(try #require(await news.follow(isLocked: session != nil, session: session)))
        }
        await news.endOver()
        #expect(feeds.map(\.isEnded) == [false, false, false, false])
        sessions.over.withLock { _ = $0.insert("a") }
        await news.endOver()
        #expect(feeds.map(\.isEnded) == [true, false, true, false])
        // A session that ends while its feed begins.
        let late = try #require(await news.follow(isLocked: true, session: "a"))
        #expect(late.isEnded)
        // A session that ends without a report, for example by its age, ends its feed at the next check.
        await news.start()
        sessions.over.withLock { _ = $0.insert("b") }
        let isOver = await eventually(within: .seconds(60)) { feeds[1].isEnded }
        #expect(isOver)
        #expect(!feeds[3].isEnded)
        await news.stop()
    }
}
