// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CMosquitto
import Foundation
import Logging

/// Decides what is published next, and knows what is on its way.
///
/// First what the gateway says of itself and its sensors, then the journal's rows in their order: a row that is young
/// goes to `…/state` by itself, older ones go to `…/history` in arrays. A row is given back to the journal for deletion
/// when the broker has acknowledged the message with it.
struct PublisherDesk {
    /// Rows read from the journal at a time.
    static let pageSize = 256
    /// Pages read in one go where all rows are of refused devices: the socket waits meanwhile.
    static let pagesAtOnce = 8
    static let holdInterval: Duration = .seconds(1)

    let configuration: MQTTConfiguration
    let topics: Topics
    let journal: Journal
    let clock: any WallClock
    let logger: Logger

    var information: GatewayInformation
    var availability: [String: Bool] = [:]
    var composer: MessageComposer
    var timeLine: TimeLine

    // This connection's.
    var isConnected = false
    var limit = 1
    /// Octets of a history message; what the broker did not take lowers it for good.
    var historyLimit: Int
    /// Rows of this connection were acknowledged.
    var hasDelivered = false
    /// Connections in a row that ended with history on its way and nothing acknowledged.
    var fruitlessConnections = 0
    var control = Deque<OutgoingMessage>()
    var history = Deque<OutgoingMessage>()
    var inFlight: [Int32: InFlight] = [:]
    var rows: ArraySlice<JournalRow> = []
    /// The last row read from the journal.
    var cursor: Int64 = 0
    /// All rows in `rows` and `history` come after this one.
    var pageStart: Int64 = 0
    var mayHaveMore = false
    /// The journal is being read past rows of refused devices.
    var isScanning = false
    /// Rows that were on their way when reading went back to before them.
    var underway: Set<Int64> = []
    var refusedDevices = RefusedDevices()
    /// What the broker refused last, by topic: said once.
    var refusedTopics: [String: MQTTReason] = [:]
    /// Since when messages are on their way without any acknowledgement.
    var waitingSince: MonotonicTime?
    /// When something was sent or acknowledged last.
    var lastTraffic = MonotonicTime.zero
    /// The first row has no time yet: look again then.
    var holdUntil: MonotonicTime?
    var nextStatistics = MonotonicTime.zero
    var isOffline = false

    var published = 0
    var acknowledged = 0
    /// What the broker refused last on this connection.
    var complaint: String?
    var inFlightCount: Int { inFlight.count }

    /// What an acknowledgement will settle.
    enum InFlight {
        case row(Int64, device: Int64)
        case rows([Int64], device: Int64, octets: Int)
        case control(topic: String)
        case offline

        var device: Int64? {
            switch self {
            case .row(_, let device), .rows(_, let device, _): device
            case .control, .offline: nil
            }
        }
    }

    init(
        _ configuration: MQTTConfiguration, gateway: String, topics: Topics, information: GatewayInformation,
        journal: Journal, clock: any WallClock, logger: Logger
    ) {
        self.configuration = configuration
        self.topics = topics
        self.information = information
        self.journal = journal
        self.clock = clock
        self.logger = logger
        historyLimit = configuration.historyMaximumBytes
        composer = MessageComposer(gateway: gateway, topics: topics, journal: journal)
        timeLine = TimeLine(current: clock.stamp().boot, publishUnsynced: configuration.publishUnsynced)
    }

    // MARK: - What others ask

    mutating func accept(_ requests: PublisherMailbox.Requests) {
        if requests.hasNewRows { mayHaveMore = true }
        if let information = requests.information, information != self.information {
            self.information = information
            if isConnected { announceInformation() }
        }
        for (device, online) in requests.availability where availability[device] != online {
            availability[device] = online
            if isConnected { announceAvailability(of: device, online) }
        }
    }

    mutating func announceInformation() {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let payload = try? encoder.encode(information) else { return }
        control.append(OutgoingMessage(topic: topics.information, payload: [UInt8](payload), retain: true))
    }

    mutating func announceAvailability(of device: String, _ online: Bool) {
        control.append(
            OutgoingMessage(
                topic: topics.availability(of: device), payload: [UInt8]((online ? "online" : "offline").utf8),
                retain: true))
    }

    // MARK: - Connections

