// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Logging
import Platform
import Synchronization
import Testing

@testable import Collector
@testable import Configuration
@testable import Gateway
@testable import GatewayBench
@testable import Journal
@testable import Limits
@testable import Platform
@testable import Publisher
@testable import Readings

/// The journal, the limits and the ways out of a gateway, on clocks that the test turns: each ``start()`` is a new process.
private final class LimitScene {
    static let limits = SensorLimits(["temperature": .init(above: 8)])
    static let firstTime: Int64 = 1_790_000_000_000

    let folder: TestFolder
    let turned = TurnedClock(uptime: 60_000, unix: firstTime)
    private(set) var journal: Journal?
    private(set) var keeper: LimitKeeper?
    private(set) var sender: WebhookSender?
    private(set) var publisher: Publisher?
    let sensors = SensorTable()
    let webhook: WebhookConfiguration
    let port: UInt16
    var readers: Set<LimitQueue.Reader> = [.mqtt, .webhook]

    init(_ server: HTTPSListener, port: UInt16) throws {
        folder = try TestFolder()
        self.port = port
        var webhook = WebhookConfiguration()
        (webhook.url, webhook.caFile) = (Secret(server.url), server.shop.authority)
        webhook.timeout = .seconds(2)
        self.webhook = webhook
        turned.set(unix: Self.firstTime, isSynchronized: true)
    }

    deinit { stop() }

    func start(withWaysOut: Bool = true) throws {
        let clock = turned.makeClock()
        let journal = try Journal(
            JournalConfiguration(
                path: folder.path("journal.db"), commitInterval: .milliseconds(10), durability: .fast), clock: .system,
            patience: .seconds(30), logger: Sample.logger)
        let keeper = LimitKeeper(journal: journal, clock: clock, readers: readers)
        let sender = WebhookSender(
            keeper, gateway: "gw-test", pauses: .milliseconds(10) ... .milliseconds(50), logger: Sample.logger)
        (self.journal, self.keeper, self.sender) = (journal, keeper, sender)
        keeper.apply(Self.limits, to: "fridge")
        guard withWaysOut else { return }
        var mqtt = MQTTConfiguration()
        (mqtt.host, mqtt.port) = ("127.0.0.1", port)
        mqtt.reconnectDelay = .milliseconds(20) ... .milliseconds(100)
        let publisher = Publisher(
            mqtt, gateway: "gw-test", information: Sample.information, journal: journal, clock: clock,
            surroundings: PublisherSurroundings(
                randomness: .system,
                sensors: sensors, limits: { keeper.news }, limitTold: { keeper.settle($0, by: .mqtt) }),
            logger: Sample.logger)
        self.publisher = publisher
        keeper.setObserver {
            publisher.limitsChanged()
            sender.wake()
        }
        sender.apply(webhook)
        publisher.start()
    }

    func stop() {
        keeper?.setObserver(nil)
        sender?.stop()
        publisher?.stop(drainingFor: .milliseconds(50))
        sender?.waitForEnd(within: .seconds(2))
        journal?.close()
        (publisher, sender, keeper, journal) = (nil, nil, nil, nil)
    }

    /// A reading of the fridge, now.
    func value(_ celsius: Double) {
        let reading = Sample.temperature(
            Int16((celsius * 100).rounded()), device: "fridge", at: turned.makeClock().stamp())
        sensors.entry(of: "fridge").record(reading)
        keeper?.took([reading], sensors)
        journal?.append([reading])
    }

    func pass(_ duration: Duration) { turned.pass(duration.wholeMilliseconds) }
}

@Suite("A limit crossed while broker and webhook are away", .serialized)
struct LimitKeeperTests {
    private let server: HTTPSListener

    init() throws { server = try HTTPSListener(try CertificateShop(), .fail500) }

    private func events(_ subscriber: Subscriber) -> [[String: Any]] {
        subscriber.messages.filter { $0.topic.hasSuffix("/event") }.flatMap(\.readings)
    }

    private func outline(_ events: [[String: Any]]) -> [String] {
        events.map { "\($0["outcome"] ?? "") \($0["value"] ?? "") \($0["time"] ?? "")" }
    }

    @Test func `for a day, over restarts: each event is told once, in order, with its own time`() async throws {
        let broker = try Broker()
        let subscriber = try Subscriber(port: broker.port)
        broker.stop()
        let scene = try LimitScene(server, port: broker.port)
        try scene.start()
        var wanted: [String] = []
        // Every two hours the fridge gets warm for an hour; the gateway is started again in between.
        for hour in 0..<24 {
            scene.pass(.seconds(3_600))
            let isWarm = hour.isMultiple(of: 2)
            scene.value(isWarm ? 9.5 : 7.25)
            scene.value(isWarm ? 9.25 : 7)
            let now = LimitScene.firstTime + Int64(hour + 1) * 3_600_000
            wanted.append("\(isWarm ? "crossed 9.5" : "over 7.25") \(UTCText.of(now))")
            let keeper = try #require(scene.keeper)
            // The events are on disk.
            #expect(await eventually { keeper.next(for: .webhook) != nil && keeper.news.events.count == hour + 1 })
            if hour % 5 == 2 {
                scene.stop()
                try scene.start()
            }
        }
        #expect(await eventually { scene.sender?.status?.lastError != nil })
        try broker.start()
        server.behave(.take)
        #expect(await eventually { server.taken.count >= 24 && events(subscriber).count >= 24 })
        #expect(await settled { server.taken.count + events(subscriber).count } == 48)
        #expect(outline(server.taken) == wanted)
        #expect(outline(events(subscriber)) == wanted)
        let ids = server.taken.compactMap { $0["id"] as? String }
        #expect(Set(ids).count == 24 && ids == events(subscriber).compactMap { $0["id"] as? String })
        let keeper = try #require(scene.keeper)
        let isEmpty = await eventually {
            keeper.state.withLock { $0.queue.waiting(for: .mqtt) + $0.queue.waiting(for: .webhook) } == 0
        }
        #expect(isEmpty)
        let list = subscriber.messages.last { $0.topic == "martlet/gw/gw-test/limits" }
        #expect(list?.payload.contains("\"count\":0") == true, "\(list?.payload ?? "none")")

        // Nothing comes again after one more restart.
        scene.stop()
        try scene.start()
        scene.value(7)
        #expect(await settled { server.taken.count + events(subscriber).count } == 48)
    }

