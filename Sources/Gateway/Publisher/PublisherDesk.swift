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
    private static let pageSize = 256
    private static let holdInterval: Duration = .seconds(1)

    private let configuration: MQTTConfiguration
    private let topics: Topics
    private let journal: Journal
    private let clock: any WallClock
    private let logger: Logger

    private var information: GatewayInformation
    private var availability: [String: Bool] = [:]
    private var composer: MessageComposer
    private var timeLine: TimeLine

    // This connection's.
    private var isConnected = false
    private var limit = 1
    /// Octets of a history message; what the broker did not take lowers it for good.
    private var historyLimit: Int
    /// Rows of this connection were acknowledged.
    private var hasDelivered = false
    /// Connections in a row that ended with history on its way and nothing acknowledged.
    private var fruitlessConnections = 0
    private var control = Deque<OutgoingMessage>()
    private var history = Deque<OutgoingMessage>()
    private var inFlight: [Int32: InFlight] = [:]
    private var rows: ArraySlice<JournalRow> = []
    /// The last row read from the journal.
    private var cursor: Int64 = 0
    private var mayHaveMore = false
    /// Rows were refused: nothing more is sent before this, and then again from the first row not acknowledged.
    private var pausedUntil: MonotonicTime?
    private var rejections = Backoff(.seconds(1)...(.seconds(60)))
    private var lastRejection: MQTTReason?
    /// The first row has no time yet: look again then.
    private var holdUntil: MonotonicTime?
    private var nextStatistics = MonotonicTime.zero
    private(set) var isOffline = false

    private(set) var published = 0
    private(set) var acknowledged = 0
    /// What the broker refused last on this connection.
    private(set) var complaint: String?
    var inFlightCount: Int { inFlight.count }

    /// What an acknowledgement will settle.
    private enum InFlight {
        case row(Int64)
        case rows([Int64], octets: Int)
        case control
        case offline
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

    private mutating func announceInformation() {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let payload = try? encoder.encode(information) else { return }
        control.append(OutgoingMessage(topic: topics.information, payload: [UInt8](payload), retain: true))
    }

    private mutating func announceAvailability(of device: String, _ online: Bool) {
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
        rewind()
        nextStatistics = .zero
    }

    /// Nothing sent and not acknowledged counts: the journal still has it.
    mutating func end() {
        isConnected = false
        suspectSize()
        control.removeAll()
        inFlight.removeAll(keepingCapacity: true)
        pausedUntil = nil
        rewind()
    }

    /// Some brokers (mosquitto 2.0) close the connection on a message above their limit, and their answer is lost with
    /// it. Once may be an outage, twice in a row is suspicious.
    private mutating func suspectSize() {
        let largest = inFlight.values.reduce(0) { largest, message in
            if case .rows(let numbers, let octets) = message, numbers.count > 1 {
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
    private mutating func rewind() {
        history.removeAll()
        rows = []
        cursor = 0
        mayHaveMore = true
        holdUntil = nil
    }

    /// Everything that can be delivered has been. Asks the journal, so for the end only.
    var isDrained: Bool {
        guard inFlight.isEmpty, control.isEmpty else { return false }
        if pausedUntil != nil || holdUntil != nil { return true }
        guard history.isEmpty, rows.isEmpty, !mayHaveMore, journal.pendingCount == 0 else { return false }
        return (try? journal.rows(after: cursor, limit: 1).isEmpty) ?? true
    }

    mutating func sayOffline(on connection: MQTTConnection) throws(MQTTFailure) {
        let payload = [UInt8]("offline".utf8)
        inFlight[try connection.publish(payload, to: topics.status, retain: true)] = .offline
    }

    // MARK: - Acknowledgements

    mutating func settle(_ settlements: [MQTTConnection.Settlement]) {
        var delivered: [Int64] = []
        for settlement in settlements {
            guard let message = inFlight.removeValue(forKey: settlement.messageID) else { continue }  // QoS 0
            if settlement.reason.isFailure {
                refused(message, settlement.reason)
                continue
            }
            switch message {
            case .row(let n): delivered.append(n)
            case .rows(let numbers, _): delivered.append(contentsOf: numbers)
            case .control: continue
            case .offline:
                isOffline = true
                continue
            }
            acknowledged += 1
        }
        guard !delivered.isEmpty else { return }
        hasDelivered = true
        if pausedUntil == nil { rejections.reset() }
        journal.acknowledge(delivered)
    }

    private mutating func refused(_ message: InFlight, _ reason: MQTTReason) {
        if case .rows(let numbers, let octets) = message, numbers.count > 1, reason == .packetTooLarge {
            shrinkHistory(below: octets)
            pausedUntil = .now
            return
        }
        var metadata: Logger.Metadata = ["mqtt.reason": "\(reason)"]
        switch message {
        case .control: metadata["mqtt.message"] = "status"
        case .offline: isOffline = true
        case .row, .rows:
            guard pausedUntil == nil else { return }
            let wait = rejections.wait(spread: Double.random(in: 0.5...1.5))
            pausedUntil = .now + wait
            metadata["mqtt.message"] = "readings"
            metadata["mqtt.next_try"] = "\(wait)"
        }
        complaint = "message refused: \(reason)"
        if lastRejection != reason {
            lastRejection = reason
            logger.error("the broker refuses a message", metadata: metadata)
        }
    }

    private mutating func shrinkHistory(below octets: Int) {
        guard octets / 2 < historyLimit else { return }
        historyLimit = max(octets / 2, 1)
        logger.warning(
            "the broker does not take messages of this size; history goes in smaller ones",
            metadata: ["mqtt.octets": "\(octets)", "mqtt.history_octets": "\(historyLimit)"])
    }

    // MARK: - Publishing

    /// When ``publish(to:at:)`` has to be called again though nothing happened.
    var nextDeadline: MonotonicTime? {
        guard isConnected else { return nil }
        return [nextStatistics, pausedUntil, holdUntil].compactMap { $0 }.min()
    }

    /// Sends as much as may be on its way at once.
    mutating func publish(to connection: MQTTConnection, at now: MonotonicTime) throws(MQTTFailure) {
        let stamp = clock.stamp()
        learnTime(from: stamp)
        resumeIfDue(at: now)
        if let holdUntil, now >= holdUntil { self.holdUntil = nil }
        while inFlight.count < limit {
            if let message = control.popFirst() {
                let id = try connection.publish(message.payload, to: message.topic, retain: message.retain)
                inFlight[id] = .control
            } else if pausedUntil != nil || holdUntil != nil {
                break
            } else if let message = history.popFirst() {
                try send(message, on: connection)
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

    private mutating func learnTime(from stamp: TimeStamp) {
        guard timeLine.currentOffset == nil, let unix = stamp.unixMilliseconds else { return }
        timeLine.currentOffset = unix - stamp.uptimeMilliseconds
        journal.setOffset(unix - stamp.uptimeMilliseconds, ofBoot: stamp.boot)
    }

    /// Ends a pause when its time has come and all that was sent before it is settled, so that nothing goes twice.
    private mutating func resumeIfDue(at now: MonotonicTime) {
        guard let pausedUntil, now >= pausedUntil, inFlight.isEmpty else { return }
        self.pausedUntil = nil
        rewind()
    }

    private mutating func nextRow() -> JournalRow? {
        if let row = rows.first { return row }
        guard mayHaveMore else { return nil }
        do {
            let page = try journal.rows(after: cursor, limit: Self.pageSize)
            mayHaveMore = page.count == Self.pageSize
            cursor = page.last?.n ?? cursor
            rows = page[...]
            return rows.first
        } catch {
            logger.error("journal cannot be read", metadata: ["error": "\(error)"])
            holdUntil = .now + Self.holdInterval
            return nil
        }
    }

    private mutating func publish(
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
        let message = composer.state(of: row, time: time, boot: timeLine.boot(row.boot)?.name ?? "")
        do {
            let id = try connection.publish(message.payload, to: message.topic)
            inFlight[id] = .row(row.n)
            published += 1
        } catch .library(code: Int32(MOSQ_ERR_OVERSIZE_PACKET.rawValue), _) {
            refused(.row(row.n), .packetTooLarge)
        }
        if configuration.publishRaw, let raw = composer.raw(of: row) {
            _ = try connection.publish(raw.payload, to: raw.topic, qos: 0)
        }
    }

    /// The time to publish with; asks the journal for what it knows of boots when this does not suffice.
    private mutating func time(of row: JournalRow) -> ReadingTime? {
        if timeLine.boot(row.boot) != nil, let time = timeLine.time(of: row) { return time }
        if let boots = try? journal.boots() { timeLine.replaceBoots(boots) }
        return timeLine.time(of: row)
    }

    /// Makes messages of all rows of the page up to the first that is young, or has to be held back.
    private mutating func gatherHistory(at uptime: Int64, window: Int64) {
        composer.beginHistory(limit: historyLimit)
        while let row = rows.first, !timeLine.isLive(row, at: uptime, window: window), let time = time(of: row) {
            composer.addToHistory(row, time: time, boot: timeLine.boot(row.boot)?.name ?? "")
            rows.removeFirst()
        }
        for message in composer.endHistory() { history.append(message) }
    }

    private mutating func send(_ message: OutgoingMessage, on connection: MQTTConnection) throws(MQTTFailure) {
        do {
            let id = try connection.publish(message.payload, to: message.topic)
            inFlight[id] = .rows(message.rows, octets: message.payload.count)
            published += 1
        } catch .library(code: Int32(MOSQ_ERR_OVERSIZE_PACKET.rawValue), _) {
            refused(.rows(message.rows, octets: message.payload.count), .packetTooLarge)
        }
    }
}
