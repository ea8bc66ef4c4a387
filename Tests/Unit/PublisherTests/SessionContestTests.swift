// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Testing

@testable import GatewayBench
@testable import Journal
@testable import MQTT
@testable import Publisher
@testable import Readings

/// Two clients with one id, and a broker that does not report the conflict.
@Suite("Contested sessions", .serialized)
struct SessionContestTests {
    private static let lost = MQTTFailure.library(code: Int32(MOSQ_ERR_CONN_LOST.rawValue), detail: nil)

    @Test func `three connections in a row that are soon lost without a word are a contest, until one lasts`() {
        var contest = SessionContest()
        let isContested = (0..<5).map { _ in
            contest.ended(Self.lost, after: .seconds(2), isOverMessages: false)
        }
        #expect(isContested == [false, false, true, true, true])
        contest.waits(.seconds(40))
        // The other side waits, too.
        let later = [150, 161, 2].map { contest.ended(Self.lost, after: .seconds($0), isOverMessages: false) }
        #expect(later == [true, false, false])
    }

    @Test(arguments: 0..<4)
    func `anything else is none`(_ other: Int) {
        var contest = SessionContest()
        for _ in 0..<10 {
            let isContested =
                switch other {
                case 0: contest.ended(Self.lost, after: .seconds(31), isOverMessages: false)
                case 1: contest.ended(Self.lost, after: nil, isOverMessages: false)
                case 2: contest.ended(Self.lost, after: .seconds(2), isOverMessages: true)
                default: contest.ended(.disconnected(.notAuthorized), after: .seconds(2), isOverMessages: false)
                }
            #expect(!isContested)
        }
    }

    @Test func `a broker that hangs up soon, again and again, is not asked again soon`() async throws {
        let broker = try ScriptedBroker { event in
            if case .connect = event { return [.connack(), .sleep(milliseconds: 20), .close] }
            return ScriptedBroker.obliging(event)
        }
        let rig = try Rig(broker)
        let log = LogLines()
        let publisher = rig.publisher(logger: log.logger)
        publisher.start()
        #expect(await eventually { publisher.statistics.lastError?.contains("perhaps another client uses") == true })
        #expect(publisher.statistics.lastError?.contains("martlet-gw-test") == true)
        #expect(publisher.statistics.lastError?.contains("martlet identity --new-gateway") == true)
        publisher.stop(drainingFor: .zero)
        #expect(broker.connects.count == 3)
        let waits = log.text.matches(of: /mqtt\.next_try=([0-9.]+) seconds/).compactMap { Double($0.1) }
        #expect(waits.count == 3)
        #expect((waits.last ?? 0) >= 15, "half of 30 seconds at the least, though ordinary waits are short here")
        // To a tenth of a second, or a millisecond.
        #expect(log.text.matches(of: /next_try=[0-9]+\.[0-9]{4}/).isEmpty, "\(log.text)")
    }

    @Test func `two gateways with one id do not throw each other out for ever`() async throws {
        let broker = try Broker()
        let rigs = try (0..<2).map { _ in try Rig(broker) }
        let logs = rigs.map { _ in LogLines() }
        let publishers = zip(rigs, logs).map { rig, log in
            rig.publisher(logger: log.logger) { $0.clientID = "same" }
        }
        for publisher in publishers { publisher.start() }
        #expect(
            await eventually {
                logs.contains { $0.text.contains("another client") && $0.text.contains("same") }
            })
        // One publisher waits now, and the other has the connection.
        #expect(await eventually { publishers.contains { $0.statistics.connected } })
        for rig in rigs { rig.append(5) }
        #expect(await eventually { rigs.contains { $0.journal.statistics.delivered == 5 } })
        for publisher in publishers { publisher.stop(drainingFor: .zero) }
    }
}
