// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Testing

@testable import Collector

@Suite struct SlotShareTests {
    @Test func `links are shared once for all that changes in a wake-up`() {
        var share = SlotShare()
        let first = share.request()
        let second = share.request()
        #expect(first && !second)
        share.begin()
        let next = share.request()
        #expect(next)
    }

    @Test func `one link more than is known is tried an hour after a refusal, and only where somebody wants it`() {
        var share = SlotShare()
        #expect(share.links(known: 3, claims: 5, at: .max) == 3, "the controller has refused none yet")
        share.refused(at: 1_000)
        #expect(share.links(known: 3, claims: 5, at: 1_000 + SlotShare.probePause - 1) == 3)
        #expect(share.links(known: 3, claims: 5, at: 1_000 + SlotShare.probePause) == 4)
        #expect(share.links(known: 3, claims: 3, at: 1_000 + SlotShare.probePause) == 3)
        share.refused(at: .max)
        #expect(share.links(known: 3, claims: 5, at: .max - 1) == 3, "a time beyond the clock's end stays there")
    }

    @Test func `a shortage is told when it begins and when it ends, and stays while resting sensors come back`() {
        var share = SlotShare()
        var changes: [SlotShare.Change?] = []
        for (claims, resting, links) in [(3, 0, 3), (5, 1, 3), (6, 0, 3), (2, 3, 3), (2, 1, 3), (2, 0, 3)] {
            changes.append(share.record(claims: claims, resting: resting, links: links))
        }
        #expect(changes == [nil, .began(SlotShortage(sensors: 6, links: 3)), nil, nil, .ended, nil])
        #expect(share.shortage == nil)
    }

    @Test func `a deadline is taken once`() {
        var share = SlotShare()
        let (early, late) = (DispatchTime(uptimeNanoseconds: 5), DispatchTime(uptimeNanoseconds: 7))
        share.look(at: late)
        let before = share.takeDeadline(at: early)
        let taken = share.takeDeadline(at: late)
        let again = share.takeDeadline(at: late)
        #expect(!before && taken && !again && share.deadline == nil)
    }
}
