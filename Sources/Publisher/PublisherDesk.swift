// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Logging
import MQTT
import Platform
import Readings

/// Decides what is published next, and knows what is on its way.
///
/// First what the gateway says of itself and its sensors, then the live lane's rows, each by itself to `…/state`, then
/// the history lane's in arrays to `…/history`. A part of what may be on its way at once is kept for the live lane, so
/// that it never waits for history. A row is given back to the journal for deletion when the broker has acknowledged the
/// message with it.
struct PublisherDesk {
    static let holdInterval: Duration = .seconds(1)
    /// Milliseconds for which rows gather that get old, before they go out together.
    static let gatheringTime: Int64 = 10_000
    /// Octets of history that may be on their way: on a slow line, what is on its way holds up what comes after it.
    static let historyOctets = 131_072

    let configuration: MQTTConfiguration
    let properties: LaneProperties
    let topics: Topics
    let journal: any DeliveryJournal
    let clock: any WallClock
    let logger: Logger

    var information: GatewayInformation
    var availability: [String: Bool] = [:]
    /// Sensors that were removed; each connection clears what its broker may still retain of them.
    var departed: Set<String> = []
    let retained: RetainedTopics
    var descriptions: [String: SensorDescription] = [:]
    var composer: MessageComposer
    var timeLine: TimeLine
    /// The journal was asked for its boots in this turn.
    var bootsAreFresh = false

    var live = LiveLane()
    /// It is known what an earlier publisher may have sent: before that nothing goes out live.
    var hasTakenOver = false
    var history: HistoryLane
    /// Some sensor's values are kept back.
    var isPacing: Bool
    /// By the journal's number of the device; what is not here is not known yet.
    var pacings: [Int64: LivePacing] = [:]

    // This connection's.
    var isConnected = false
    /// The broker takes retained messages, and is to.
    var retains = true
    var limit = 1
    /// What has been learned of the sizes that this broker takes.
    var sizes: HistorySizes
    /// A message of history that had to go alone was the last to go.
    private var wasHistorysTurn = false
    /// Octets of a message that this broker takes by its own word.
    var maximumMessage = Int.max
    /// Octets of a history message.
    var historyLimit: Int { min(sizes.limit, maximumMessage) }
    /// Rows of history were acknowledged on this connection.
    var hasDeliveredHistory = false
    /// The last connection ended with history on its way, and none acknowledged.
    var endedOverHistory = false
    var control = ControlQueue()
    var inFlight: [Int32: Sent] = [:]
    var historyInFlight = (messages: 0, octets: 0)
    /// What the broker refused last, by topic: said once.
    var refusedTopics: [String: MQTTReason] = [:]
    var quota = QuotaPause()
    /// Messages that an acknowledgement has to settle, sent on this connection.
    var sentCount = 0
    /// Of the messages that are on their way, the oldest one's place in their order, and since when it is that: what
    /// overtakes it does not count for it.
    var oldest: (place: Int, since: MonotonicTime)?
    /// Since when the acknowledgement of one and the same message is awaited.
    var waitingSince: MonotonicTime? { oldest?.since }
    /// When something was sent or acknowledged last.
    var lastTraffic = MonotonicTime.zero
    /// The journal could not be read: not again before.
    var readAgain = MonotonicTime.zero
    /// Tries to read it that failed, in a row.
    private var readFailures = 0
    var nextStatistics = MonotonicTime.zero
    /// When to look whether the live lane has let go of rows that history passed over.
    var nextCatchUp = MonotonicTime.zero
    var isOffline = false

    var counts = LaneCounts()
    /// What the broker refused last on this connection.
    var complaint: String?
    var inFlightCount: Int { inFlight.count }

    /// A message on its way.
    struct Sent {
        var content: InFlight
        /// Its place in the order in which messages were sent.
        var place: Int
    }

    /// What an acknowledgement will settle.
    enum InFlight {
        case live(Int64, LiveLane.Stream)
        case history([Int64], device: Int64, octets: Int)
        case control(OutgoingMessage)
        case offline
    }

