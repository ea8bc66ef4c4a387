// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Gateway

/// Brokers that want something else.
@Suite("Refusals", .serialized)
struct RefusalTests {
    @Test("a broker that only speaks MQTT 3.1.1 gets it", arguments: FakeBroker.Refusal.allCases)
    func fallBack(_ refusal: FakeBroker.Refusal) async throws {
        let broker = try FakeBroker(refusal: refusal)
        let rig = try Rig(broker)
        let publisher = rig.publisher()
        publisher.start()
        rig.append(100)
        #expect(await eventually { rig.journal.statistics.delivered == 100 })
        #expect(broker.connectLevels == [5, 4])
        #expect(publisher.statistics.protocolVersion == "3.1.1")
        let readings = broker.published.filter { $0.topic.hasSuffix("/state") }
        #expect(readings.count == 100)
        #expect(
            broker.published.first == .init(topic: "martlet/gw/gw-test/status", isRetained: true, payload: "online"))
        publisher.stop(drainingFor: .seconds(1))
        #expect(
            broker.published.last == .init(topic: "martlet/gw/gw-test/status", isRetained: true, payload: "offline"))
    }

    @Test("bad credentials are said plainly, and good ones work")
    func credentials() async throws {
        let folder = try TemporaryFolder()
        let passwords = Process()
        passwords.executableURL = URL(fileURLWithPath: "/usr/bin/mosquitto_passwd")
        passwords.arguments = ["-c", "-b", folder.file("passwords"), "gateway", "right"]
        try passwords.runReachable()
        passwords.waitUntilExit()
        let broker = try Broker(settings: ["allow_anonymous false", "password_file \(folder.file("passwords"))"])
        let rig = try Rig(broker)
        let wrong = rig.publisher {
            $0.username = "gateway"
            $0.password = Secret("wrong")
        }
        wrong.start()
        #expect(await eventually { wrong.statistics.lastError?.contains("broker") == true })
        let said = try #require(wrong.statistics.lastError)
        #expect(said.contains("refused"))
        #expect(!said.contains("wrong"))
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

    @Test("readings that the broker's access list refuses stay in the journal, and the reason is said")
    func accessList() async throws {
        let folder = try TemporaryFolder()
        try "topic readwrite martlet/gw/#\ntopic readwrite ready/#\n".write(
            toFile: folder.file("acl"), atomically: true, encoding: .utf8)
        let broker = try Broker(settings: ["allow_anonymous true", "acl_file \(folder.file("acl"))"])
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
