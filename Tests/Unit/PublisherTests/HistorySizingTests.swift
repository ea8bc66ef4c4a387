// SPDX-License-Identifier: Apache-2.0

import MQTT
import Testing

@testable import Publisher

@Suite("Sizes of history messages")
struct HistorySizingTests {
    private static let wordless = MQTTFailure.library(code: LibraryCode.connectionLost, detail: nil)
    private static let said = MQTTFailure.disconnected(.packetTooLarge)

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// Rows and octets of the history messages under way at the end.
        var history: [(rows: Int, octets: Int)] = []
        var isLiveOnItsWay = false
        /// The end of each connection, in order.
        let ends: [MQTTFailure]
        var hasDelivered = false
        var isOverdue = false
        let verdict: HistorySizing.Verdict
        var limit = 1_000
        var goesAlone = false
    }

    private static let rows = [
        Row(testDescription: "no history, no suspicion", ends: [wordless, wordless, wordless], verdict: .nothing),
        Row(testDescription: "one end may be an outage", history: [(10, 800)], ends: [wordless], verdict: .nothing),
        Row(
            testDescription: "two in a row are suspicious", history: [(10, 800)], ends: [wordless, wordless],
            verdict: .smaller(than: 800, isSaid: false), limit: 400),
        Row(
            testDescription: "a word is believed at once", history: [(10, 800)], ends: [said],
            verdict: .smaller(than: 800, isSaid: true), limit: 400),
        Row(
            testDescription: "a broker that has taken some is not suspected", history: [(10, 800)],
            ends: [wordless, wordless, wordless], hasDelivered: true, verdict: .nothing),
        Row(
            testDescription: "a connection that we ended says nothing", history: [(10, 800)],
            ends: [wordless, wordless, wordless], isOverdue: true, verdict: .nothing),
        Row(
            testDescription: "the largest is a single row: it goes alone", history: [(1, 900), (10, 800)],
            ends: [wordless, wordless], verdict: .nothing, goesAlone: true),
        Row(
            testDescription: "a row alone, and a word: it is refused", history: [(1, 900)], ends: [said],
            verdict: .refused(7)),
        Row(
            testDescription: "a row that is not alone is not refused", history: [(1, 900)], isLiveOnItsWay: true,
            ends: [said], verdict: .nothing, goesAlone: true),
        Row(
            testDescription: "a row over which it hangs up is not given up before the fifth time", history: [(1, 900)],
            ends: Array(repeating: wordless, count: HistorySizing.triesOfOneRow), verdict: .nothing, goesAlone: true),
        Row(
            testDescription: "and then it is, and sizes begin anew", history: [(1, 900)],
            ends: Array(repeating: wordless, count: HistorySizing.triesOfOneRow + 1),
            verdict: .blamed(7, connections: HistorySizing.triesOfOneRow)),
    ]

    @Test(arguments: rows)
    func `an end of a connection`(row: Row) {
        var sizing = HistorySizing(limit: 1_000)
        var verdict = HistorySizing.Verdict.nothing
        for end in row.ends {
            var window = InFlightWindow()
            for message in row.history {
                let numbers = (0..<Int64(message.rows)).map { 7 + $0 }
                _ = window.add(.history(numbers, device: 1, octets: message.octets))
            }
            if row.isLiveOnItsWay { _ = window.add(.live(99, .init(device: 1, characteristic: 1))) }
            sizing.begin(sizing.sizes, maximumMessage: .max)
            if row.hasDelivered { sizing.delivered() }
            verdict = sizing.end(end, isOverdue: row.isOverdue, window)
            #expect(sizing.endedOverHistory == (!row.history.isEmpty && !row.hasDelivered))
        }
        #expect(verdict == row.verdict)
        #expect(sizing.limit == row.limit)
        #expect(sizing.goesAlone == row.goesAlone)
    }

    @Test func `a message that goes alone and live values take turns`() {
        var sizing = HistorySizing(limit: 1_000)
        var sizes = HistorySizes(limit: 1_000)
        sizes.alone = 2
        sizing.begin(sizes, maximumMessage: .max)
        var turns: [Bool] = []
        for _ in 0..<4 {
            turns.append(sizing.isHistorysTurn)
            if sizing.isHistorysTurn {
                sizing.hadTurn(true)
                sizing.sent()
            } else {
                sizing.hadTurn(false)
            }
        }
        #expect(turns == [true, false, true, false])
        #expect(!sizing.goesAlone)
    }

    @Test func `the broker's own word bounds a message, and what nobody sends is not shrunk`() {
        var sizing = HistorySizing(limit: 1_000)
        sizing.begin(nil, maximumMessage: 300)
        #expect(sizing.limit == 300)
        let isShrunk = [sizing.shrink(below: 600), sizing.shrink(below: 500)]
        #expect(isShrunk == [false, true])
        #expect(sizing.limit == 250)
        sizing.begin(nil, maximumMessage: -5)
        #expect(sizing.limit == 1)
    }
}
