// SPDX-License-Identifier: Apache-2.0

import Collector
import Configuration
import Foundation
import Gateway
import Health
import Metrics
import Operations
import Platform

/// Looks at the gateway once for all visitors of the page: often while visitors are there, and rarely otherwise, for
/// the charts.
actor PageNews {
    static let maximumFeeds = 16
    /// Seconds between two looks: with visitors, and without.
    private static let period = 2
    private static let idlePeriod = 10
    /// Seconds between two signs of life to a visitor.
    private static let beat = 14
    /// Pause between two reads of the journal for the charts, because other tasks need the disk, too.
    private static let fillingPause: Duration = .milliseconds(20)

    private let gateway: GatewayService
    private let operations: any GatewayOperations & BufferOperations
    private let extras: PageExtras
    /// Whether a session is still valid.
    private let isLive: @Sendable (_ session: String) -> Bool
    private var feeds: [EventFeed] = []
    private var latest: [EventFeed.Kind: [UInt8]] = [:]
    private let keeper: ChartKeeper
    /// The newest known time, in milliseconds since 1970.
    private var time: Int64?
    /// Adds the journal's numbers of earlier runs to the charts.
    private(set) var filling: Task<Void, Never>?
    private var look: Task<Void, Never>?
    private var log: Task<Void, Never>?

    init(
        _ gateway: GatewayService, _ extras: PageExtras,
        isLive: @escaping @Sendable (_ session: String) -> Bool = { _ in true }
    ) {
        (self.gateway, self.extras, self.isLive) = (gateway, extras, isLive)
        operations = gateway.operations
        keeper = ChartKeeper(gateway.makeChartFile())
    }

    func start() {
        look = Task { [weak self] in
            var seconds = 0
            while !Task.isCancelled, let news = self {
                await news.tick(seconds)
                await Waiting.pause(for: .seconds(Self.period))
                seconds += Self.period
            }
        }
    }

    func stop() async {
        look?.cancel()
        log?.cancel()
        filling?.cancel()
        for feed in feeds { feed.end() }
        feeds = []
        if let time { await keeper.finish(at: time) }
    }

    /// A feed with the present state, and then with news; nil if too many visitors have feeds.
    ///
    /// - Parameter session: The feed ends with this session; nil without sessions.
    func follow(isLocked: Bool, session: String?) async -> EventFeed? {
        feeds.removeAll(where: \.isEnded)
        guard feeds.count < Self.maximumFeeds else { return nil }
        let feed = EventFeed(session: session)
        // Before the first await, because other visitors may come meanwhile.
        feeds.append(feed)
        let settings = await operations.settings()
        let session = PageSession(
            gateway: settings.gateway, name: settings.name, version: GatewayVersion.current, password: isLocked,
            provisioning: extras.window != nil, update: gateway.canUpdate,
            commands: AdvisedCommand.lines(on: gateway.installation))
        if let octets = try? ControlCoding.encode(session) { feed.put(.session, octets) }
        await tick(0)
        for (kind, octets) in latest { feed.put(kind, octets) }
        feed.put(lines: await operations.logTail(lines: 200))
        if log == nil { followLog() }
        // The session may have ended during the awaits.
        endOver()
        return feed
    }

    /// Ends the feeds of ended sessions: logged out, too old, or displaced.
    func endOver() {
        for feed in feeds { if let session = feed.session, !isLive(session) { feed.end() } }
    }

    private func followLog() {
        log = Task { [weak self, operations] in
            for await line in operations.logLines() {
                guard let news = self, await news.tell(line) else { break }
            }
        }
    }

    /// False without listeners.
    private func tell(_ line: String) -> Bool {
        for feed in feeds { feed.put(lines: [line]) }
        guard feeds.contains(where: { !$0.isEnded }) else {
            // The next visitor starts to follow the log again.
            log = nil
            return false
        }
        return true
    }

    private func tick(_ seconds: Int) async {
        endOver()
        feeds.removeAll(where: \.isEnded)
        let isWatched = !feeds.isEmpty
        guard isWatched || seconds % Self.idlePeriod == 0 else { return }
        let status = await refreshed()
        guard isWatched else { return }
        tell(.status, status)
        if seconds % 4 == 0 { tell(.heard, await operations.heardSensors()) }
        if let window = extras.window { tell(.window, await window.state()) }
        if let update = gateway.imageUpdate { tell(.update, update) }
        if seconds % Self.beat == 0 { for feed in feeds { feed.beat() } }
    }

    private func tell(_ kind: EventFeed.Kind, _ value: some Encodable) {
        guard let octets = try? ControlCoding.encode(value), latest[kind] != octets else { return }
        latest[kind] = octets
        for feed in feeds { feed.put(kind, octets) }
    }

    /// Tells all visitors a step of an operation.
    func tell(_ step: String, of operation: OperationName) {
        guard let octets = try? ControlCoding.encode(OperationStep(operation: operation, step: step)) else { return }
        for feed in feeds { feed.put(.progress, octets) }
    }

    /// The status of now, and what is drawn of it.
    func refreshed() async -> GatewayStatus {
        let status = await operations.status()
        if let unix = status.time?.unixMs ?? status.time?.systemUnixMs {
            time = status.time?.unixMs ?? time
            await keeper.add(status.collector.sensors, at: unix, isRight: status.time?.unixMs != nil)
        }
        if let unix = status.time?.unixMs { fillCharts(at: unix) }
        return status
    }

    /// Runs once, as soon as the time is known and the journal is open.
    private func fillCharts(at now: Int64) {
        guard filling == nil, let numbers = gateway.bufferedNumbers(in: ChartBook.day(before: now)) else { return }
        filling = Task { [weak self] in
            var numbers = numbers
            while !Task.isCancelled, let some = await numbers.next(), let news = self {
                await news.fill(some, at: now)
                await Waiting.pause(for: Self.fillingPause)
            }
        }
    }

    private func fill(_ numbers: [BufferedNumbers.Number], at now: Int64) async { await keeper.add(numbers, at: now) }

    /// The points in memory.
    var charts: ChartBook { get async { await keeper.book } }

    /// The chart of a sensor.
    func chart(of sensor: String, _ range: ChartRange) async -> Chart {
        await keeper.chart(of: sensor, range, at: time)
    }

    /// For Prometheus. A scrape draws no chart, and decodes no value that somebody has decoded before.
    func metrics() async -> String { GatewayMetrics(await operations.status()).text }
}

/// The page's first event.
struct PageSession: Codable, Sendable {
    var gateway: String
    var name: String
    var version: String
    /// The page has a password.
    var password: Bool
    var provisioning: Bool
    /// Visitors may request the installation of updates.
    var update: Bool
    /// The commands of advice, by their names, as a person types them where the gateway is installed.
    var commands: [String: String]
}