    @Test(arguments: [HTTPSListener.Manner.hang, .close, .redirect, .fail500])
    func `a server that does not take an event gets it again, and the broker does not wait for it`(
        _ manner: HTTPSListener.Manner
    ) async throws {
        let broker = try Broker()
        let subscriber = try Subscriber(port: broker.port)
        server.behave(manner)
        let scene = try LimitScene(server, port: broker.port)
        try scene.start()
        scene.value(9)
        #expect(await eventually { events(subscriber).count == 1 })
        #expect(await eventually { scene.sender?.status?.lastError != nil })
        scene.value(7)
        server.behave(.take)
        #expect(await eventually { server.taken.count == 2 })
        #expect(server.taken.compactMap { $0["outcome"] as? String } == ["crossed", "over"])
        // The server has the event a moment before the gateway has the answer.
        #expect(await eventually { scene.sender?.status?.delivered == 2 })
        #expect(scene.sender?.status?.lastError == nil)
    }

    @Test func `an event that the server will never take is given up after three times, counted`() async throws {
        server.behave(.refuse400)
        let scene = try LimitScene(server, port: 1)
        try scene.start()
        scene.value(9)
        let keeper = try #require(scene.keeper)
        #expect(await eventually { keeper.state.withLock { $0.queue.dropped[.webhook] } == [.refused: 1] })
        #expect(server.requests.count == 3)
        scene.value(7)
        server.behave(.take)
        #expect(await eventually { server.taken.count == 1 })
        #expect(server.taken.first?["outcome"] as? String == "over")
    }

    @Test func `refusals with another answer between them give up no event`() async throws {
        server.behave(inTurn: [.refuse400, .refuse400, .fail500, .refuse400, .refuse400, .close, .refuse400, .take])
        let scene = try LimitScene(server, port: 1)
        try scene.start()
        scene.value(9)
        let keeper = try #require(scene.keeper)
        #expect(await eventually { scene.sender?.status?.delivered == 1 || !keeper.dropped.isEmpty })
        #expect(keeper.dropped.isEmpty && server.taken.count == 1 && server.requests.count == 8)
    }

    @Test func `an event that the disk does not have is told to nobody`() async throws {
        let scene = try LimitScene(server, port: 1)
        try scene.start(withWaysOut: false)
        let (keeper, journal) = (try #require(scene.keeper), try #require(scene.journal))
        #expect(await eventually { keeper.state.withLock { $0.isLoaded } })
        journal.close()
        scene.value(9)
        let told = await settled { keeper.next(for: .webhook) != nil || !keeper.news.events.isEmpty }
        #expect(!told)
        #expect(keeper.state.withLock { $0.queue.waiting(for: .webhook) } == 1, "the event waits")
    }

    @Test func `a webhook that is configured no more gives up its events, counted, and gets none later`() async throws {
        let scene = try LimitScene(server, port: 1)
        try scene.start()
        scene.value(9)
        let keeper = try #require(scene.keeper)
        #expect(await eventually { keeper.next(for: .webhook) != nil })
        keeper.setReaders([.mqtt])
        #expect(keeper.state.withLock { $0.queue.dropped } == [.webhook: [.off: 1]])
        scene.value(7)
        #expect(keeper.state.withLock { $0.queue.waiting(for: .webhook) } == 0)
    }

    @Test func `a webhook that is taken out while the gateway is off gives up its events, counted`() async throws {
        let scene = try LimitScene(server, port: 1)
        try scene.start()
        scene.value(9)
        #expect(await eventually { scene.keeper?.next(for: .webhook) != nil })
        scene.stop()
        scene.readers = [.mqtt]
        try scene.start(withWaysOut: false)
        let keeper = try #require(scene.keeper)
        #expect(await eventually { keeper.state.withLock { $0.isLoaded } })
        #expect(keeper.state.withLock { $0.queue.dropped } == [.webhook: [.off: 1]])
        #expect(keeper.state.withLock { $0.queue.waiting(for: .webhook) } == 0)
    }
}

extension LimitKeeper {
    fileprivate var dropped: [LimitQueue.Reader: [LimitQueue.DropReason: Int]] {
        state.withLock { $0.queue.dropped }
    }
}

/// A time as payloads have it.
enum UTCText {
    static func of(_ unixMilliseconds: Int64) -> String {
        var writer = PayloadWriter()
        writer.time(unixMilliseconds)
        return String(decoding: writer.octets, as: UTF8.self).filter { $0 != "\"" }
    }
}