    init(
        _ configuration: MQTTConfiguration, gateway: String, topics: Topics, information: GatewayInformation,
        journal: any DeliveryJournal, clock: any WallClock, logger: Logger
    ) {
        self.configuration = configuration
        self.topics = topics
        self.information = information
        self.journal = journal
        retained = RetainedTopics(journal)
        self.clock = clock
        self.logger = logger
        isPacing = configuration.pacing.isActive
        history = HistoryLane(rate: configuration.historyRowsPerSecond)
        properties = LaneProperties(expiry: UInt32(clamping: configuration.expireAfterSeconds))
        sizes = HistorySizes(limit: configuration.historyMaximumBytes)
        composer = MessageComposer(gateway: gateway, topics: topics, journal: journal, layout: configuration.layout)
        timeLine = TimeLine(current: clock.stamp().boot, publishUnsynced: configuration.publishUnsynced)
    }

    // MARK: - What others ask

    mutating func accept(_ requests: PublisherMailbox.Requests) {
        if requests.hasNewRows {
            live.noteNewRows()
            history.noteNewRows()
        }
        if let mode = requests.historyMode { history.mode = mode }
        if let information = requests.information, information != self.information {
            self.information = information
            if isConnected { announceInformation() }
        }
        for (device, description) in requests.descriptions where descriptions[device] != description {
            descriptions[device] = description
            composer.describe(device, description)
            pacings.removeAll(keepingCapacity: true)
            isPacing =
                configuration.pacing.isActive || descriptions.values.contains { $0.pacing != LivePacingRule() }
        }
        for (device, word) in requests.availability { take(word, of: device) }
    }

    mutating func announceInformation() {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let payload = try? encoder.encode(information) else { return }
        control.append(OutgoingMessage(topic: topics.information, payload: [UInt8](payload), retain: true))
    }

    // MARK: - Publishing

    /// Everything that can be delivered now has been. Asks the journal, so for the end only.
    mutating func isDrained(at now: MonotonicTime) -> Bool {
        guard inFlight.isEmpty, control.isEmpty, !live.mayHaveRows, live.nextEnd == nil, journal.pendingCount == 0
        else { return false }
        // What history may not send yet would hold up the end for nothing.
        return !history.isOpen(at: now) || history.isIdle(at: clock.stamp().uptimeMilliseconds)
    }

    mutating func sayOffline(on connection: MQTTConnection) throws(MQTTFailure) {
        let payload = [UInt8]("offline".utf8)
        try sent(.offline, try connection.publish(payload, to: topics.status, retain: true))
    }

    /// How long nothing has to be done if nothing happens; nil while everything waits for something to happen.
    ///
    /// - Parameter isWriting: The socket has not taken everything yet, and will say when it can.
    mutating func wait(from now: MonotonicTime, isWriting: Bool = false) -> Duration? {
        guard isConnected else { return nil }
        if let end = quota.end { return inFlight.isEmpty ? end - now : nil }
        var waits: [Duration] = []
        if control.isEmpty { waits.append(nextStatistics - now) }
        // What has to wait for an acknowledgement has no deadline.
        if inFlight.count < limit, !makesRoom {
            let uptime = clock.stamp().uptimeMilliseconds
            let isReadable = now >= readAgain
            if !isReadable { waits.append(readAgain - now) }
            if live.heldFrom != nil { waits.append(Self.holdInterval) }
            if isReadable, let refused = nextRefused(.live) { waits.append(refused.until - now) }
            if isReadable, let end = live.nextEnd {
                waits.append(.milliseconds(max(end.subtractingSaturated(uptime), 0)))
            }
            if isReadable, live.mayHaveRows { waits.append(.zero) }
            if isReadable, hasRoomForHistory, !isWriting, history.mode != .paused {
                let pause = history.isOpen(at: now) ? .zero : history.bucket.wait
                if let refused = nextRefused(.history) { waits.append(max(refused.until - now, pause)) }
                if let look = history.nextLook {
                    waits.append(max(.milliseconds(max(look.subtractingSaturated(uptime), 0)), pause))
                }
            }
        }
        return waits.min()
    }

