// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import GatewayBench
@testable import Journal
@testable import Platform
@testable import Publisher
@testable import Readings

/// Brokers with a limit for messages, announced or shown by hanging up.
@Suite("Sizes of messages", .serialized)
struct MessageSizeTests {
    @Test func `a broker that ends the connection over a large message gets smaller ones`() async throws {
        let broker = try ScriptedBroker { event in
            if case .publish(_, let message) = event, message.payload.utf8.count > 3_000 { return [.disconnect(0x95)] }
            return ScriptedBroker.obliging(event)
        }
        let rig = try Rig(broker)
        let publisher = rig.publisher()
        rig.append(200, at: Sample.unsynced(boot: "aaaaaaaa", up: 5))
        rig.append(1)
        publisher.start()
        #expect(await eventually { rig.journal.statistics.delivered == 201 })
        publisher.stop(drainingFor: .seconds(1))
    }

    /// Refused in words, with the connection, and unsent because of the broker's Maximum Packet Size.
    @Test(arguments: 0..<3)
    func `a reading that is too large for the broker is given up and counted, and those behind it are not`(
        _ way: Int
    ) async throws {
        let broker = try ScriptedBroker { event in
            // Maximum Packet Size 1,000.
            if case .connect = event, way == 2 { return [.connack(properties: [0x27, 0, 0, 3, 0xE8])] }
            guard case .publish(_, let message) = event, message.payload.utf8.count > 900 else {
                return ScriptedBroker.obliging(event)
            }
            return way == 0 ? [.puback(message.packetID, 0x95)] : [.disconnect(0x95)]
        }
        let rig = try Rig(broker)
        let log = LogLines()
        let publisher = rig.publisher(logger: log.logger) {
            $0.liveWindow = .seconds(-1)
            $0.reconnectDelay = .milliseconds(5)...(.milliseconds(20))
        }
        let stamp = rig.clock.stamp()
        let large = Reading(
            device: "sensor-1", characteristic: "2a6e", source: .notify, value: [UInt8](repeating: 7, count: 500),
            rssi: nil, stamp: stamp)
        rig.append(40)
        rig.journal.append([large])
        rig.append(40)
        #expect(await eventually { rig.journal.statistics.committed == 81 })
        publisher.start()
        #expect(await eventually { rig.journal.statistics.delivered == 80 })
        #expect(await eventually { rig.journal.statistics.buffered == 0 })
        publisher.stop(drainingFor: .seconds(1))
        #expect(rig.journal.statistics.dropped["refused"] == 1)
        #expect(rig.journal.statistics.balances)
        #expect(log.text.contains("does not take a message of its size"))
    }

    @Test func `a broker that takes only small messages makes them no smaller for the others`() async throws {
        let isLarge: @Sendable (MQTTPacket.Publish) -> Bool = {
            $0.topic.hasSuffix("/history") && $0.payload.utf8.count > 900
        }
        // Takes single readings only, and goes when messages have got small.
        let hasShrunk = Mutex(false)
        let small = try ScriptedBroker { event in
            guard case .publish(_, let message) = event, message.topic.hasSuffix("/history") else {
                return ScriptedBroker.obliging(event)
            }
            guard message.readings.count > 1 else {
                return hasShrunk.withLock { $0 } ? [.reset] : [.puback(message.packetID)]
            }
            if !isLarge(message) { hasShrunk.withLock { $0 = true } }
            return [.puback(message.packetID, 0x95)]
        }
        let large = try ScriptedBroker { ScriptedBroker.obliging($0) }
        let rig = try Rig(small)
        let publisher = rig.publisher {
            $0.brokers = ["127.0.0.1:\(small.port)", "127.0.0.1:\(large.port)"]
            $0.liveWindow = .seconds(-1)
        }
        rig.append(400)
        #expect(await eventually { rig.journal.statistics.committed == 400 })
        publisher.start()
        #expect(await eventually { rig.journal.statistics.delivered == 400 })
        publisher.stop(drainingFor: .seconds(1))
        #expect(small.published.contains(where: isLarge))
        #expect(large.published.contains(where: isLarge))
    }
}
