// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import Publisher

@Suite("Messages on their way")
struct InFlightWindowTests {
    private let stream = LiveLane.Stream(device: 1, characteristic: 1)
    private func at(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

    @Test func `half of the room is kept for the live lane`() {
        var window = InFlightWindow()
        window.begin(limit: 4)
        for n in 1...2 {
            #expect(window.hasRoomForHistory)
            _ = window.add(.history([Int64(n)], device: 1, octets: 10))
        }
        #expect(!window.hasRoomForHistory && window.hasRoom)
        for n in 3...4 { _ = window.add(.live(Int64(n), stream)) }
        #expect(!window.hasRoom && window.count == 4)
        window.end()
        #expect(window.isEmpty && window.hasRoomForHistory)
    }

    @Test func `octets bound history, too, and come back when a message is settled`() {
        var window = InFlightWindow()
        window.begin(limit: 100)
        let place = window.add(.history([1, 2], device: 1, octets: InFlightWindow.historyOctets))
        #expect(!window.hasRoomForHistory)
        #expect(window.settle(place, at: at(1)) != nil)
        #expect(window.settle(place, at: at(1)) == nil)
        #expect(window.hasRoomForHistory)
    }

    @Test func `a limit of nothing lets one message go`() {
        var window = InFlightWindow()
        window.begin(limit: -3)
        #expect(window.hasRoom)
        _ = window.add(.offline)
        #expect(!window.hasRoom)
    }

    @Test func `the oldest message is overdue, and one that was overtaken begins its time anew`() {
        var window = InFlightWindow()
        window.begin(limit: 4)
        let places = (1...3).map { window.add(.live($0, stream)) }
        for place in places { #expect(window.sent(place, at: at(Int64(place))) == .live) }
        #expect(window.isOverdue(at: at(11), after: .seconds(10)))
        #expect(!window.isOverdue(at: at(10), after: .seconds(10)))
        // The broker acknowledges a later message first: the oldest keeps waiting.
        _ = window.settle(places[1], at: at(9))
        window.updateOldest()
        #expect(window.isOverdue(at: at(11), after: .seconds(10)))
        _ = window.settle(places[0], at: at(9))
        window.updateOldest()
        #expect(!window.isOverdue(at: at(18), after: .seconds(10)))
        #expect(window.isOverdue(at: at(19), after: .seconds(10)))
        _ = window.settle(places[2], at: at(19))
        window.updateOldest()
        #expect(!window.isOverdue(at: at(1_000), after: .seconds(10)))
        #expect(window.lastTraffic == at(19))
    }

    @Test func `it knows rows, lanes, devices and sizes`() {
        var window = InFlightWindow()
        window.begin(limit: 10)
        _ = window.add(.live(1, stream))
        let several = window.add(.history([2, 3], device: 2, octets: 50))
        #expect(window.sent(several, at: at(1)) == .history(rows: 2))
        #expect(window.sent(1_000, at: at(1)) == nil)
        #expect(window.rowAlone == nil)
        let single = window.add(.history([4], device: 3, octets: 90))
        let control = window.add(.control(OutgoingMessage(topic: "t", payload: [])))
        #expect(window.sent(control, at: at(1)) == .other)
        #expect(window.rows == [1, 2, 3, 4])
        #expect(window.live.map(\.n) == [1])
        #expect(window.historyCount == 2)
        #expect(window.largest == .init(gathered: 50, single: 90))
        let busy = [1, 2, 3].map { [window.isBusy(with: $0, on: .live), window.isBusy(with: $0, on: .history)] }
        #expect(busy == [[true, false], [false, true], [false, true]])
        _ = window.take(several)
        #expect(window.rowAlone == nil, "a live message was sent before it")
        window.end()
        #expect(window.rows.isEmpty && window.historyCount == 0)
        _ = window.add(.history([5], device: 3, octets: 90))
        _ = window.add(.live(6, stream))
        #expect(window.rowAlone == 5)
        #expect(window.take(single) == nil)
    }
}