    /// Sends as much as may be on its way at once.
    mutating func publish(to connection: MQTTConnection, at now: MonotonicTime) throws(MQTTFailure) {
        let stamp = clock.stamp()
        bootsAreFresh = false
        learnTime(from: stamp)
        guard !quota.isOn(at: now, isIdle: inFlight.isEmpty) else { return }
        while inFlight.count < limit, let message = control.popFirst() {
            do {
                let id = try connection.publish(message.payload, to: message.topic, retain: message.retain)
                try sent(.control(message), id)
            } catch .tooLarge {
                refused(.control(message), .packetTooLarge)
            }
        }
        if !makesRoom { try publishLanes(to: connection, at: now, stamp) }
        if now >= nextStatistics, control.isEmpty {
            nextStatistics = now + configuration.statisticsInterval
            let payload = GatewayStatistics(
                gateway: topics.gateway, stamp: stamp, journal: journal.statistics, lanes: counts, history: history.mode
            ).payload
            try publishUnacknowledged(payload, to: topics.statistics, on: connection)
        }
    }

    /// A message of history has to go with nothing else on its way: so nothing follows what is on its way now.
    private var makesRoom: Bool { sizes.alone > 0 && history.mode != .paused && !inFlight.isEmpty }

    private mutating func publishLanes(
        to connection: MQTTConnection, at now: MonotonicTime, _ stamp: TimeStamp
    ) throws(MQTTFailure) {
        // Live values that never stop would not let such a message go: they take turns with it, a round trip each.
        if sizes.alone > 0, !wasHistorysTurn, now >= readAgain {
            try publishHistory(to: connection, at: now, stamp)
            wasHistorysTurn = !inFlight.isEmpty
            guard !wasHistorysTurn else { return }
        }
        wasHistorysTurn = false
        if now >= readAgain { try publishLive(to: connection, at: now, stamp) }
        if now >= readAgain { try publishHistory(to: connection, at: now, stamp) }
        if now >= readAgain { readFailures = 0 }
    }

    /// With QoS 0. What does not fit into a packet of the broker's Maximum Packet Size is left out.
    mutating func publishUnacknowledged(
        _ payload: [UInt8], to topic: String, on connection: MQTTConnection
    ) throws(MQTTFailure) {
        do {
            try checkUnused(try connection.publish(payload, to: topic, qos: 0))
        } catch .tooLarge {
            refused(.control(OutgoingMessage(topic: topic, payload: payload)), .packetTooLarge)
        }
    }

    mutating func cannotRead(_ error: any Error, at now: MonotonicTime) {
        readAgain = now + Self.holdInterval
        readFailures += 1
        // The first of a row, then at doubling distances.
        guard readFailures & (readFailures - 1) == 0 else { return }
        logger.error("journal cannot be read", metadata: ["journal.tries": "\(readFailures)", "error": "\(error)"])
    }

    mutating func sent(_ content: InFlight, _ id: Int32) throws(MQTTFailure) {
        try checkUnused(id)
        sentCount += 1
        inFlight[id] = Sent(content: content, place: sentCount)
        if case .history(_, _, let octets) = content {
            historyInFlight.messages += 1
            historyInFlight.octets += octets
        }
        lastTraffic = .now
        if oldest == nil { oldest = (sentCount, lastTraffic) }
    }

    /// The library counts message ids up to 65,535 and begins again, whether or not one is still awaited: then the next
    /// acknowledgement would settle the wrong message. Messages without an acknowledgement have ids, too.
    func checkUnused(_ id: Int32) throws(MQTTFailure) {
        if inFlight[id] != nil { throw .messageIDsUsedUp }
    }

    /// After messages were settled. Brokers answer in the order of what they got (MQTT 5.0, 4.6), so whichever is the
    /// oldest now had to wait for those before it, and its time begins.
    mutating func noteOldest() {
        guard let place = inFlight.values.lazy.map(\.place).min() else { return oldest = nil }
        if place != oldest?.place { oldest = (place, lastTraffic) }
    }

    /// The numbers of all rows that are on their way.
    var underway: Set<Int64> {
        var underway: Set<Int64> = []
        for message in inFlight.values {
            switch message.content {
            case .live(let n, _): underway.insert(n)
            case .history(let numbers, _, _): underway.formUnion(numbers)
            case .control, .offline: break
            }
        }
        return underway
    }
}