    /// Queues what comes before readings: status, information, the sensors' availability.
    mutating func begin(on connection: MQTTConnection) {
        isConnected = true
        hasDelivered = false
        complaint = nil
        let acceptance = connection.acceptance ?? .init()
        limit = max(min(configuration.maximumInFlight, acceptance.receiveMaximum), 1)
        historyLimit = min(historyLimit, max(acceptance.maximumPacketSize - 256, 1))
        control.append(OutgoingMessage(topic: topics.status, payload: [UInt8]("online".utf8), retain: true))
        announceInformation()
        for (device, online) in availability.sorted(by: { $0.key < $1.key }) {
            announceAvailability(of: device, online)
        }
        refusedDevices.beginConnection()
        rewind()
        nextStatistics = .zero
    }

    /// Nothing sent and not acknowledged counts: the journal still has it.
    mutating func end() {
        isConnected = false
        if !isOverdue(at: .now) { suspectSize() }
        control.removeAll()
        inFlight.removeAll(keepingCapacity: true)
        waitingSince = nil
        rewind()
    }

    /// Some brokers (mosquitto 2.0) close the connection on a message above their limit, and their answer is lost with
    /// it. Once may be an outage, twice in a row is suspicious.
    mutating func suspectSize() {
        let largest = inFlight.values.reduce(0) { largest, message in
            if case .rows(let numbers, _, let octets) = message, numbers.count > 1 {
                max(largest, octets)
            } else {
                largest
            }
        }
        guard !hasDelivered, largest > 0 else {
            if hasDelivered { fruitlessConnections = 0 }
            return
        }
        fruitlessConnections += 1
        if fruitlessConnections > 1 { shrinkHistory(below: largest) }
    }

    /// Begins again with the first row that the broker has not acknowledged.
    mutating func rewind() { goBack(to: 0) }

    /// Reads on after row `n`, or before: nothing that was read and not sent is left out.
    mutating func goBack(to n: Int64) {
        cursor = min(n, pageStart)
        pageStart = cursor
        history.removeAll()
        rows = []
        underway.removeAll()
        for message in inFlight.values {
            switch message {
            case .row(let n, _): underway.insert(n)
            case .rows(let numbers, _, _): underway.formUnion(numbers)
            case .control, .offline: break
            }
        }
        mayHaveMore = true
        holdUntil = nil
    }

    /// Everything that can be delivered has been. Asks the journal, so for the end only.
    var isDrained: Bool {
        guard inFlight.isEmpty, control.isEmpty else { return false }
        if holdUntil != nil { return true }
        guard history.isEmpty, rows.isEmpty, !mayHaveMore, journal.pendingCount == 0 else { return false }
        return (try? journal.rows(after: cursor, limit: 1).isEmpty) ?? true
    }

    mutating func sayOffline(on connection: MQTTConnection) throws(MQTTFailure) {
        let payload = [UInt8]("offline".utf8)
        inFlight[try connection.publish(payload, to: topics.status, retain: true)] = .offline
    }

    // MARK: - Publishing

    /// When ``publish(to:at:)`` has to be called again though nothing happened.
    var nextDeadline: MonotonicTime? {
        guard isConnected else { return nil }
        // What has to wait for an acknowledgement has no deadline.
        var deadlines = [holdUntil, control.isEmpty ? nextStatistics : nil]
        if inFlight.count < limit { deadlines += [nextRefused?.until, isScanning ? .zero : nil] }
        return deadlines.compactMap { $0 }.min()
    }

    /// Sends as much as may be on its way at once.
    mutating func publish(to connection: MQTTConnection, at now: MonotonicTime) throws(MQTTFailure) {
        let stamp = clock.stamp()
        learnTime(from: stamp)
        isScanning = false
        if let holdUntil, now >= holdUntil { self.holdUntil = nil }
        while inFlight.count < limit {
            if let message = control.popFirst() {
                let id = try connection.publish(message.payload, to: message.topic, retain: message.retain)
                sent(.control(topic: message.topic), id)
            } else if let refused = nextRefused, refused.until <= now {
                try tryAgain(refused.device, on: connection, at: now, stamp)
            } else if holdUntil != nil {
                break
            } else if let message = history.popFirst() {
                // A device that was refused since goes back to these rows later.
                if !refusedDevices.contains(message.device) { try send(message, on: connection) }
            } else if let row = nextRow() {
                try publish(row, to: connection, at: now, stamp)
            } else {
                break
            }
        }
        if now >= nextStatistics, control.isEmpty {
            nextStatistics = now + configuration.statisticsInterval
            let payload = GatewayStatistics(
                gateway: topics.gateway, stamp: stamp, journal: journal.statistics, published: published,
                acknowledged: acknowledged
            ).payload
            _ = try connection.publish(payload, to: topics.statistics, qos: 0)
        }
    }

