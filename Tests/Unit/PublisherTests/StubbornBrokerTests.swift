// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatewayBench
@testable import Journal
@testable import Platform
@testable import Publisher
@testable import Readings

/// Brokers that hang up without a reason, and brokers that accept almost nothing.
@Suite("Stubborn brokers", .serialized)
struct StubbornBrokerTests {
    private static func hasReading(_ n: Int, _ message: MQTTPacket.Publish) -> Bool {
        message.readings.contains { $0["n"] as? Int == n }
    }

    @Test(arguments: [false, true])
    func `a row over which the broker always hangs up is given up after some tries, counted and said`(
        liveGoesOn: Bool
    ) async throws {
        let broker = try ScriptedBroker { event in
            if case .publish(_, let message) = event, Self.hasReading(17, message) { return [.close] }
            return ScriptedBroker.obliging(event)
        }
        let rig = try Rig(broker)
        let log = LogLines()
        let publisher = rig.publisher(logger: log.logger) {
            $0.liveWindow = liveGoesOn ? .milliseconds(500) : .seconds(-1)
            $0.reconnectDelay = .milliseconds(5)...(.milliseconds(20))
        }
        rig.append(40, at: Sample.unsynced(boot: "aaaaaaaa", up: 5))
        #expect(await eventually { rig.journal.statistics.committed == 40 })
        publisher.start()
        var count = 40
        let isOver = await eventually {
            if liveGoesOn, rig.journal.statistics.dropped["refused"] == nil {
                rig.append(1)
                count += 1
            }
            return rig.journal.statistics.dropped["refused"] == 1 && rig.journal.statistics.delivered == count - 1
        }
        #expect(isOver, "\(log.text)")
        publisher.stop(drainingFor: .seconds(1))
        #expect(log.text.contains("the broker hangs up each time it is sent"))
        #expect(log.text.contains("reading.n=17"))
        #expect(!log.text.contains("another client"))
        #expect(rig.journal.statistics.balances)
        let alone = broker.published.count { Self.hasReading(17, $0) && $0.readings.count == 1 }
        #expect(alone >= HistorySizing.triesOfOneRow)
    }

    @Test func `a broker that hangs up now and then over a row gets it`() async throws {
        let broker = try ScriptedBroker { event in
            // The first row is acknowledged by the fourth connection alone.
            if case .publish(let connection, let message) = event, Self.hasReading(1, message), connection < 4 {
                return [.close]
            }
            return ScriptedBroker.obliging(event)
        }
        let rig = try Rig(broker)
        let publisher = rig.publisher {
            $0.liveWindow = .seconds(-1)
            $0.reconnectDelay = .milliseconds(5)...(.milliseconds(20))
        }
        rig.append(1)
        #expect(await eventually { rig.journal.statistics.committed == 1 })
        publisher.start()
        #expect(await eventually { rig.journal.statistics.delivered == 1 })
        publisher.stop(drainingFor: .seconds(1))
    }

    @Test func `a broker that breaks the protocol does not make history smaller`() async throws {
        let broker = try ScriptedBroker { event in
            if case .publish(let connection, let message) = event, message.topic.hasSuffix("/history"), connection < 5 {
                // An unrequested SUBACK.
                return [.octets([0x90, 3, 0, 1, 0])]
            }
            return ScriptedBroker.obliging(event)
        }
        let rig = try Rig(broker)
        let log = LogLines()
        let publisher = rig.publisher(logger: log.logger) {
            $0.liveWindow = .seconds(-1)
            $0.reconnectDelay = .milliseconds(5)...(.milliseconds(20))
        }
        rig.append(40)
        #expect(await eventually { rig.journal.statistics.committed == 40 })
        publisher.start()
        #expect(await eventually { rig.journal.statistics.delivered == 40 }, "\(log.text)")
        publisher.stop(drainingFor: .seconds(1))
        #expect(log.text.contains("breaks the protocol"))
        #expect(!log.text.contains("does not take messages of this size"))
    }

    @Test func `what is too large for a broker that takes 300 octets is left out, and said once`() async throws {
        let broker = try ScriptedBroker { event in
            // Maximum Packet Size 300.
            if case .connect = event { return [.connack(properties: [0x27, 0, 0, 1, 0x2C])] }
            if case .publish(_, let message) = event, message.payload.utf8.count > 300 { return [.disconnect(0x95)] }
            return ScriptedBroker.obliging(event)
        }
        let rig = try Rig(broker)
        let log = LogLines()
        let publisher = rig.publisher(logger: log.logger) {
            $0.statisticsInterval = .milliseconds(20)
            $0.liveWindow = .milliseconds(500)
        }
        publisher.setInformation(Self.wideInformation)
        publisher.start()
        let large = Reading(
            device: "sensor-1", characteristic: "2a6e", source: .notify, value: [UInt8](repeating: 7, count: 200),
            rssi: nil, stamp: rig.clock.stamp())
        rig.append(8)
        rig.journal.append([large])
        rig.append(8)
        #expect(await eventually { rig.journal.statistics.delivered == 16 }, "\(log.text)")
        #expect(await eventually { rig.journal.statistics.dropped["refused"] == 1 })
        publisher.stop(drainingFor: .seconds(1))
        #expect(broker.connects.count == 1)
        #expect(broker.published.contains { $0.topic.hasSuffix("/status") })
        #expect(!broker.published.contains { $0.topic.hasSuffix("/info") || $0.topic.hasSuffix("/stats") })
        for topic in ["martlet/gw/gw-test/info", "martlet/gw/gw-test/stats"] {
            #expect(log.text.ranges(of: "mqtt.topic=\(topic)").count == 1, "\(log.text)")
        }
        #expect(log.text.contains("does not take a message of its size"))
        #expect(rig.journal.statistics.balances)
    }

    private static var wideInformation: GatewayInformation {
        var information = Sample.information
        information.ip = (0..<30).map { "2001:db8::\($0)" }
        return information
    }

    @Test(arguments: 0..<4)
    func `what is just as large as the broker takes is sent, and no octet more`(_ beyond: UInt8) async throws {
        // On `martlet/gw/gw-test/status` "online" is 2 + 2 + 25 + 2 + 1 + 6 octets.
        let broker = try ScriptedBroker { event in
            if case .connect = event { return [.connack(properties: [0x27, 0, 0, 0, 38 + beyond - 2])] }
            return ScriptedBroker.obliging(event)
        }
        let rig = try Rig(broker)
        let publisher = rig.publisher { $0.statisticsInterval = .milliseconds(20) }
        publisher.start()
        #expect(await eventually { publisher.statistics.lastError?.contains("stats") == true })
        publisher.stop(drainingFor: .seconds(1))
        #expect(broker.published.contains { $0.payload == "online" } == (beyond >= 2))
    }

    @Test func `a gateway that stops before the broker has answered says goodbye, so that no will goes out`()
        async throws
    {
        let broker = try ScriptedBroker { event in
            if case .connect = event { return [] }
            return ScriptedBroker.obliging(event)
        }
        let rig = try Rig(broker)
        let publisher = rig.publisher()
        publisher.start()
        #expect(await eventually { broker.connects.count == 1 })
        publisher.stop(drainingFor: .milliseconds(50))
        #expect(await eventually { broker.disconnects == 1 })
    }
}
