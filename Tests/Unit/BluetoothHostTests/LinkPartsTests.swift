// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import HCI
import Testing

@testable import BluetoothHost

/// The parts of a link, each by itself.
struct LinkPartsTests {
    private static func at(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }
    private static let one = ClientSet(ClientID(rawValue: 1))
    private static let two = ClientSet(ClientID(rawValue: 2))

    @Test
    func `an end begins once, is tried again when it is due, and is taken back where nobody but a client wanted it`() {
        var ending = LinkEnding()
        let beginnings = [ending.begin(), ending.begin()]
        #expect(beginnings == [true, false] && ending.isUnderway)
        ending.refused(nextAt: Self.at(5))
        let tries = [4, 5, 6].map { ending.takeDue(at: Self.at($0)) }
        #expect(tries == [false, true, false])
        ending.failed(nextAt: Self.at(9))
        #expect(!ending.isUnderway && ending.due == nil)
        // For a reason of ours nobody may go on.
        _ = ending.begin()
        ending.record(.authenticationFailure)
        ending.failed(nextAt: Self.at(9))
        #expect(ending.isUnderway && ending.due == Self.at(9) && ending.reason == .authenticationFailure)
    }

    @Test func `parameters change one at a time, and the last that were wanted meanwhile come next`() {
        let (slow, fast, other) = (
            ConnectionParameters.highLatency, ConnectionParameters.lowLatency, ConnectionParameters.standard
        )
        var parameters = LinkParameters(due: Self.at(5))
        let began = [parameters.begin(slow), parameters.begin(fast), parameters.begin(other)]
        #expect(began == [true, false, false] && parameters.isUpdating)
        let next = [parameters.ended(), parameters.ended()]
        #expect(next == [other, nil] && !parameters.isUpdating)
    }

    @Test func `a request waits for its time, and an answer is taken once`() {
        var parameters = LinkParameters(due: Self.at(5))
        parameters.request(.highLatency)
        let early = parameters.takeRequest(at: Self.at(4))
        #expect(early == nil && parameters.requested == .highLatency)
        let taken = [parameters.takeRequest(at: Self.at(5)), parameters.takeRequest(at: Self.at(6))]
        #expect(taken == [.highLatency, nil])
        parameters.ask(.highLatency)
        let asked = [parameters.takeAsked(), parameters.takeAsked()]
        #expect(asked == [.highLatency, nil])
    }

    @Test func `the first subscriber is told to the peer, and the last one that leaves`() {
        var subscriptions = LinkSubscriptions()
        let changes = [
            subscriptions.change(of: 7, .notification, for: Self.one),
            subscriptions.change(of: 7, .notification, for: Self.two),
        ]
        #expect(changes == [true, false] && subscriptions.clients(of: 7) == Self.one.union(Self.two))
        subscriptions.asked(.own, for: 7, end: 9)
        let first = subscriptions.leave(Self.one)
        let left = subscriptions.leave(Self.two)
        let again = subscriptions.leave(Self.two)
        #expect(first.isEmpty && again.isEmpty)
        #expect(left.map(\.value) == [7] && left.map(\.end) == [9])
    }

    @Test func `a refused subscription is nobody's, and what moved away is off`() {
        var subscriptions = LinkSubscriptions()
        for value in [UInt16(7), 20] { _ = subscriptions.change(of: value, .notification, for: Self.one) }
        subscriptions.asked(.own, for: 7, end: 9)
        subscriptions.answered(.own, isRefusal: true, for: Self.one)
        #expect(subscriptions.clients(of: 7).isEmpty && subscriptions.clients(of: 20) == Self.one)
        subscriptions.forget(15...30)
        #expect(subscriptions.clients(of: 20).isEmpty)
    }

    @Test func `an indication is confirmed when all have taken care of it, and the last one counts`() {
        var owed = OwedConfirmation()
        let first = owed.record(for: Self.one)
        let second = owed.record(for: Self.one.union(Self.two))
        #expect(first != second)
        let confirmed = [
            owed.confirm(first, by: Self.one), owed.confirm(second, by: Self.one), owed.confirm(nil, by: Self.one),
            owed.confirm(nil, by: Self.two), owed.confirm(nil, by: Self.two),
        ]
        #expect(confirmed == [false, false, false, true, false])
    }

    @Test func `a client begins once, and forgotten services are searched for again`() {
        var discovery = LinkDiscovery()
        let beginnings = [discovery.begin(), discovery.begin()]
        #expect(beginnings == [true, false])
        discovery.remember([BluetoothUUID(0x180D as UInt16)])
        discovery.search()
        #expect(discovery.isSearched && discovery.services.count == 1)
        discovery.forget()
        #expect(!discovery.isSearched && discovery.services.isEmpty)
    }

    @Test func `what is kept of a served peer is given once, and a bond tells who a peer is`() {
        var served = ServedPeer()
        let restored = [served.restore(), served.restore()]
        #expect(restored == [true, false] && !served.wasToldToEncrypt)
        served.refusedForEncryption()
        #expect(served.wasToldToEncrypt)
        let (stranger, identity) = (
            DeviceAddress(kind: .random, value: 0x4000_0000_0001), DeviceAddress(kind: .public, value: 7)
        )
        var known = LinkIdentity(of: stranger)
        #expect(known.address == nil && !known.isBonded && LinkIdentity(of: identity).address == identity)
        known.learned(identity)
        #expect(known.address == identity && known.isBonded)
    }
}
