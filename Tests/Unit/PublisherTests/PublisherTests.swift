// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing

@testable import GatewayBench
@testable import Journal
@testable import MQTT
@testable import Platform
@testable import Publisher
@testable import Readings

/// The whole publisher against a real mosquitto.
@Suite("Publisher", .serialized)
struct PublisherTests {
    private let broker: Broker
    private let gateway: Rig

    init() throws {
        broker = try Broker()
        gateway = try Rig(broker)
    }

    @Test("each reading arrives exactly once, in order for each sensor, and its row is deleted")
    func exactlyOnce() async throws {
        let subscriber = try Subscriber(port: broker.port)
        let publisher = gateway.publisher()
        publisher.start()
        for _ in 0..<50 { gateway.append(20) }
        #expect(
            await eventually { subscriber.readings.count >= 1_000 && gateway.journal.statistics.delivered == 1_000 })
        _ = await settled { subscriber.readings.count }
        #expect(subscriber.numbers.sorted() == Array(1...1_000))
        let bySensor = Dictionary(grouping: subscriber.readings) { $0["dev"] as? String ?? "" }
        #expect(bySensor.count == 4)
        for readings in bySensor.values {
            let numbers = readings.compactMap { $0["n"] as? Int }
            #expect(numbers == numbers.sorted())
        }
        #expect(subscriber.readings.allSatisfy { $0["historical"] == nil })
        publisher.stop(drainingFor: .seconds(2))
        let books = gateway.journal.statistics
        #expect(books.buffered == 0)
        #expect(books.balances)
        #expect(publisher.statistics.published == 1_000)
        #expect(publisher.statistics.acknowledged == 1_000)
        #expect(subscriber.readings.count == 1_000)
    }

    @Test("a reading on …/state has the agreed shape")
    func shape() async throws {
        let subscriber = try Subscriber(port: broker.port)
        let publisher = gateway.publisher()
        publisher.start()
        let stamp = gateway.clock.stamp()
        gateway.journal.append([Sample.temperature(2430, at: stamp)])
        #expect(await eventually { !subscriber.readings.isEmpty })
        let message = try #require(subscriber.messages(on: "martlet/dev/cbb8334c884f/state").first)
        #expect(!message.isRetained)
        let unix = try #require(stamp.unixMilliseconds)
        #expect(
            message.payload.hasPrefix(
                #"{"v":1,"dev":"cbb8334c884f","gw":"gw-test","n":1,"ts":\#(unix),"time":""#))
        #expect(
            message.payload.hasSuffix(
                #""clock":"synced","boot":"\#(stamp.boot)","up_ms":\#(stamp.uptimeMilliseconds),"src":"notify","rssi":-67,"temperature":24.3}"#
            ))
        publisher.stop(drainingFor: .seconds(1))
    }

    @Test("status, information and availability are retained, and come before readings")
    func retained() async throws {
        let live = try Subscriber(port: broker.port)
        let publisher = gateway.publisher()
        publisher.setAvailability(of: "cbb8334c884f", online: true)
        gateway.append(1)
        publisher.start()
        #expect(await eventually { gateway.journal.statistics.delivered == 1 && !live.readings.isEmpty })
        let order = [
            "martlet/gw/gw-test/status", "martlet/gw/gw-test/info", "martlet/dev/cbb8334c884f/availability",
            "martlet/dev/sensor-0/state",
        ]
        #expect(live.messages.map(\.topic).filter(order.contains).prefix(4) == order[...])
        let late = try Subscriber(port: broker.port)
        #expect(await eventually { late.messages.count >= 3 })
        _ = await settled { late.messages.count }
        #expect(late.messages.allSatisfy { $0.isRetained })
        #expect(late.messages(on: "martlet/gw/gw-test/status").map(\.payload) == ["online"])
        #expect(late.messages(on: "martlet/dev/cbb8334c884f/availability").map(\.payload) == ["online"])
        let information = try #require(late.messages(on: "martlet/gw/gw-test/info").first)
        let decoded = try JSONDecoder().decode(GatewayInformation.self, from: Data(information.payload.utf8))
        #expect(decoded == Sample.information)

        publisher.setAvailability(of: "cbb8334c884f", online: false)
        var changed = Sample.information
        changed.ip = []
        publisher.setInformation(changed)
        #expect(
            await eventually { late.messages(on: "martlet/dev/cbb8334c884f/availability").last?.payload == "offline" })
        #expect(
            await eventually {
                late.messages(on: "martlet/gw/gw-test/info").last?.payload.contains(#""ip":[]"#) == true
            })
        publisher.stop(drainingFor: .seconds(1))
        #expect(await eventually { late.messages(on: "martlet/gw/gw-test/status").last?.payload == "offline" })
    }

    @Test("statistics are published")
    func statistics() async throws {
        let subscriber = try Subscriber(port: broker.port)
        let publisher = gateway.publisher { $0.statisticsInterval = .milliseconds(50) }
        publisher.start()
        gateway.append(3)
        #expect(
            await eventually {
                guard let text = subscriber.messages(on: "martlet/gw/gw-test/stats").last?.payload,
                    let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
                else { return false }
                return object["received"] as? Int == 3 && object["delivered"] as? Int == 3
                    && object["buffered"] as? Int == 0 && object["gw"] as? String == "gw-test"
            })
        publisher.stop(drainingFor: .seconds(1))
    }

    @Test("a connection that ends without DISCONNECT leaves the will: offline, retained")
    func will() async throws {
        let subscriber = try Subscriber(port: broker.port)
        var configuration = MQTTConfiguration()
        configuration.port = broker.port
        let status = "martlet/gw/gw-test/status"
        do {
            let connection = try MQTTConnection(
                configuration, at: configuration.addresses[0], clientID: "x", version: .v5,
                will: MartletLayout(topics: gateway.topics).will)
            try connection.connect()
            #expect(
                await eventually {
                    // The request may come before the connection exists.
                    if connection.wantsWrite { connection.write() }
                    connection.read()
                    return connection.acceptance != nil
                })
            _ = try connection.publish([UInt8]("online".utf8), to: status, retain: true)
            #expect(await eventually { subscriber.messages(on: status).last?.payload == "online" })
        }
        #expect(await eventually { subscriber.messages(on: status).last?.payload == "offline" })
        let late = try Subscriber(port: broker.port)
        #expect(await eventually { late.messages(on: status).map(\.payload) == ["offline"] })
    }

    @Test("a second gateway with the same client id is named as the reason")
    func sessionTakenOver() async throws {
        let publisher = gateway.publisher()
        publisher.start()
        #expect(await eventually { publisher.statistics.connected })
        // Both come back each time they are thrown out. Only a gateway whose client id is its name may have a copy.
        let thief = gateway.publisher { $0.clientID = "martlet-gw-test" }
        thief.start()
        #expect(await eventually { publisher.statistics.lastError?.contains("martlet-gw-test") == true })
        #expect(publisher.statistics.lastError?.contains("martlet identity --new-gateway") == true)
        #expect(thief.statistics.lastError?.contains("--new-gateway") != true)
        thief.stop(drainingFor: .zero)
        publisher.stop(drainingFor: .zero)
        #expect(MQTTFailure.disconnected(.sessionTakenOver).description.contains("mqtt.client_id"))
    }

    @Test("with retain = false nothing is retained")
    func notRetained() async throws {
        let publisher = gateway.publisher { $0.retain = false }
        publisher.setAvailability(of: "cbb8334c884f", online: true)
        publisher.start()
        gateway.append(5)
        #expect(await eventually { gateway.journal.statistics.delivered == 5 })
        let subscriber = try Subscriber(port: broker.port)
        publisher.stop(drainingFor: .seconds(1))
        #expect(await eventually { subscriber.messages.last?.payload == "offline" })
        #expect(subscriber.messages.allSatisfy { !$0.isRetained })
    }

    @Test("old readings go to …/history as arrays, each of its sensor and oldest first, and none to …/state")
    func history() async throws {
        let subscriber = try Subscriber(port: broker.port)
        let publisher = gateway.publisher {
            $0.liveWindow = .milliseconds(-1)
            $0.historyMaximumBytes = 2_000
        }
        for _ in 0..<10 { gateway.append(40) }
        publisher.start()
        #expect(await eventually { gateway.journal.statistics.delivered == 400 && subscriber.readings.count >= 400 })
        _ = await settled { subscriber.readings.count }
        #expect(subscriber.numbers.sorted() == Array(1...400))
        #expect(subscriber.readings.allSatisfy { $0["historical"] as? Bool == true })
        let messages = subscriber.messages.filter { $0.topic.hasSuffix("/history") }
        #expect(messages.allSatisfy { $0.payload.utf8.count <= 2_000 && $0.payload.hasPrefix("[") })
        #expect(messages.count < 100)
        #expect(subscriber.messages.allSatisfy { !$0.topic.hasSuffix("/state") })
        for (topic, messages) in Dictionary(grouping: messages, by: \.topic) {
            let readings = messages.flatMap(\.readings)
            #expect(readings.allSatisfy { topic == "martlet/dev/\($0["dev"] ?? "")/history" })
            let numbers = readings.compactMap { $0["n"] as? Int }
            #expect(numbers == numbers.sorted())
        }
        publisher.stop(drainingFor: .seconds(1))
    }

    @Test("each press of a button goes to …/event at once, at any interval, and the packet's other values to …/state")
    func event() async throws {
        let subscriber = try Subscriber(port: broker.port)
        let publisher = gateway.publisher { $0.pacing.minimumInterval = .seconds(3_600) }
        publisher.start()
        // BTHome: battery 90 % and a button; the third packet has no press.
        for button: UInt8 in [0x01, 0x02, 0x00] {
            gateway.journal.append([
                Reading(
                    device: "remote", characteristic: "bthome", source: .advert,
                    value: [0x44, 0x01, 90, 0x3A, button], rssi: -60, stamp: gateway.clock.stamp())
            ])
        }
        #expect(await eventually { gateway.journal.statistics.delivered == 3 })
        let events = subscriber.messages(on: "martlet/dev/remote/event")
        #expect(events.allSatisfy { !$0.isRetained })
        let pressed = events.flatMap(\.readings)
        #expect(pressed.map { $0["button"] as? String } == ["press", "double_press"])
        #expect(pressed.allSatisfy { $0["battery"] as? Int == 90 && $0["src"] as? String == "advert" })
        let states = subscriber.messages(on: "martlet/dev/remote/state").flatMap(\.readings)
        #expect(states.count == 3 && states.allSatisfy { $0["battery"] as? Int == 90 && $0["button"] == nil })
        publisher.stop(drainingFor: .seconds(1))
        #expect(gateway.journal.statistics.balances)
    }

    @Test("a motion without a reported end goes out each time, at any interval")
    func impulse() async throws {
        let subscriber = try Subscriber(port: broker.port)
        let publisher = gateway.publisher { $0.pacing.minimumInterval = .seconds(3_600) }
        publisher.start()
        // Govee's H5121, with the time of its packet.
        for time: UInt8 in 1...3 {
            let block: [UInt8] = [1, 4, 3, 2, 90, 1] + [UInt8](repeating: 0, count: 10)
            gateway.journal.append([
                Reading(
                    device: "hall", characteristic: "govee", source: .advert, value: [9, 0, 0, 0, time] + block,
                    rssi: -60, stamp: gateway.clock.stamp())
            ])
        }
        #expect(await eventually { gateway.journal.statistics.delivered == 3 })
        let states = subscriber.messages(on: "martlet/dev/hall/state").flatMap(\.readings)
        #expect(states.count == 3 && states.allSatisfy { $0["motion"] as? Int == 1 })
        publisher.stop(drainingFor: .seconds(1))
        #expect(gateway.journal.statistics.balances)
    }

    @Test("a value without a decoder goes raw, and to …/raw on request")
    func raw() async throws {
        let subscriber = try Subscriber(port: broker.port)
        let publisher = gateway.publisher { $0.publishRaw = true }
        publisher.start()
        let odd = Reading(
            device: "odd", characteristic: "2a00", source: .read, value: [0x4D, 0xAB], rssi: nil,
            stamp: gateway.clock.stamp())
        gateway.journal.append([odd])
        #expect(await eventually { subscriber.messages(on: "martlet/dev/odd/raw").map(\.payload) == ["4dab"] })
        #expect(await eventually { !subscriber.readings.isEmpty })
        let reading = try #require(subscriber.readings.first)
        #expect(reading["characteristic"] as? String == "2a00")
        #expect(reading["raw"] as? String == "4dab")
        #expect(reading["src"] as? String == "read")
        #expect(reading["rssi"] == nil)
        publisher.stop(drainingFor: .seconds(1))
    }
}
