// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Synchronization
import Testing

@testable import Gateway
@testable import GatewayBench
@testable import Journal
@testable import MQTT
@testable import Platform
@testable import Publisher
@testable import Readings

/// Brokers with other demands.
@Suite("Refusals", .serialized)
struct RefusalTests {
    /// With the return code of MQTT 3.1.1, with the reason of MQTT 5, and without a word.
    @Test("a broker with only MQTT 3.1.1 gets MQTT 3.1.1", arguments: [[0x20, 2, 0, 1], [0x20, 3, 0, 0x84, 0], []])
    func fallBack(_ answer: [UInt8]) async throws {
        let broker = try ScriptedBroker { event in
            if case .connect(_, let connect) = event, connect.level == 5 { return [.octets(answer), .close] }
            return ScriptedBroker.obliging(event)
        }
        let rig = try Rig(broker)
        let publisher = rig.publisher()
        publisher.start()
        rig.append(100)
        #expect(await eventually { rig.journal.statistics.delivered == 100 })
        #expect(broker.connects.map(\.level) == [5, 4])
        #expect(publisher.statistics.protocolVersion == "3.1.1")
        let readings = broker.published.filter { $0.topic.hasSuffix("/state") }
        #expect(readings.count == 100)
        let first = try #require(broker.published.first)
        #expect(first.topic == "martlet/gw/gw-test/status" && first.isRetained && first.payload == "online")
        publisher.stop(drainingFor: .seconds(1))
        let last = try #require(broker.published.last)
        #expect(last.topic == "martlet/gw/gw-test/status" && last.isRetained && last.payload == "offline")
    }

    @Test("bad credentials are said plainly, and good ones work")
    func credentials() async throws {
        let folder = try TestFolder()
        let passwords = Process()
        passwords.executableURL = URL(fileURLWithPath: "/usr/bin/mosquitto_passwd")
        passwords.arguments = ["-c", "-b", folder.path("passwords"), "gateway", "right"]
        try passwords.runReachable()
        passwords.waitUntilExit()
        let broker = try Broker(settings: ["allow_anonymous false", "password_file \(folder.path("passwords"))"])
        let rig = try Rig(broker)
        let wrong = rig.publisher {
            $0.username = "gateway"
            $0.password = Secret("hunter2")
        }
        wrong.start()
        #expect(await eventually { wrong.statistics.lastError?.contains("broker") == true })
        let said = try #require(wrong.statistics.lastError)
        #expect(said.contains("refuses"))
        #expect(!said.contains("hunter2"))
        wrong.stop(drainingFor: .zero)

        let right = rig.publisher {
            $0.username = "gateway"
            $0.password = Secret("right")
        }
        right.start()
        rig.append(10)
        #expect(await eventually { rig.journal.statistics.delivered == 10 })
        right.stop(drainingFor: .seconds(1))
    }

    @Test("readings refused by the broker's access list stay in the journal, and the reason is reported")
    func accessList() async throws {
        let folder = try TestFolder()
        try "topic readwrite martlet/gw/#\ntopic readwrite ready/#\n".write(
            toFile: folder.path("acl"), atomically: true, encoding: .utf8)
        let broker = try Broker(settings: ["allow_anonymous true", "acl_file \(folder.path("acl"))"])
        let rig = try Rig(broker)
        let publisher = rig.publisher()
        publisher.start()
        rig.append(5)
        #expect(await eventually { publisher.statistics.lastError?.contains("access list") == true })
        #expect(rig.journal.statistics.buffered == 5)
        #expect(rig.journal.statistics.delivered == 0)
        publisher.stop(drainingFor: .seconds(1))
        #expect(rig.journal.statistics.balances)
    }

