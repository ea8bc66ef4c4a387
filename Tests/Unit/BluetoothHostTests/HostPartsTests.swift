// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import BluetoothHost

/// Parts of the host on one controller, each by itself.
@Suite("Parts of the host")
struct HostPartsTests {
    private func at(_ milliseconds: Int64) -> MonotonicTime { .zero + .milliseconds(milliseconds) }

    @Test func `a value after a pause is delivered at once, and those of a stream together`() {
        var pace = ReadingPace()
        var delivered: [Int64] = []
        for millisecond: Int64 in [100, 101, 102, 103, 104, 105, 200] {
            guard pace.beginTurn(isReadable: !pace.isResting, at: at(millisecond)) else { continue }
            pace.read(isAll: true)
            pace.finishReading(mayRead: true)
            guard pace.delivers(isFrequent: true, at: at(millisecond)) else { continue }
            pace.delivered(at: at(millisecond))
            delivered.append(millisecond)
        }
        #expect(delivered == [100, 102, 104, 200])
    }

    @Test func `what is no value is delivered in a rest, too`() {
        var pace = ReadingPace()
        pace.delivered(at: at(100))
        let delivers = [pace.delivers(isFrequent: true, at: at(101)), pace.delivers(isFrequent: false, at: at(101))]
        #expect(delivers == [false, true])
        #expect(pace.restUntil == at(102))
        let mayRead = [pace.beginTurn(isReadable: false, at: at(101)), pace.beginTurn(isReadable: false, at: at(102))]
        #expect(mayRead == [false, true])
        #expect(!pace.isResting)
    }

    @Test func `there is no rest while not everything is read`() {
        var pace = ReadingPace()
        pace.delivered(at: at(100))
        pace.read(isAll: false)
        let delivers = pace.delivers(isFrequent: true, at: at(101))
        #expect(delivers && !pace.isResting)
    }

    @Test func `a host whose clients did not keep up is behind until it has read all`() {
        var pace = ReadingPace()
        pace.finishReading(mayRead: false)
        #expect(pace.isBehind)
        let mayRead = pace.beginTurn(isReadable: false, at: at(1))
        #expect(mayRead)
        pace.read(isAll: false)
        pace.finishReading(mayRead: true)
        #expect(pace.isBehind)
        pace.read(isAll: true)
        pace.finishReading(mayRead: true)
        #expect(!pace.isBehind)
    }

    @Test func `changes of the identity share one, which waits for links, but not for ever`() {
        var change = IdentityChange()
        let isFirst = [change.begin(at: at(0)) { _ in }, change.begin(at: at(1_000)) { _ in }]
        #expect(isFirst == [true, false])
        #expect(change.deadline == at(2_000))
        let early = change.takeDue(hasLinks: true, at: at(1_999))
        #expect(early == nil)
        #expect(change.takeDue(hasLinks: true, at: at(2_000))?.count == 2)
        let isFirstAgain = change.begin(at: at(3_000)) { _ in }
        #expect(isFirstAgain)
        #expect(change.takeDue(hasLinks: false, at: at(3_000))?.count == 1)
        #expect(change.deadline == nil && change.takeAll().isEmpty)
    }

    @Test func `the end waits for links, but not for ever, and tells everybody once`() {
        var end = HostShutDown()
        #expect(!end.isDue(hasLinks: false, at: at(0)))
        let isFirst = [end.begin(at: at(0)) {}, end.begin(at: at(1)) {}]
        #expect(isFirst == [true, false])
        #expect(end.isDue(hasLinks: false, at: at(1)) && !end.isDue(hasLinks: true, at: at(1)))
        #expect(end.isDue(hasLinks: true, at: at(2_000)))
        let counts = [end.finish().count, end.finish().count]
        #expect(counts == [2, 0])
        #expect(end.deadline != nil, "nothing is opened again")
    }
}