    mutating func learnTime(from stamp: TimeStamp) {
        guard timeLine.learn(stamp, clock.anchor), let anchor = timeLine.anchor else { return }
        journal.setOffset(anchor.offset, ofBoot: stamp.boot)
    }

    mutating func sent(_ message: InFlight, _ id: Int32) {
        inFlight[id] = message
        lastTraffic = .now
        if waitingSince == nil { waitingSince = lastTraffic }
    }

    mutating func nextRow() -> JournalRow? {
        if let row = rows.first { return row }
        do {
            for _ in 0..<Self.pagesAtOnce {
                guard mayHaveMore else { return nil }
                let page = try journal.rows(after: cursor, limit: Self.pageSize)
                mayHaveMore = page.count == Self.pageSize
                pageStart = cursor
                cursor = page.last?.n ?? cursor
                rows = page[...]
                if !refusedDevices.isEmpty || !underway.isEmpty {
                    rows.removeAll { refusedDevices.contains($0.device) || underway.contains($0.n) }
                }
                if let row = rows.first { return row }
            }
            isScanning = mayHaveMore
            return nil
        } catch {
            logger.error("journal cannot be read", metadata: ["error": "\(error)"])
            holdUntil = .now + Self.holdInterval
            return nil
        }
    }

    mutating func publish(
        _ row: JournalRow, to connection: MQTTConnection, at now: MonotonicTime, _ stamp: TimeStamp
    ) throws(MQTTFailure) {
        guard let time = time(of: row) else {
            holdUntil = now + Self.holdInterval
            return
        }
        let window = configuration.liveWindow.wholeMilliseconds
        guard timeLine.isLive(row, at: stamp.uptimeMilliseconds, window: window) else {
            return gatherHistory(at: stamp.uptimeMilliseconds, window: window)
        }
        rows.removeFirst()
        try sendState(of: row, time: time, on: connection)
    }

    mutating func sendState(
        of row: JournalRow, time: ReadingTime, on connection: MQTTConnection
    ) throws(MQTTFailure) {
        let message = composer.state(of: row, time: time, boot: timeLine.boot(row.boot)?.name ?? "")
        do {
            sent(.row(row.n, device: row.device), try connection.publish(message.payload, to: message.topic))
            published += 1
        } catch .library(code: Int32(MOSQ_ERR_OVERSIZE_PACKET.rawValue), _) {
            refused(.row(row.n, device: row.device), .packetTooLarge)
        }
        if configuration.publishRaw, let raw = composer.raw(of: row) {
            _ = try connection.publish(raw.payload, to: raw.topic, qos: 0)
        }
    }

    /// The time to publish with; asks the journal for what it knows of boots when this does not suffice.
    mutating func time(of row: JournalRow) -> ReadingTime? {
        if timeLine.boot(row.boot) != nil, let time = timeLine.time(of: row) { return time }
        if let boots = try? journal.boots() { timeLine.replaceBoots(boots) }
        return timeLine.time(of: row)
    }

    /// Makes messages of all rows of the page up to the first that is young, or has to be held back.
    mutating func gatherHistory(at uptime: Int64, window: Int64) {
        composer.beginHistory(limit: historyLimit)
        while let row = rows.first, !timeLine.isLive(row, at: uptime, window: window), let time = time(of: row) {
            composer.addToHistory(row, time: time, boot: timeLine.boot(row.boot)?.name ?? "")
            rows.removeFirst()
        }
        for message in composer.endHistory() { history.append(message) }
    }

    mutating func send(_ message: OutgoingMessage, on connection: MQTTConnection) throws(MQTTFailure) {
        let content = InFlight.rows(message.rows, device: message.device, octets: message.payload.count)
        do {
            sent(content, try connection.publish(message.payload, to: message.topic))
            published += 1
        } catch .library(code: Int32(MOSQ_ERR_OVERSIZE_PACKET.rawValue), _) {
            refused(content, .packetTooLarge)
        }
    }
}
