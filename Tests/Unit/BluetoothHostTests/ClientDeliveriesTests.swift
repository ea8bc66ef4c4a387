// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import BluetoothHost

/// Clients that hold up reading: for how long, and what follows.
struct ClientDeliveriesTests {
    private let stuck = ClientID(rawValue: 1)
    private let other = ClientID(rawValue: 2)
    private let looker = ClientID(rawValue: 3)
    private let patience = ClientDeliveries.patience

    private func deliveries(hasOther: Bool = true) -> ClientDeliveries {
        var deliveries = ClientDeliveries()
        deliveries.add(stuck, isPassive: false)
        if hasOther { deliveries.add(other, isPassive: false) }
        deliveries.add(looker, isPassive: true)
        return deliveries
    }

    private func fill(_ deliveries: inout ClientDeliveries, at now: MonotonicTime = .zero) {
        for count in 1...ClientDeliveries.limit {
            #expect(deliveries.allKeepUp)
            let isTaken = deliveries.deliver(to: stuck, at: now)
            #expect(isTaken && deliveries.unhandled(by: stuck) == count)
        }
        #expect(!deliveries.allKeepUp)
    }

    @Test func `one client's batches do not count as another's`() {
        var deliveries = deliveries()
        for _ in 1..<ClientDeliveries.limit {
            for client in [stuck, other] { _ = deliveries.deliver(to: client, at: .zero) }
        }
        #expect(deliveries.allKeepUp && deliveries.deadline == nil)
        let progress = deliveries.handled(by: other, at: .zero)
        #expect(progress == .none)
        #expect(deliveries.unhandled(by: stuck) == ClientDeliveries.limit - 1)
    }

    @Test func `a client that gets on holds up reading as long as it takes`() {
        var deliveries = deliveries()
        fill(&deliveries)
        var now = MonotonicTime.zero
        for _ in 0..<100 {
            now = now + (patience - .milliseconds(1))
            #expect(deliveries.stuck(at: now).isEmpty)
            let progress = deliveries.handled(by: stuck, at: now)
            #expect(progress == .isNews && deliveries.allKeepUp)
            let isTaken = deliveries.deliver(to: stuck, at: now)
            #expect(isTaken && !deliveries.allKeepUp)
            #expect(deliveries.deadline == now + patience)
        }
    }

    @Test func `one that stands still is cut off, gets nothing, and comes back when it has handled all`() {
        var deliveries = deliveries()
        fill(&deliveries)
        #expect(deliveries.deadline == MonotonicTime.zero + patience)
        #expect(deliveries.stuck(at: .zero + (patience - .milliseconds(1))) == [])
        #expect(deliveries.stuck(at: .zero + patience) == [stuck])
        deliveries.cutOff(stuck)
        let now = MonotonicTime.zero + patience
        #expect(deliveries.allKeepUp && deliveries.deadline == nil && deliveries.stuck(at: now) == [])
        let taken = (deliveries.deliver(to: stuck, at: now), deliveries.deliver(to: other, at: now))
        #expect(!taken.0 && taken.1)
        for left in (0..<ClientDeliveries.limit).reversed() {
            #expect(deliveries.returning == [])
            let progress = deliveries.handled(by: stuck, at: now)
            #expect(progress == (left == 0 ? .isNews : .none))
        }
        #expect(deliveries.returning == [stuck])
        deliveries.readmit(stuck)
        let isTaken = deliveries.deliver(to: stuck, at: now)
        #expect(deliveries.returning == [] && isTaken)
    }

    @Test func `nobody is cut off where nobody else would wait for it`() {
        var deliveries = deliveries(hasOther: false)
        fill(&deliveries)
        #expect(deliveries.deadline == nil && deliveries.stuck(at: .zero + .seconds(3600)) == [])
        #expect(!deliveries.allKeepUp)
    }

    @Test func `a client that is gone holds up nothing, and its number is free when its queue is empty`() {
        var deliveries = deliveries()
        fill(&deliveries)
        let isFree = deliveries.remove(stuck)
        #expect(!isFree && deliveries.allKeepUp)
        for left in (0..<ClientDeliveries.limit).reversed() {
            let progress = deliveries.handled(by: stuck, at: .zero)
            #expect(progress == (left == 0 ? .isGone : .none))
        }
        let last = deliveries.handled(by: stuck, at: .zero)
        let isOtherFree = deliveries.remove(other)
        #expect(last == .none && isOtherFree)
    }
}
