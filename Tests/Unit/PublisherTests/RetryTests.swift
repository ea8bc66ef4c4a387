// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import MQTT
@testable import Publisher

/// The parts of the publisher's loop that decide on connection attempts.
struct RetryTests {
    @Test func `failures are told of at doubling distances, and a connection ends the count`() {
        var retries = RetrySchedule(.seconds(1)...(.seconds(8)), takenOver: .seconds(60)...(.seconds(600)))
        #expect(retries.isFirst && retries.reconnects == 0)
        var told: [Int] = []
        for number in 1...20 {
            _ = retries.failed(after: .zero, wasAccepted: false)
            if retries.isNews { told.append(number) }
        }
        #expect(told == [1, 2, 4, 8, 16] && !retries.isFirst)
        retries.connected()
        retries.connected()
        #expect(retries.failures == 0 && retries.reconnects == 1 && retries.nextIsNews)
    }

    @Test func `waits double until a connection has stood for long`() {
        var retries = RetrySchedule(.seconds(1)...(.seconds(8)), takenOver: .seconds(60)...(.seconds(600)))
        var waits: [Duration] = []
        for _ in 0..<5 {
            _ = retries.failed(after: .seconds(1), wasAccepted: true)
            waits.append(retries.wait(after: .noAnswer, spread: 1))
        }
        #expect(waits == [.seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(8)])
        let wasStable = retries.failed(after: RetrySchedule.stableTime, wasAccepted: true)
        waits = [retries.wait(after: .noAnswer, spread: 1)]
        // The attempt took as long, and the broker never accepted it.
        let isStable = retries.failed(after: RetrySchedule.stableTime, wasAccepted: false)
        waits.append(retries.wait(after: .noAnswer, spread: 1))
        #expect(wasStable && !isStable && waits == [.seconds(1), .seconds(2)])
        let contests = [retries.waitOfContest(spread: 1), retries.waitOfContest(spread: 1)]
        #expect(contests == [.seconds(60), .seconds(120)])
        _ = retries.failed(after: .seconds(600), wasAccepted: true)
        let contest = retries.waitOfContest(spread: 1)
        #expect(contest == .seconds(60))
    }

    @Test func `an address is to blame until the broker has spoken, and others are tried at once, a few of them`() {
        var attempt = ConnectionTry()
        let early = attempt.blame(for: .noAnswer)
        #expect(early == nil, "nothing was reached")
        attempt.begin()
        attempt.reached(ConnectionTry.Dialed(host: "10.0.0.1", hasOthers: true))
        for number in 0..<(NameLookup.limit + 2) {
            let blame = attempt.blame(for: .noAnswer)
            #expect(blame?.host == "10.0.0.1" && blame?.triesNext == (number < NameLookup.limit))
        }
        attempt.roundIsOver()
        let next = attempt.blame(for: .noAnswer)
        #expect(next?.triesNext == true)
        attempt.accepted()
        let late = attempt.blame(for: .noAnswer)
        #expect(late == nil, "the broker has spoken")
        attempt.begin()
        #expect(attempt.dialed == nil && !attempt.wasAccepted && attempt.step == .name)
    }
}