    @Test("a sensor refused by the broker's access list waits alone, and loses nothing")
    func oneOfFour() async throws {
        let folder = try TestFolder()
        func allow(_ sensors: ClosedRange<Int>) throws {
            let lines = ["topic read #", "topic readwrite martlet/gw/#", "topic readwrite ready/#"]
            try (lines + sensors.map { "topic readwrite martlet/dev/sensor-\($0)/#" }).joined(separator: "\n")
                .appending("\n").write(toFile: folder.path("acl"), atomically: true, encoding: .utf8)
        }
        try allow(0...2)
        let broker = try Broker(settings: ["allow_anonymous true", "acl_file \(folder.path("acl"))"])
        let rig = try Rig(broker)
        let subscriber = try Subscriber(port: broker.port)
        let log = LogLines()
        // Older rows as history, later rows one by one.
        rig.append(2_000, at: Sample.unsynced(boot: "aaaaaaaa", up: 5))
        let publisher = rig.publisher(logger: log.logger) { $0.liveWindow = .seconds(3_600) }
        publisher.setAvailability(of: "sensor-3", online: true)
        publisher.start()
        #expect(await eventually { rig.journal.statistics.delivered == 1_500 })
        // More refused messages than the window holds stand before the accepted messages.
        rig.journal.append((0..<40).map { Sample.temperature($0, device: "sensor-3", at: rig.clock.stamp()) })
        rig.append(400)
        #expect(await eventually { rig.journal.statistics.delivered == 1_800 })
        #expect(rig.journal.statistics.buffered == 500 + 40 + 100)
        #expect(log.text.contains("sensor=sensor-3"))
        #expect(log.text.contains("access list"))
        #expect(log.text.contains("mqtt.topic=martlet/dev/sensor-3/availability"))
        #expect(!log.text.contains("sensor=sensor-1"))
        #expect(publisher.statistics.lastError?.contains("access list") == true)

        try allow(0...3)
        broker.reload()
        #expect(await eventually { rig.journal.statistics.delivered == 2_440 })
        #expect(await eventually { subscriber.readings.count >= 2_440 })
        _ = await settled { subscriber.readings.count }
        #expect(subscriber.numbers.sorted() == Array(1...2_440), "each exactly once")
        for messages in Dictionary(grouping: subscriber.messages, by: \.topic).values {
            let numbers = messages.flatMap(\.readings).compactMap { $0["n"] as? Int }
            #expect(numbers == numbers.sorted(), "on each lane in order")
        }
        publisher.stop(drainingFor: .seconds(1))
        #expect(rig.journal.statistics.balances)
    }

    @Test("a refused sensor whose next try meets a used up quota is tried again", arguments: ["/state", "/history"])
    func quotaInTry(_ lane: String) async throws {
        let answers = Mutex<[UInt8]>([0x87, 0x97])
        let broker = try ScriptedBroker { event in
            guard case .publish(_, let message) = event, message.topic.hasSuffix(lane) else {
                return ScriptedBroker.obliging(event)
            }
            return [.puback(message.packetID, answers.withLock { $0.isEmpty ? 0 : $0.removeFirst() })]
        }
        let rig = try Rig(broker)
        let publisher = rig.publisher { $0.liveWindow = .seconds(lane == "/state" ? 3_600 : -1) }
        publisher.start()
        let stamp = rig.clock.stamp()
        rig.journal.append([Sample.temperature(1, at: stamp)])
        #expect(await eventually { rig.journal.statistics.delivered == 1 })
        rig.journal.append([Sample.temperature(2, at: stamp)])
        #expect(await eventually { rig.journal.statistics.delivered == 2 })
        publisher.stop(drainingFor: .seconds(1))
        #expect(broker.connects.count == 1)
    }

    @Test("a refusal with the smallest reason code counts: the row is sent again", arguments: ["/state", "/history"])
    func unspecified(_ lane: String) async throws {
        #expect(!MQTTReason(rawValue: 0x7F).isFailure && MQTTReason(rawValue: 0x80).isFailure)
        let answers = Mutex<[UInt8]>([0x80])
        let broker = try ScriptedBroker { event in
            guard case .publish(_, let message) = event, message.topic.hasSuffix(lane) else {
                return ScriptedBroker.obliging(event)
            }
            return [.puback(message.packetID, answers.withLock { $0.isEmpty ? 0 : $0.removeFirst() })]
        }
        let rig = try Rig(broker)
        let publisher = rig.publisher { $0.liveWindow = .seconds(lane == "/state" ? 3_600 : -1) }
        publisher.start()
        rig.journal.append([Sample.temperature(1, at: rig.clock.stamp())])
        #expect(await eventually { rig.journal.statistics.delivered == 1 })
        publisher.stop(drainingFor: .seconds(1))
        #expect(broker.published.filter { $0.topic.hasSuffix(lane) }.count == 2)
        #expect(broker.readings.compactMap { $0["n"] as? Int } == [1, 1])
    }

