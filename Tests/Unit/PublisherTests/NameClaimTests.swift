// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Journal
import Platform
import Testing

@testable import GatewayBench
@testable import MQTT
@testable import Publisher
@testable import Readings

/// Two gateways with one name.
@Suite("Claims of a gateway's name")
struct NameClaimTests {
    private static let ours = "00000000000000aa"
    private static let theirs = "00000000000000bb"

    private func at(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

    private func claim(_ nonce: String, gw: String = "gw") -> [UInt8] {
        NameClaim(gateway: gw, nonce: nonce).payload ?? []
    }

    @Test func `a gateway that lives under the name is noticed, and is gone after its silence`() {
        var name = NameClaim(gateway: "gw", nonce: Self.ours)
        _ = name.begin(at: at(0), from: RowTable())
        #expect(!name.isForeign(at: at(1)))
        name.heard(claim(Self.theirs), isRetained: false, at: at(10))
        #expect(name.isForeign(at: at(10)) && name.isForeign(at: at(99)) && !name.isForeign(at: at(100)))
        // It answers each answer: that goes on, and does not flap.
        for second in stride(from: Int64(20), to: 600, by: 20) {
            name.heard(claim(Self.theirs), isRetained: false, at: at(second))
            #expect(name.isForeign(at: at(second + 19)))
        }
    }

    @Test func `answers go out at most each 20 s, and only to others`() {
        var name = NameClaim(gateway: "gw", nonce: Self.ours)
        _ = name.begin(at: at(0), from: RowTable())
        name.heard(claim(Self.ours), isRetained: false, at: at(1))
        #expect(name.answerDue == nil)
        for second in Int64(1)..<20 {
            name.heard(claim(Self.theirs), isRetained: false, at: at(second))
            let isEarly = name.takeAnswer(at: at(second))
            #expect(!isEarly)
        }
        #expect(name.answerDue == at(20))
        let answers = [20, 21].map { name.takeAnswer(at: at($0)) }
        #expect(answers == [true, false] && name.answerDue == nil)
    }

    @Test func `a restart finds the claim of the former process, which is no other gateway`() {
        var name = NameClaim(gateway: "gw", nonce: Self.ours)
        _ = name.begin(at: at(0), from: RowTable())
        name.heard(claim(Self.theirs), isRetained: true, at: at(1))
        #expect(!name.isForeign(at: at(1)) && name.answerDue == nil)
    }

    @Test func `gateways that take turns at the broker find each other's claims in the place of their own`() {
        let facts = RowTable()
        facts.facts[NameClaim.formersKey] = "00000000000000f1,rubbish,00000000000000f2"
        var name = NameClaim(gateway: "gw", nonce: Self.ours)
        let formers = name.begin(at: at(0), from: facts)
        #expect(formers == "00000000000000f1,00000000000000f2,\(Self.ours)")
        name.end(at: at(59))
        facts.facts[NameClaim.formersKey] = "00000000000000f1,00000000000000f2,\(Self.ours)"
        let again = name.begin(at: at(60), from: facts)
        #expect(again == nil)
        // A broker that crashed may have an old claim of ours again.
        name.heard(claim("00000000000000f2"), isRetained: true, at: at(60))
        #expect(!name.isForeign(at: at(60)))
        name.heard(claim(Self.theirs), isRetained: true, at: at(60))
        #expect(name.isForeign(at: at(60)) && name.isForeign(at: at(1_559)) && !name.isForeign(at: at(1_560)))
    }

    @Test(
        arguments: [
            "{", "[]", "{\"v\":1}", "{\"v\":1,\"gw\":\"other\",\"nonce\":\"00000000000000bb\"}",
            "{\"v\":1,\"gw\":\"gw\",\"nonce\":\"00000000000000BB\"}", "{\"v\":1,\"gw\":\"gw\",\"nonce\":\"bb\"}",
            "{\"v\":1,\"gw\":\"gw\",\"nonce\":\"" + String(repeating: "b", count: 600) + "\"}", "\u{0}", "online",
        ])
    func `what is no claim is ignored and counted`(_ payload: String) {
        var name = NameClaim(gateway: "gw", nonce: Self.ours)
        _ = name.begin(at: at(0), from: RowTable())
        name.heard(Array(payload.utf8), isRetained: false, at: at(1))
        #expect(!name.isForeign(at: at(1)) && name.answerDue == nil && name.malformed == 1)
        // An emptied topic is no message.
        name.heard([], isRetained: false, at: at(2))
        #expect(name.malformed == 1)
    }

    // MARK: - Claims that do not come back

    /// As ``GatewayStatistics`` writes them.
    private func statistics(_ nonce: String?) -> [UInt8] {
        GatewayStatistics(
            gateway: "gw", stamp: Sample.synced, journal: .init(path: ""), lanes: LaneCounts(), history: .normal,
            slots: nil, nonce: nonce
        ).payload
    }

    private func message(
        _ payload: [UInt8], on topic: String = "stats", isRetained: Bool = false
    ) throws -> IncomingMessage {
        IncomingMessage(
            topic: try TopicName("martlet/gw/gw/\(topic)"), payload: payload, quality: .atMostOnce,
            isRetained: isRetained)
    }

    @Test func `a gateway whose claim does not come back hears its namesake by statistics`() throws {
        var bench = MachineBench()
        bench.machine.gateway.look(for: NameClaim(gateway: "gw", nonce: Self.ours))
        bench.beginQuietly()
        bench.uptime += 14_999
        bench.publish()
        #expect(bench.subscribed.isEmpty)
        bench.uptime += 1
        bench.publish()
        #expect(bench.subscribed == ["martlet/gw/gw/stats"])
        // Its own statistics, those of a gateway without claims, and old ones say nothing.
        for payload in [statistics(Self.ours), statistics(nil), [], [0x7B]] {
            bench.machine.received(try message(payload), at: bench.moment)
        }
        bench.machine.received(try message(statistics(Self.theirs), isRetained: true), at: bench.moment)
        #expect(bench.machine.gateway.claim?.isForeign(at: bench.moment.now) == false)
        bench.machine.received(try message(statistics(Self.theirs)), at: bench.moment)
        bench.publish()
        #expect(bench.machine.gateway.claim?.isForeign(at: bench.moment.now) == true)
        #expect(bench.lines.filter { $0.contains("another gateway lives under this gateway's name") }.count == 1)
        bench.uptime += 179_999
        #expect(bench.machine.gateway.claim?.isForeign(at: bench.moment.now) == true)
        bench.uptime += 1
        #expect(bench.machine.gateway.claim?.isForeign(at: bench.moment.now) == false)
    }

    @Test func `statistics carry the nonce by which they are told apart`() throws {
        var bench = MachineBench()
        bench.machine.gateway.look(for: NameClaim(gateway: "gw", nonce: Self.ours))
        bench.begin()
        bench.publish()
        bench.acknowledgeAll()
        bench.publish()
        let told = try #require(bench.mentioned.last { $0.topic == "martlet/gw/gw/stats" })
        #expect(String(decoding: told.payload, as: UTF8.self).contains("\"nonce\":\"\(Self.ours)\""))
    }

    @Test func `a gateway that hears its own claim does not listen to statistics`() throws {
        var bench = MachineBench()
        bench.machine.gateway.look(for: NameClaim(gateway: "gw", nonce: Self.ours))
        bench.beginQuietly()
        bench.machine.received(try message(claim(Self.ours), on: "claim"), at: bench.moment)
        bench.uptime += 60_000
        bench.publish()
        #expect(bench.subscribed.isEmpty)
    }

    @Test func `a broker that hangs up at the subscription of statistics twice is not asked again`() {
        var watch = NamesakeWatch()
        var asked: [Bool] = []
        for second in [Int64(0), 100, 200, 300] {
            watch.begin(at: at(second))
            asked.append(watch.takeDue(at: at(second + 15)))
            // The first connection lasts.
            watch.end(at: at(second == 0 ? 90 : second + 24))
        }
        #expect(asked == [true, true, true, false])
    }

    @Test func `nonces differ, and are nonces`() {
        var randomness = Randomness.system
        let made = (0..<64).map { _ in NameClaim.makeNonce(&randomness) }
        #expect(Set(made).count == 64 && made.allSatisfy { $0.utf8.count == 16 })
    }

    // MARK: - The whole publisher

    @Test func `two gateways of one name notice each other at a broker, and a restart is none`() async throws {
        let broker = try Broker()
        let (one, other) = (try Rig(broker), try Rig(broker))
        let first = one.publisher(nonce: Self.ours) { $0.clientID = "one" }
        first.start()
        #expect(await eventually { first.statistics.connected })
        // The process ends, and the next one of the same gateway begins.
        first.stop(drainingFor: .seconds(1))
        let second = one.publisher(nonce: "00000000000000ac") { $0.clientID = "one" }
        second.start()
        one.append(5)
        #expect(await eventually { one.journal.statistics.delivered == 5 })
        #expect(second.statistics.namesake == nil)
        let copy = other.publisher(nonce: Self.theirs) { $0.clientID = "other" }
        copy.start()
        #expect(
            await eventually { second.statistics.namesake == true && copy.statistics.namesake == true })
        copy.stop(drainingFor: .zero)
        second.stop(drainingFor: .zero)
    }

    @Test func `a gateway without claims says none, subscribes to nothing, and looks for no other gateway`() throws {
        for claimsName in [true, false] {
            var configuration = MQTTConfiguration()
            configuration.claimsName = claimsName
            let machine = PublisherMachine(
                configuration, layout: configuration.layout.messages(Topics(prefix: "martlet", gateway: "gw")),
                information: Sample.information, boot: "aa", nonce: Self.ours)
            #expect((machine.gateway.claim != nil) == claimsName)
        }
    }

    @Test func `a broker that lets nobody claim a name lets the gateway work`() async throws {
        let folder = try TestFolder()
        try "topic readwrite martlet/dev/#\ntopic readwrite martlet/gw/gw-test/status\n".write(
            toFile: folder.path("acl"), atomically: true, encoding: .utf8)
        let broker = try Broker(settings: ["allow_anonymous true", "acl_file \(folder.path("acl"))"])
        let rig = try Rig(broker)
        let publisher = rig.publisher(nonce: Self.ours)
        publisher.start()
        rig.append(5)
        #expect(await eventually { rig.journal.statistics.delivered == 5 })
        #expect(publisher.statistics.lastError?.contains("claim") != true)
        publisher.stop(drainingFor: .seconds(1))
    }
}
