// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Logging
import MQTT
import Platform
import Readings
import SparkplugB

/// Decides what is published next, and knows what is on its way; a value without I/O, clocks and chance. What it reads is
/// given to each call, what it wants done waits in ``takeEffects()``.
///
/// First what the gateway says of itself and its sensors, then the live lane's rows, each by itself to `…/state`, then
/// the history lane's in arrays to `…/history`. A part of what may be on its way at once is kept for the live lane, so
/// that it never waits for history. A row is given back to the journal for deletion when the broker has acknowledged the
/// message with it.
struct PublisherMachine {
    static let holdInterval: Duration = .seconds(1)
    /// Milliseconds for which rows gather that get old, before they go out together.
    static let gatheringTime: Int64 = 10_000
    /// Octets of history that may be on their way: on a slow line, what is on its way holds up what comes after it.
    static let historyOctets = 131_072
    /// Effects whose memory is kept from one turn to the next.
    private static let keptEffects = 512

    let configuration: MQTTConfiguration
    let properties: LaneProperties
    let layout: any MessageLayout
    var topics: Topics { layout.topics }

    var information: GatewayInformation
    var availability: [String: Bool] = [:]
    /// Sensors that were removed; each connection clears what its broker may still retain of them.
    var departed: Set<String> = []
    var descriptions: [String: SensorDescription] = [:]
    var composer: MessageComposer
    var timeLine: TimeLine
    /// What Home Assistant is told; nil where it is told nothing.
    var discovery: DiscoveryMachine?
    /// How updates of the image stand; nil where the gateway was not flashed.
    var update: ImageUpdate?
    /// The same, as it was told on this connection.
    var toldUpdate: ImageUpdate?
    /// The last event of the radio that was told.
    var toldRadio: UInt64 = 0
    /// What is asked of the gateway over MQTT; nil where nothing may be.
    var commands: CommandMachine?
    /// Who takes care of sensors that other gateways hear, too; nil where there are none.
    var leases: LeaseMachine?
    /// Rows that were not sent because it was not known who delivers them, the first of each sensor.
    var heldForOwner: [String: Int64] = [:]
    /// Messages about owners that made no sense.
    var senselessLeases = 0
    /// The edge node; nil where JSON is spoken.
    var sparkplug: SparkplugMachine?
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
    /// By their places in the order in which messages were sent.
    var inFlight: [Int: Sent] = [:]
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
    /// When what former runs have had retained is taken back.
    var formerDue: MonotonicTime?
    /// When to look whether the live lane has let go of rows that history passed over.
    var nextCatchUp = MonotonicTime.zero
    var isOffline = false

    var counts = LaneCounts()
    /// What the broker refused last on this connection.
    var complaint: String?
    /// By the words of the line: what one kind of message fills does not hide another.
    private var heardLimits: [String: NoticeLimit] = [:]
    /// When a message came last.
    var heardAt = MonotonicTime.zero
    var inFlightCount: Int { inFlight.count }
    private var effects: [PublisherEffect] = []
    /// There is more to send in this turn.
    var hasMore = false

    init(
        _ configuration: MQTTConfiguration, layout: any MessageLayout, information: GatewayInformation, boot: String
    ) {
        self.configuration = configuration
        self.layout = layout
        self.information = information
        isPacing = configuration.pacing.isActive
        history = HistoryLane(rate: configuration.historyRowsPerSecond)
        properties = LaneProperties(expiry: UInt32(clamping: configuration.expireAfterSeconds))
        sizes = HistorySizes(limit: configuration.historyMaximumBytes)
        let node = configuration.sparkplugTopics(layout.topics)
        composer = MessageComposer(layout, node.map { SparkplugComposer(topics: $0) })
        sparkplug = node.map { SparkplugMachine($0, waitsForHost: configuration.sparkplug.primaryHost != nil) }
        if !configuration.allowedCommands.isEmpty {
            commands = CommandMachine(allowed: configuration.allowedCommands)
        }
        // An edge node's devices are its own.
        if configuration.sharesSensors, node == nil { leases = LeaseMachine(gateway: layout.topics.gatewayName) }
        // Home Assistant reads no Sparkplug.
        if configuration.homeAssistant.discovery != .off, node == nil { discovery = DiscoveryMachine() }
        timeLine = TimeLine(current: boot, publishUnsynced: configuration.publishUnsynced)
    }

    // MARK: - What others ask