    @Test("a broker without acknowledgements is left for a new connection, and the log says so")
    func noAcknowledgement() async throws {
        let broker = try ScriptedBroker { event in
            if case .connect = event { [.connack()] } else { [] }
        }
        let rig = try Rig(broker)
        let log = LogLines()
        let publisher = rig.publisher(logger: log.logger) { $0.acknowledgementTimeout = .milliseconds(100) }
        publisher.start()
        rig.append(10)
        #expect(await eventually { broker.connects.count > 2 })
        #expect(log.text.contains("not acknowledged a message"))
        publisher.stop(drainingFor: .zero)
        #expect(broker.connects.allSatisfy { $0.level == 5 })
        #expect(rig.journal.statistics.buffered + rig.journal.statistics.waiting == 10)
    }

    /// Without a limit of queued messages, mosquitto 2.0.11 closes the connection with its refusal.
    @Test("a broker with a small limit gets smaller history messages", arguments: [100_000, 0])
    func packetTooLarge(_ maximumQueued: Int) async throws {
        let broker = try Broker(
            settings: ["allow_anonymous true", "message_size_limit 3000"], maximumQueued: maximumQueued)
        let rig = try Rig(broker)
        let subscriber = try Subscriber(port: broker.port)
        let publisher = rig.publisher { $0.liveWindow = .milliseconds(-1) }
        rig.append(200)
        publisher.start()
        #expect(await eventually { rig.journal.statistics.delivered == 200 && subscriber.readings.count >= 200 })
        #expect(Set(subscriber.numbers) == Set(1...200))
        publisher.stop(drainingFor: .seconds(1))
    }

    @Test("TLS needs a trusted authority and the right host name, unless the name is not to be checked")
    func tls() async throws {
        let folder = try TestFolder()
        for (name, text) in [
            ("ca", Certificates.authority), ("certificate", Certificates.broker), ("key", Certificates.brokerKey),
        ] {
            try text.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
        }
        let broker = try Broker(settings: [
            "allow_anonymous true", "certfile \(folder.path("certificate"))", "keyfile \(folder.path("key"))",
        ])
        let rig = try Rig(broker)
        func publisher(_ host: String, _ tls: MQTTConfiguration.TLS?) -> Publisher {
            rig.publisher {
                $0.host = host
                $0.tls = tls
            }
        }
        for (host, tls) in [
            ("localhost", MQTTConfiguration.TLS()), ("127.0.0.1", .init(caFile: folder.path("ca"))),
            ("localhost", .init(caFile: folder.path("missing"))),
        ] {
            let refused = publisher(host, tls)
            refused.start()
            #expect(await eventually { refused.statistics.lastError != nil })
            refused.stop(drainingFor: .zero)
            #expect(refused.statistics.protocolVersion == nil)
        }
        for (host, verifyHostname) in [("localhost", true), ("127.0.0.1", false)] {
            let accepted = publisher(host, .init(caFile: folder.path("ca"), verifyHostname: verifyHostname))
            let before = rig.journal.statistics.delivered
            accepted.start()
            rig.append(500)
            #expect(await eventually { rig.journal.statistics.delivered == before + 500 })
            accepted.stop(drainingFor: .seconds(1))
        }
    }

    @Test("passwords cannot be printed")
    func secrets() {
        var configuration = MQTTConfiguration()
        configuration.password = Secret("hunter2")
        #expect("\(configuration)".contains("<redacted>"))
        #expect(!"\(configuration)".contains("hunter2"))
        #expect(!String(reflecting: configuration).contains("hunter2"))
        var dumped = ""
        dump(configuration, to: &dumped)
        #expect(!dumped.contains("hunter2"))
    }
}
