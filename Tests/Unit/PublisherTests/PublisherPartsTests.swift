// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Logging
import MQTT
import Platform
import Testing

@testable import GatewayBench
@testable import Publisher
@testable import Readings

/// Parts of the publisher's machine, each by itself.
@Suite("Parts of the publisher")
struct PublisherPartsTests {
    private func at(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

    @Test func `a journal that cannot be read is left alone for a second, and said at doubling distances`() {
        var reading = ReadRetry()
        #expect(reading.isOpen(at: .zero) && reading.wait(from: .zero) == nil)
        let said = (1...8).compactMap { reading.failed(at: at($0)) }
        #expect(said == [1, 2, 4, 8])
        #expect(!reading.isOpen(at: at(8)) && reading.wait(from: at(8)) == .seconds(1))
        // The turn of the failure counts as no success.
        reading.succeeded(at: at(8))
        let ninth = reading.failed(at: at(9))
        #expect(ninth == nil)
        reading.succeeded(at: at(10))
        let again = reading.failed(at: at(11))
        #expect(again == 1)
    }

    @Test func `the advice on an access list names the topics that are refused`() {
        let own = BrokerRefusals.words(.notAuthorized, of: "site/martlet/gw/a/info", prefix: "site/martlet")
        #expect(own == "\(MQTTReason.notAuthorized)" && own.contains("below the topic prefix"))
        var refusals = BrokerRefusals()
        _ = refusals.refused("homeassistant/device/a/config", .notAuthorized, prefix: "site/martlet")
        let complaint = refusals.complaint ?? ""
        #expect(complaint.hasPrefix("homeassistant/device/a/config refused: Not authorized (0x87): "), "\(complaint)")
        #expect(complaint.hasSuffix("allow this user to publish below homeassistant/ (the broker's access list)"))
        // Another prefix that begins with the same letters.
        #expect(BrokerRefusals.words(.notAuthorized, of: "martlet2/x", prefix: "martlet").contains("below martlet2/"))
        let large = BrokerRefusals.words(.packetTooLarge, of: "homeassistant/a", prefix: "martlet")
        #expect(large == "\(MQTTReason.packetTooLarge)")
    }

    @Test func `a refused topic is said once for each reason, and again after it was taken`() {
        var refusals = BrokerRefusals()
        let news: [Bool] = [MQTTReason.notAuthorized, .notAuthorized, .packetTooLarge].map {
            refusals.refused("t", $0, prefix: "m")
        }
        #expect(news == [true, false, true])
        #expect(refusals.complaint == "t refused: \(MQTTReason.packetTooLarge)")
        refusals.taken("t")
        let isNews = refusals.refused("t", .packetTooLarge, prefix: "m")
        #expect(isNews)
        refusals.begin()
        #expect(refusals.complaint == nil)
        refusals.complain("so")
        refusals.withdraw()
        #expect(refusals.complaint == nil)
    }

    @Test func `a used up quota holds up everything until it is over and nothing is on its way`() {
        var refusals = BrokerRefusals()
        let wait = refusals.pause(.quotaExceeded, at: at(1), spread: 1)
        #expect(wait == .seconds(1) && refusals.pauseEnd == at(2))
        let paused = [(1, true), (2, false), (2, true)].map { refusals.isPaused(at: at($0), isIdle: $1) }
        #expect(paused == [true, true, false])
        #expect(refusals.complaint == "\(MQTTReason.quotaExceeded)")
    }

    @Test func `what is said of the gateway is said once a connection, what happened once only`() {
        var news = GatewayNews(Sample.information)
        let isNews = news.update(Sample.information)
        #expect(!isNews)
        #expect(news.takeUpdate() == nil)
        let update = ImageUpdate(installed: "1")
        news.update(update)
        #expect(news.takeUpdate() == update)
        #expect(news.takeUpdate() == nil)
        news.repeatUpdate()
        #expect(news.takeUpdate() == update)
        let event = RadioHealth.Event(number: 3, .cured, step: nil, reason: "", uptimeMs: 0)
        #expect(news.isUntold(event))
        news.told(event)
        let due = [0, 0, 59, 60].map { news.takeStatistics(at: at($0), every: .seconds(60)) }
        #expect(due == [true, false, false, true])
        #expect(news.statisticsWait(from: at(100)) == .seconds(20))
        news.begin()
        #expect(news.takeUpdate() == update)
        #expect(!news.isUntold(event))
        let isDue = news.takeStatistics(at: at(1), every: .seconds(60))
        #expect(isDue)
    }

    @Test func `a sensor appears, changes, leaves and comes back`() {
        var presence = SensorPresence()
        let changes = [true, true, false].map { presence.record("a", isOnline: $0) }
        #expect(changes == [.first, .none, .changed])
        #expect(presence["a"] == false && presence["b"] == nil)
        presence.forget("a")
        let departed = [presence.depart("a"), presence.depart("a")]
        #expect(departed == [true, false])
        #expect(presence.hasDeparted("a") && presence.devices.isEmpty)
        let change = presence.record("a", isOnline: true)
        #expect(change == .first && !presence.hasDeparted("a"))
        #expect(!presence.isFormerDue(at: at(100)))
        presence.expectFormer(at: at(5))
        #expect(!presence.isFormerDue(at: at(4)) && presence.isFormerDue(at: at(5)))
        presence.lookedAtFormer()
        #expect(!presence.isFormerDue(at: at(5)))
    }

    @Test func `nobody is asked for a pacing where no value is kept back`() {
        let table = RowTable()
        let sensors = SensorTable()
        var descriptions = SensorDescriptions(LivePacing(), sensors)
        #expect(descriptions.pacing(of: 1, from: table) == nil)
        var slow = SensorDescription()
        slow.pacing.minimumInterval = .seconds(9)
        sensors.describe("sensor-1", slow)
        descriptions.changed()
        #expect(descriptions.pacing(of: 1, from: table)?.minimumInterval == .seconds(9))
        #expect(descriptions.pacing(of: 2, from: table)?.isActive == false)
        sensors.describe("sensor-1", SensorDescription())
        descriptions.changed()
        #expect(descriptions.pacing(of: 1, from: table) == nil)
    }

    @Test func `what others publish fills no log`() {
        var turn = PublisherTurn()
        turn.heard(at: at(100))
        for _ in 0..<(NoticeLimit.perMinute + 5) { turn.logHeard(.info, "heard", [:]) }
        #expect(turn.take().count == NoticeLimit.perMinute)
        turn.logHeard(.info, "other", [:])
        turn.heard(at: at(160))
        for _ in 0..<2 { turn.logHeard(.info, "heard", [:]) }
        let lines = turn.take().map { effect in
            if case .log(_, let message, let metadata) = effect {
                "\(message) \(metadata["mqtt.unsaid"] ?? "-")"
            } else {
                "?"
            }
        }
        #expect(lines == ["other -", "heard 5", "heard -"])
    }

    @Test func `a turn goes on for as long as somebody says so, and effects are taken once`() {
        var turn = PublisherTurn()
        turn.goesOn()
        #expect(turn.hasMore)
        turn.begin()
        #expect(!turn.hasMore)
        turn.want(.drop([1], .refused))
        var done: [PublisherEffect] = [.drop([2], .refused), .drop([3], .refused)]
        turn.take(inPlaceOf: &done)
        #expect(done.count == 1)
        #expect(turn.take().isEmpty)
    }

    @Test func `a goodbye belongs to its connection`() {
        var session = BrokerSession()
        session.begin(retains: false)
        #expect(session.isConnected && !session.retains && !session.isOffline)
        session.goOffline()
        session.end()
        #expect(!session.isConnected && session.isOffline)
        session.begin(retains: true)
        #expect(session.retains && !session.isOffline)
    }
}