    mutating func accept(
        _ requests: PublisherMailbox.Requests, at now: MonotonicTime, from rows: any DeliveryRows
    ) {
        if requests.hasNewRows {
            live.noteNewRows()
            history.noteNewRows()
        }
        if requests.decodersChanged { composer.forgetDecoders() }
        if let mode = requests.historyMode { history.mode = mode }
        if let information = requests.information, information != self.information {
            self.information = information
            if isConnected {
                announceInformation()
                discovery?.begin([], at: now)
            }
        }
        for (device, description) in requests.descriptions where descriptions[device] != description {
            descriptions[device] = description
            composer.describe(device, description)
            discovery?.changed(device, at: now)
            pacings.removeAll(keepingCapacity: true)
            isPacing =
                configuration.pacing.isActive || descriptions.values.contains { $0.pacing != LivePacingRule() }
        }
        for (device, rssi) in requests.signals { noteSignal(of: device, rssi, at: now) }
        for (device, entities) in requests.droppedEntities {
            for entity in entities.sorted() { drop(entity, of: device, at: now, from: rows) }
        }
        for (device, word) in requests.availability { take(word, of: device, at: now, from: rows) }
        for (request, answer) in requests.answers { performed(request, answer) }
    }

    mutating func announceInformation() {
        // A node says it with its birth, and what changes with its statistics.
        guard sparkplug == nil, let payload = information.payload else { return }
        control.append(OutgoingMessage(topic: topics.information, payload: payload, retain: true))
    }

    // MARK: - Publishing

    /// Everything that can be delivered now has been. Asks the journal, so for the end only.
    mutating func isDrained(at moment: PublisherMoment, from rows: any DeliveryRows) -> Bool {
        guard lanesAreOpen else { return inFlight.isEmpty && control.isEmpty }
        guard inFlight.isEmpty, control.isEmpty, commands?.hasAnswers != true, !live.mayHaveRows, live.nextEnd == nil,
            rows.pendingCount == 0
        else { return false }
        // What history may not send yet would hold up the end for nothing.
        return !history.isOpen(at: moment.now) || history.isIdle(at: moment.stamp.uptimeMilliseconds)
    }

    mutating func sayOffline(at moment: PublisherMoment) {
        releaseSensors()
        guard let goodbye = goodbye(at: moment) else { return isOffline = true }
        publish(goodbye, as: .offline)
    }

    // MARK: - Effects

    /// What is to be done now; nothing else may be asked of the machine before that.
    mutating func takeEffects() -> [PublisherEffect] {
        defer { effects = [] }
        return effects
    }

    /// The same, into the memory of effects that are done: a turn has a hundred of them, and each has some hundred octets.
    mutating func takeEffects(inPlaceOf done: inout [PublisherEffect]) {
        done.removeAll(keepingCapacity: done.capacity <= Self.keptEffects)
        swap(&effects, &done)
    }

    mutating func want(_ effect: PublisherEffect) { effects.append(effect) }

    mutating func log(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata = [:]) {
        effects.append(.log(level, message, metadata))
    }

    /// The same of what others publish, as often as they like.
    mutating func logHeard(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata = [:]) {
        guard let unsaid = heardLimits[message, default: NoticeLimit()].admit(at: heardAt) else { return }
        log(level, message, unsaid > 0 ? metadata.merging(["mqtt.unsaid": "\(unsaid)"]) { $1 } : metadata)
    }

    /// Puts a message on its way, for which an acknowledgement has to come.
    mutating func publish(_ message: OutgoingMessage, as content: InFlight, _ properties: MessageProperties? = nil) {
        if let birth = message.data.flatMap({ sparkplug?.birth(before: $0) }) { want(.mention(OutgoingMessage(birth))) }
        sentCount += 1
        inFlight[sentCount] = Sent(content: content)
        if case .history(_, _, let octets) = content {
            historyInFlight.messages += 1
            historyInFlight.octets += octets
        }
        effects.append(.publish(message, properties, place: sentCount))
    }

    /// The message has gone out.
    mutating func sent(_ place: Int, at now: MonotonicTime) {
        // Looked up once for both.
        guard let index = inFlight.index(forKey: place) else { return }
        switch inFlight.values[index].content {
        case .live:
            counts.live += 1
            inFlight.values[index].time = now
        case .history(let numbers, _, _):
            counts.history += 1
            inFlight.values[index].time = now
            history.sent(rows: numbers.count)
            if sizes.alone > 0 { sizes.alone -= 1 }
        case .control, .offline: break
        }
        lastTraffic = now
        if oldest == nil { oldest = (place, now) }
    }

    /// The message does not fit into a packet of the broker's Maximum Packet Size, and has not gone out.
    mutating func tooLarge(_ place: Int, at moment: PublisherMoment, from rows: any DeliveryRows) {
        guard let content = take(place)?.content else { return }
        refused(content, .packetTooLarge, at: moment, from: rows)
    }

    /// The same of one that nobody would have acknowledged: it is left out.
    mutating func tooLarge(_ message: OutgoingMessage, at moment: PublisherMoment, from rows: any DeliveryRows) {
        refused(.control(message), .packetTooLarge, at: moment, from: rows)
    }

    // MARK: - Waiting

