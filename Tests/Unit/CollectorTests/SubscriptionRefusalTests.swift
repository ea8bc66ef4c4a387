// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import Collector

struct SubscriptionRefusalTests {
    private static let place = SensorRule.Feed(
        service: BluetoothUUID(0x181A as UInt16), characteristic: BluetoothUUID(0x2A6E as UInt16))

    /// The answers of a table to refusals in as many set-ups, of each of these instances.
    private func answers(_ setUps: Int, _ instances: [Int]) -> [[Bool]] {
        var feeds = FeedTable()
        return (0..<setUps).map { _ in instances.map { feeds.refused(Self.place, instance: $0) } }
    }

    @Test func `the third set-up in a row with a refusal is the last one over the refusal`() {
        #expect(answers(4, [1]) == [[false], [false], [true], [true]])
    }

    @Test func `two characteristics of one name count apart`() {
        #expect(answers(3, [1, 2]) == [[false, false], [false, false], [true, true]])
    }

    @Test func `a subscription takes back the refusals of its own characteristic`() {
        var feeds = FeedTable()
        for _ in 0..<2 { for instance in [1, 2] { _ = feeds.refused(Self.place, instance: instance) } }
        feeds.subscribed(to: Self.place, instance: 1)
        let answers = [1, 2].map { feeds.refused(Self.place, instance: $0) }
        #expect(answers == [false, true])
    }

    @Test func `a characteristic without a name in rules is not counted`() {
        var feeds = FeedTable()
        let answers = (0..<4).map { _ in feeds.refused(nil, instance: 1) }
        #expect(!answers.contains(true))
    }
}
