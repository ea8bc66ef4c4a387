// SPDX-License-Identifier: Apache-2.0

import Logging
import MQTT
import Testing

@testable import GatewayBench
@testable import Publisher
@testable import Readings

/// A sentence about a broker rests on an observation, or is marked as a guess.
@Suite("Stated reasons about a broker")
struct ClaimedReasonTests {
    @Test(arguments: 0...UInt8.max)
    func `the codes of MQTT are no proof of another client`(code: UInt8) {
        let text = "\(MQTTReason(rawValue: code))"
        #expect(!text.contains("another client") || text.contains("perhaps another client"), "\(text)")
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// Nil: the connection ends without a word.
        var failure: MQTTFailure?
        /// The number of packets that the broker acknowledges before it hangs up.
        var acknowledged = 0
        let says: String?
    }

    private static let said = "the broker says that messages of this size are too large"
    private static let guessed = "perhaps because its messages are too large"

    @Test(arguments: [
        Row(testDescription: "the broker says so", failure: .disconnected(.packetTooLarge), says: said),
        Row(testDescription: "it hangs up", says: guessed),
        Row(testDescription: "it hangs up after each PUBACK", acknowledged: 1, says: guessed),
    ])
    func `a size is named where the broker has named it, and else is a guess`(row: Row) {
        var bench = MachineBench { $0.liveWindow = .seconds(-1) }
        for _ in 0..<40 { bench.append(bench.uptime - 50_000) }
        let wordless = MQTTFailure.library(code: LibraryCode.connectionLost, detail: nil)
        var sizes: HistorySizes?
        for _ in 0..<3 {
            bench.machine.begin(MQTTConnection.Acceptance(), sizes: sizes, at: bench.moment.now, from: bench.table)
            bench.perform()
            bench.publish()
            let settled = bench.waiting.prefix(row.acknowledged).map {
                (place: $0.place, reason: MQTTReason(rawValue: 0))
            }
            bench.machine.settle(settled, at: bench.moment, from: bench.table)
            bench.machine.end(row.failure ?? wordless, at: bench.moment.now)
            bench.perform()
            bench.waiting = []
            sizes = bench.machine.sizes
        }
        let line = bench.lines.first { $0.contains("smaller ones") }
        #expect(line?.contains(row.says ?? "") == true, "\(bench.lines)")
    }
}
