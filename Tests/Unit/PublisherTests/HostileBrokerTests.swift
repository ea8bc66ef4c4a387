// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import GatewayBench
@testable import Journal
@testable import MQTT
@testable import Publisher
@testable import Readings

/// Brokers, or attackers on the path, that send forbidden packets: the connection ends, the process lives, the readings stay.
@Suite("Hostile brokers", .serialized)
struct HostileBrokerTests {
    struct Attack: Sendable, CustomTestStringConvertible {
        enum Moment { case connect, reading }

        var name: String
        var moment = Moment.reading
        var octets: [UInt8]
        /// The attack's line in the log.
        var said: String

        var testDescription: String { name }
    }

    private static let attacks: [Attack] = [
        Attack(
            name: "unknown property in CONNACK", moment: .connect, octets: [0x20, 5, 0, 0, 2, 0x7F, 0],
            said: "CONNACK has a property that MQTT does not know"),
        Attack(
            name: "property twice in CONNACK", moment: .connect, octets: [0x20, 7, 0, 0, 4, 0x25, 1, 0x25, 1],
            said: "CONNACK has the property Retain Available twice"),
        Attack(
            name: "256 MiB of CONNACK", moment: .connect, octets: [0x20, 0xFF, 0xFF, 0xFF, 0x7F],
            said: "CONNACK of 268435455 octets"),
        // Packet identifier 1 is the first message's, which is the gateway's status.
        Attack(
            name: "unknown property in PUBACK", octets: [0x40, 6, 0, 1, 0, 2, 0x7F, 0],
            said: "PUBACK has a property that MQTT does not know"),
        Attack(
            name: "property of CONNACK in PUBACK", octets: [0x40, 7, 0, 1, 0, 3, 0x21, 0, 1],
            said: "PUBACK must not have the property Receive Maximum"),
        Attack(
            name: "unknown property in DISCONNECT", octets: [0xE0, 4, 0, 2, 0x7F, 0],
            said: "DISCONNECT has a property that MQTT does not know"),
        Attack(
            name: "256 MiB that nobody asked for", octets: [0x30, 0xFF, 0xFF, 0xFF, 0x7F, 0, 1, 0x61, 0],
            said: "PUBLISH was not asked for"),
        Attack(
            name: "a message that nobody asked for", octets: [0x30, 4, 0, 1, 0x61, 0], said: "PUBLISH was not asked for"
        ),
        Attack(name: "an answer to no subscription", octets: [0x90, 4, 0, 1, 0, 0], said: "SUBACK was not asked for"),
        Attack(
            name: "a length without end", octets: [0x40, 0xFF, 0xFF, 0xFF, 0xFF, 1],
            said: "PUBACK has a length of more than four octets"),
        Attack(
            name: "in one go with what is right", octets: [0xD0, 0, 0xD0, 0, 0x40, 6, 0, 1, 0, 2, 0x7F, 0],
            said: "PUBACK has a property that MQTT does not know"),
    ]

    /// Attacks once, then behaves.
    private static func script(_ attack: Attack, octetByOctet: Bool) -> ScriptedBroker.Script {
        let isDue = Mutex(true)
        let takeTurn: @Sendable () -> Bool = {
            isDue.withLock { due in
                defer { due = false }
                return due
            }
        }
        let pieces = octetByOctet ? attack.octets.map { [$0] } : [attack.octets]
        let actions = pieces.flatMap { [ScriptedBroker.Action.octets($0), .sleep(milliseconds: 2)] }
        return { event in
            switch (attack.moment, event) {
            case (.connect, .connect) where takeTurn(): actions
            case (.reading, .publish(_, let message)) where !message.topic.contains("/gw/"):
                takeTurn() ? actions : ScriptedBroker.obliging(event)
            // The status is left open until then.
            case (.reading, .publish(0, let message)) where message.packetID == 1: []
            default: ScriptedBroker.obliging(event)
            }
        }
    }

    @Test(arguments: attacks, [false, true])
    func `what MQTT forbids ends the connection alone`(_ attack: Attack, octetByOctet: Bool) async throws {
        let broker = try ScriptedBroker(Self.script(attack, octetByOctet: octetByOctet))
        let rig = try Rig(broker)
        let log = LogLines()
        let publisher = rig.publisher(logger: log.logger) { $0.liveWindow = .milliseconds(100) }
        publisher.start()
        rig.append(40)
        #expect(await eventually { rig.journal.statistics.delivered == 40 })
        publisher.stop(drainingFor: .seconds(1))
        #expect(log.text.contains(attack.said), "\(log.text)")
        #expect(broker.connects.count == 2)
        #expect(Set(broker.readings.compactMap { $0["n"] as? Int }) == Set(1...40))
        #expect(rig.journal.statistics.balances)
    }

