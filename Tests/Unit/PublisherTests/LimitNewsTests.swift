// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import MQTT
import Testing

@testable import GatewayBench
@testable import Limits
@testable import Publisher

/// Events of limits that the broker does not take.
struct LimitNewsTests {
    private static let time = LimitTime(boot: MachineBench.boot, upMs: 99_000, unixMs: nil)

    private static func event(_ number: Int64) -> LimitEvent {
        LimitEvent(
            number: number, outcome: .crossed,
            crossing: LimitCrossing(
                sensor: "fridge", quantity: "temperature", side: .above, limit: 8, value: 9, since: time),
            value: 9, at: time)
    }

    private func publish(_ news: LimitNews, _ bench: inout MachineBench) {
        var moment = bench.moment
        moment.limits = news
        bench.machine.publish(at: moment, from: bench.table, isWriting: false)
        bench.perform()
    }

    @Test func `an event that a used up quota refuses goes again after the pause, on the same connection`() throws {
        var bench = MachineBench()
        bench.beginQuietly()
        var news = LimitNews(revision: 1, events: [Self.event(1), Self.event(2)])
        publish(news, &bench)
        #expect(bench.waiting.compactMap(\.message.limit) == [1, 2])
        let place = try #require(bench.waiting.firstIndex { $0.message.limit == 1 })
        bench.waiting.insert(bench.waiting.remove(at: place), at: 0)
        bench.refuseOldest(.quotaExceeded)
        bench.acknowledgeAll()
        #expect(bench.limitsTold == [2])
        news.events.removeLast()
        publish(news, &bench)
        #expect(bench.waiting.compactMap(\.message.limit).isEmpty, "nothing goes out during the pause")
        bench.uptime += 1_000
        publish(news, &bench)
        #expect(bench.waiting.compactMap(\.message.limit) == [1])
        bench.acknowledgeAll()
        #expect(bench.limitsTold == [2, 1])
    }
}