    /// How long nothing has to be done if nothing happens; nil while everything waits for something to happen.
    ///
    /// - Parameter isWriting: The socket has not taken everything yet, and will say when it can.
    mutating func wait(from moment: PublisherMoment, isWriting: Bool = false) -> Duration? {
        let now = moment.now
        guard isConnected else { return nil }
        if let end = quota.end { return inFlight.isEmpty ? end - now : nil }
        var waits: [Duration] = []
        if control.isEmpty { waits.append(nextStatistics - now) }
        if let due = discovery?.nextDue { waits.append(due - now) }
        if let due = leases?.nextDue { waits.append(max(due - now, .zero)) }
        if let formerDue { waits.append(max(formerDue - now, .zero)) }
        if let due = sparkplug?.nextDue { waits.append(due - now) }
        // What has to wait for an acknowledgement has no deadline.
        if inFlight.count < limit, !makesRoom, lanesAreOpen {
            let uptime = moment.stamp.uptimeMilliseconds
            let isReadable = now >= readAgain
            if !isReadable { waits.append(readAgain - now) }
            if live.heldFrom != nil { waits.append(Self.holdInterval) }
            if isReadable, let refused = nextRefused(.live) { waits.append(refused.until - now) }
            if isReadable, let end = live.nextEnd {
                waits.append(.milliseconds(max(end.subtractingSaturated(uptime), 0)))
            }
            if isReadable, live.mayHaveRows { waits.append(.zero) }
            if let end = leases?.learningEnd(at: now) {
                waits.append(end - now)
            } else if isReadable, hasRoomForHistory, !isWriting, history.mode != .paused {
                let pause = history.isOpen(at: now) ? .zero : history.bucket.wait
                if let refused = nextRefused(.history) { waits.append(max(refused.until - now, pause)) }
                if let look = history.nextLook {
                    waits.append(max(.milliseconds(max(look.subtractingSaturated(uptime), 0)), pause))
                }
            }
        }
        return waits.min()
    }

    // MARK: - Publishing

    /// Sends as much as may be on its way at once. While ``hasMore`` is true after that, it is to be called again, once what
    /// it wanted is done.
    ///
    /// - Parameter isWriting: The socket has not taken everything yet.
    mutating func publish(at moment: PublisherMoment, from rows: any DeliveryRows, isWriting: Bool) {
        hasMore = false
        bootsAreFresh = false
        learnTime(at: moment)
        guard !quota.isOn(at: moment.now, isIdle: inFlight.isEmpty) else { return }
        settleOwners(at: moment)
        if let formerDue, formerDue <= moment.now { clearFormerAvailability(known: rows) }
        update = moment.update
        announceUpdate()
        announceRadio(moment.radio, boot: moment.stamp.boot)
        publishDiscovery(at: moment.now)
        publishSparkplug(at: moment, from: rows)
        while inFlight.count < limit, let message = control.popFirst() { publish(message, as: .control(message)) }
        publishAnswers()
        if !makesRoom, lanesAreOpen { publishLanes(at: moment, from: rows, isWriting: isWriting) }
        if moment.now >= nextStatistics, control.isEmpty {
            nextStatistics = moment.now + configuration.statisticsInterval
            guard sparkplug == nil else { return mentionNode(at: moment, rows.statistics) }
            let payload = GatewayStatistics(
                gateway: topics.gateway, stamp: moment.stamp, journal: rows.statistics, lanes: counts,
                history: history.mode, slots: moment.slots
            ).payload
            want(.mention(OutgoingMessage(topic: topics.statistics, payload: payload)))
        }
    }

    /// A message of history has to go with nothing else on its way: so nothing follows what is on its way now.
    private var makesRoom: Bool { sizes.alone > 0 && history.mode != .paused && !inFlight.isEmpty }

    private mutating func publishLanes(at moment: PublisherMoment, from rows: any DeliveryRows, isWriting: Bool) {
        let now = moment.now
        // Live values that never stop would not let such a message go: they take turns with it, a round trip each.
        if sizes.alone > 0, !wasHistorysTurn, now >= readAgain {
            publishHistory(at: moment, from: rows, isWriting: isWriting)
            wasHistorysTurn = !inFlight.isEmpty
            guard !wasHistorysTurn else { return }
        }
        wasHistorysTurn = false
        if now >= readAgain { publishLive(at: moment, from: rows) }
        // What was given up just now must not be read again.
        if !hasMore, now >= readAgain { publishHistory(at: moment, from: rows, isWriting: isWriting) }
        if now >= readAgain { readFailures = 0 }
    }

    mutating func cannotRead(_ error: any Error, at now: MonotonicTime) {
        readAgain = now + Self.holdInterval
        readFailures += 1
        // The first of a row, then at doubling distances.
        guard readFailures & (readFailures - 1) == 0 else { return }
        log(.error, "journal cannot be read", ["journal.tries": "\(readFailures)", "error": "\(error)"])
    }
}