    @Test(arguments: attacks)
    func `what MQTT forbids ends a connection with TLS alone, too`(_ attack: Attack) async throws {
        let shop = try CertificateShop()
        try shop.make("broker", for: "IP:127.0.0.1")
        let broker = try ScriptedBroker(Self.script(attack, octetByOctet: false))
        let front = try TLSFront(shop, certificate: "broker", before: broker.port)
        let rig = try Rig(front)
        let log = LogLines()
        let publisher = rig.publisher(logger: log.logger) {
            $0.tls = .init(caFile: shop.authority)
            $0.liveWindow = .milliseconds(100)
        }
        publisher.start()
        rig.append(40)
        #expect(await eventually { rig.journal.statistics.delivered == 40 }, "\(log.text)")
        publisher.stop(drainingFor: .seconds(1))
        #expect(log.text.contains(attack.said), "\(log.text)")
        #expect(broker.connects.count == 2)
        #expect(Set(broker.readings.compactMap { $0["n"] as? Int }) == Set(1...40))
    }

    @Test func `the next broker is tried, and the first one not alone`() async throws {
        let hostile = try ScriptedBroker { event in
            if case .connect = event { return [.octets([0x20, 5, 0, 0, 2, 0x7F, 0])] }
            return []
        }
        let good = try ScriptedBroker { ScriptedBroker.obliging($0) }
        let rig = try Rig(good)
        let publisher = rig.publisher {
            $0.brokers = ["127.0.0.1:\(hostile.port)", "127.0.0.1:\(good.port)"]
            // Within a round there is no wait.
            $0.reconnectDelay = .seconds(600)...(.seconds(600))
        }
        publisher.start()
        rig.append(5)
        #expect(await eventually { rig.journal.statistics.delivered == 5 })
        publisher.stop(drainingFor: .seconds(1))
        #expect(hostile.connects.count == 1)
    }

    @Test func `a session with somebody's subscriptions is given up, so that its messages stop`() async throws {
        let broker = try ScriptedBroker { event in
            if case .connect(_, let connect) = event {
                return [.connack()] + (connect.startsClean ? [] : [.octets([0x30, 4, 0, 1, 0x61, 0])])
            }
            return ScriptedBroker.obliging(event)
        }
        let rig = try Rig(broker)
        let publisher = rig.publisher { $0.liveWindow = .milliseconds(100) }
        publisher.start()
        rig.append(5)
        #expect(await eventually { rig.journal.statistics.delivered == 5 })
        publisher.stop(drainingFor: .seconds(1))
        #expect(broker.connects.map(\.startsClean) == [false, true])
    }

    @Test(arguments: [false, true])
    func `answers that come octet by octet, and thousands at once, are answers`(withTLS: Bool) async throws {
        let broker = try ScriptedBroker { event in
            switch event {
            case .connect: [[0x20], [6], [0], [0], [3], [0x21, 0], [100]].map { .octets($0) }
            case .publish(_, let message) where message.qos == 0: []
            case .publish(_, let message) where message.packetID.isMultiple(of: 50):
                [UInt8]([0x40, 2, UInt8(message.packetID >> 8), UInt8(message.packetID & 0xFF)]).flatMap {
                    [ScriptedBroker.Action.octets([$0]), .sleep(milliseconds: 1)]
                } + [.settled(message.packetID)]
            case .publish: []
            // A thousand answers to pings with them.
            case .idle(_, let open):
                [.octets((0..<1_000).flatMap { _ in [UInt8(0xD0), 0] })] + open.map { .puback($0) }
            }
        }
        let shop = withTLS ? try CertificateShop() : nil
        try shop?.make("broker", for: "IP:127.0.0.1")
        let front = try shop.map { try TLSFront($0, certificate: "broker", before: broker.port) }
        let rig = try Rig(front ?? broker)
        let log = LogLines()
        let publisher = rig.publisher(logger: log.logger) {
            $0.maximumInFlight = 100
            $0.tls = shop.map { .init(caFile: $0.authority) }
        }
        publisher.start()
        rig.append(500)
        #expect(await eventually { rig.journal.statistics.delivered == 500 }, "\(log.text)")
        publisher.stop(drainingFor: .seconds(1))
        #expect(broker.connects.count == 1)
        withExtendedLifetime(broker) {}
    }
}
