// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings
import Testing

@testable import Limits

@Suite("Events of limits that wait for their readers")
struct LimitQueueTests {
    static func change(_ sensor: String = "s", at seconds: Double = 1) -> LimitMachine.Change {
        LimitMachine.Change(
            outcome: .crossed,
            crossing: LimitCrossing(
                sensor: sensor, quantity: "temperature", side: .above, limit: 8, value: 9, since: time(seconds)),
            value: 9, at: time(seconds))
    }

    private func numbers(
        _ queue: LimitQueue, _ reader: LimitQueue.Reader, at seconds: Double = 2
    ) -> [Int64] {
        queue.events(for: reader, limit: 9, at: time(seconds)).map(\.number)
    }

    @Test func `a reader gets an event when the event is on disk, in order, until it settles it`() {
        var queue = LimitQueue()
        for _ in 1...3 { _ = queue.add(Self.change(), for: [.mqtt, .webhook]) }
        #expect(numbers(queue, .mqtt).isEmpty)
        queue.wrote(upTo: 2)
        #expect(numbers(queue, .mqtt) == [1, 2] && numbers(queue, .webhook) == [1, 2])
        queue.settle(1, by: .mqtt)
        #expect(numbers(queue, .mqtt) == [2] && numbers(queue, .webhook) == [1, 2])
        queue.settle(1, by: .mqtt)
        queue.settle(7, by: .webhook)
        #expect(queue.waiting(for: .mqtt) == 2 && queue.waiting(for: .webhook) == 3 && queue.dropped.isEmpty)
    }

    @Test func `a disk that takes nothing holds an event back for half a minute, and none of another boot`() {
        var queue = LimitQueue()
        _ = queue.add(Self.change(at: 1), for: [.webhook])
        #expect(numbers(queue, .webhook, at: 31).isEmpty)
        #expect(numbers(queue, .webhook, at: 31.001) == [1])
        #expect(queue.events(for: .webhook, limit: 9, at: time(1, boot: "b2")).map(\.number) == [1])
    }

    @Test func `a restart has the events that were not settled, with their times, and new numbers`() {
        var (queue, kept) = (LimitQueue(), KeptFacts())
        for second in 1...3 { _ = queue.add(Self.change(at: Double(second)), for: [.mqtt, .webhook]) }
        queue.settle(1, by: .mqtt)
        queue.settle(1, by: .webhook)
        queue.settle(2, by: .mqtt)
        kept.facts.merge(queue.takeFacts().facts) { $1 }
        queue = LimitQueue()
        queue.load(from: kept)
        #expect(numbers(queue, .mqtt) == [3] && numbers(queue, .webhook) == [2, 3])
        #expect(queue.events(for: .webhook, limit: 9, at: time(9)).map(\.at.upMs) == [2_000, 3_000])
        #expect(queue.add(Self.change(), for: [.mqtt]) == 4)
    }

    @Test func `without readers an event is counted, and not kept`() {
        var queue = LimitQueue()
        _ = queue.add(Self.change(), for: [])
        #expect(queue.count == 1 && queue.takeFacts().facts == ["limit-number": "1"])
    }

    @Test func `the queue is bounded: the limit with the most events gives up its oldest one, counted`() {
        var queue = LimitQueue()
        _ = queue.add(Self.change("rare"), for: [.mqtt, .webhook])
        for _ in 0..<1_000 { _ = queue.add(Self.change("often"), for: [.mqtt, .webhook]) }
        #expect(queue.waiting(for: .mqtt) == LimitQueue.capacity)
        let lost = 1_001 - LimitQueue.capacity
        #expect(queue.dropped == [.mqtt: [.full: lost], .webhook: [.full: lost]])
        queue.wrote(upTo: .max)
        #expect(numbers(queue, .mqtt).first == 1, "the event of the rare limit is kept")
        let facts = queue.takeFacts().facts
        #expect(facts.count == LimitQueue.capacity + 1, "the facts are as many as the slots, and the number")
    }

    @Test func `a reader that is configured no more gives up its events, counted`() {
        var queue = LimitQueue()
        for _ in 1...3 { _ = queue.add(Self.change(), for: [.mqtt, .webhook]) }
        queue.retire(.webhook)
        #expect(queue.dropped == [.webhook: [.off: 3]] && queue.waiting(for: .mqtt) == 3)
    }

    @Test func `facts that cannot be read are left out`() {
        var queue = LimitQueue()
        var kept = KeptFacts()
        kept.facts = ["limit-event:0": "x", "limit-event:999": "{}", "limit-event:x": "{}", "limit-number": "x"]
        queue.load(from: kept)
        #expect(queue.waiting(for: .mqtt) == 0 && queue.add(Self.change(), for: [.mqtt]) == 1)
    }

    @Test(arguments: [nil, "x", "1", "-7"] as [String?])
    func `without the last number, numbers go on after the greatest kept event`(number: String?) {
        var (queue, kept) = (LimitQueue(), KeptFacts())
        for _ in 1...3 { _ = queue.add(Self.change(), for: [.mqtt]) }
        queue.settle(2, by: .mqtt)
        kept.facts = queue.takeFacts().facts
        kept.facts["limit-number"] = number
        queue = LimitQueue()
        queue.load(from: kept)
        #expect(numbers(queue, .mqtt) == [1, 3] && queue.add(Self.change(), for: [.mqtt]) == 4)
    }
}
