// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Logging
import MQTT
import Platform
import Readings
import SparkplugB

/// Decides what is published next, and knows the messages in flight; a value without I/O, clocks and chance. Each call
/// receives its input, and the wishes wait in ``takeEffects()``.
///
/// First come messages about the gateway and its sensors. Rows of the live lane follow, each in a message of its own to
/// `…/state`, and then rows of the history lane in arrays to `…/history`. Part of the room in flight is reserved for
/// the live lane, so the live lane never waits for history. The journal may delete a row when the broker has
/// acknowledged the row's message.
struct PublisherMachine {
    static let holdInterval: Duration = .seconds(1)
    /// Milliseconds for which rows gather that become old, before they go out together.
    static let gatheringTime: Int64 = 10_000
    let configuration: MQTTConfiguration
    var composer: MessageComposer
    var times: RowTimes

    // The facts about the gateway and its sensors.
    var gateway: GatewayNews
    var presence = SensorPresence()
    var descriptions: SensorDescriptions
    var control = ControlQueue()
    /// The announcements to Home Assistant; nil without announcements.
    var discovery: DiscoveryMachine?
    /// Requests to the gateway over MQTT; nil if no command is allowed.
    var commands: CommandMachine?
    /// The owners of shared sensors; nil without other gateways.
    var leases: LeaseMachine?
    /// The edge node; nil with JSON.
    var sparkplug: SparkplugMachine?

    // Readings.
    var live = LiveLane()
    var history: HistoryLane
    var sizing: HistorySizing
    var reading = ReadRetry()
    var counts = LaneCounts()

    // The broker.
    var session = BrokerSession()
    var inFlight = InFlightWindow()
    var refusals = BrokerRefusals()
    var turn = PublisherTurn()

    var layout: any MessageLayout { composer.layout }
    var topics: Topics { layout.topics }
    var isConnected: Bool { session.isConnected }
    var retains: Bool { session.retains }
    var isOffline: Bool { session.isOffline }
    var inFlightCount: Int { inFlight.count }
    var lastTraffic: MonotonicTime { inFlight.lastTraffic }
    /// The accepted sizes of this broker, as far as known.
    var sizes: HistorySizes { sizing.sizes }
    var endedOverHistory: Bool { sizing.endedOverHistory }
    /// The broker's last refusal on this connection.
    var complaint: String? { refusals.complaint }
    /// There are further messages for this turn.
    var hasMore: Bool { turn.hasMore }

    init(
        _ configuration: MQTTConfiguration, layout: any MessageLayout, information: GatewayInformation, boot: String,
        sensors: SensorTable = SensorTable(), nonce: String? = nil
    ) {
        self.configuration = configuration
        gateway = GatewayNews(information)
        // Hosts of Sparkplug notice two nodes of one name by themselves.
        if let nonce, configuration.claimsName, !configuration.speaksSparkplug {
            gateway.look(for: NameClaim(gateway: layout.topics.gatewayName, nonce: nonce))
        }
        descriptions = SensorDescriptions(configuration.pacing, sensors)
        history = HistoryLane(rate: configuration.historyRowsPerSecond)
        sizing = HistorySizing(limit: configuration.historyMaximumBytes)
        let node = configuration.sparkplugTopics(layout.topics)
        composer = MessageComposer(
            layout, node.map { SparkplugComposer(topics: $0) }, sensors: sensors,
            expiry: UInt32(clamping: configuration.expireAfterSeconds))
        sparkplug = node.map { SparkplugMachine($0, waitsForHost: configuration.sparkplug.primaryHost != nil) }
        if !configuration.allowedCommands.isEmpty {
            commands = CommandMachine(allowed: configuration.allowedCommands)
        }
        // An edge node's devices are its own.
        if configuration.sharesSensors, node == nil { leases = LeaseMachine(gateway: layout.topics.gatewayName) }
        // Home Assistant reads no Sparkplug.
        if configuration.homeAssistant.discovery != .off, node == nil { discovery = DiscoveryMachine() }
        times = RowTimes(boot: boot, publishUnsynced: configuration.publishUnsynced)
    }

    // MARK: - Requests of other threads

    mutating func accept(
        _ requests: PublisherMailbox.Requests, at now: MonotonicTime, from rows: any DeliveryRows
    ) {
        if requests.hasNewRows {
            live.expectRows()
            history.expectRows()
        }
        if requests.decodersChanged { composer.forgetDecoders() }
        if let mode = requests.historyMode { history.change(to: mode) }
        if let information = requests.information, gateway.update(information), isConnected {
            announceInformation()
            discovery?.begin([], at: now)
        }
        if !requests.described.isEmpty {
            descriptions.changed()
            composer.forgetSensors()
            for device in requests.described { discovery?.changed(device, at: now) }
        }
        for (device, rssi) in requests.signals { recordSignal(of: device, rssi, at: now) }
        for (device, entities) in requests.droppedEntities {
            for entity in entities.sorted() { drop(entity, of: device, at: now, from: rows) }
        }
        for (device, word) in requests.availability { setAvailability(word, of: device, at: now, from: rows) }
        for (request, answer) in requests.answers { performed(request, answer) }
    }

    mutating func announceInformation() {
        // A node reports this with its birth, and changes with its statistics.
        guard sparkplug == nil, let payload = gateway.information.payload else { return }
        control.append(OutgoingMessage(topic: topics.information, payload: payload, retain: true))
    }

    // MARK: - Publishing

    /// All deliverable rows are delivered. Asks the journal, so for the end only.
    mutating func isDrained(at moment: PublisherMoment, from rows: any DeliveryRows) -> Bool {
        guard lanesAreOpen else { return inFlight.isEmpty && control.isEmpty }
        guard inFlight.isEmpty, control.isEmpty, commands?.hasAnswers != true, !live.mayHaveRows, live.nextEnd == nil,
            rows.pendingCount == 0
        else { return false }
        // History that may not go now would only delay the end.
        return !history.isOpen(at: moment.now) || history.isIdle(at: moment.stamp.uptimeMilliseconds)
    }

    mutating func sayOffline(at moment: PublisherMoment) {
        releaseSensors()
        guard let goodbye = goodbye(at: moment) else { return session.goOffline() }
        publish(goodbye, as: .offline)
    }

    // MARK: - Effects

    /// The wishes to carry out now, before any other call of the machine.
    mutating func takeEffects() -> [PublisherEffect] {
        turn.take()
    }

    /// Like ``takeEffects()``, but reuses the memory of finished effects.
    mutating func takeEffects(inPlaceOf done: inout [PublisherEffect]) { turn.take(inPlaceOf: &done) }

    mutating func want(_ effect: PublisherEffect) { turn.want(effect) }

    mutating func log(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata = [:]) {
        want(.log(level, message, metadata))
    }

    /// Like ``log(_:_:_:)``, for other clients' messages, which may be many.
    mutating func logHeard(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata = [:]) {
        turn.logHeard(level, message, metadata)
    }

    /// Sends a message that needs an acknowledgement.
    mutating func publish(
        _ message: OutgoingMessage, as content: InFlightWindow.Content, _ properties: MessageProperties? = nil
    ) {
        if let birth = message.data.flatMap({ sparkplug?.birth(before: $0) }) { want(.mention(OutgoingMessage(birth))) }
        want(.publish(message, properties, place: inFlight.add(content)))
    }

    /// The message was sent.
    mutating func sent(_ place: Int, at now: MonotonicTime) {
        switch inFlight.sent(place, at: now) {
        case .live: counts.live += 1
        case .history(let rows):
            counts.history += 1
            history.sent(rows: rows)
            sizing.sent()
        case .other, nil: break
        }
    }

    /// The message is larger than the broker's Maximum Packet Size, and was not sent.
    mutating func tooLarge(_ place: Int, at moment: PublisherMoment, from rows: any DeliveryRows) {
        guard let content = inFlight.take(place)?.content else { return }
        refused(content, .packetTooLarge, at: moment, from: rows)
    }

    /// The message is too large, and would get no acknowledgement: it is left out.
    mutating func tooLarge(_ message: OutgoingMessage, at moment: PublisherMoment, from rows: any DeliveryRows) {
        refused(.control(message), .packetTooLarge, at: moment, from: rows)
    }

    /// The message's topic is no topic name: a text of the journal is damaged. Messages about a sensor wait like refused messages.
    mutating func unnamed(
        _ place: Int, _ fault: TopicFault, at moment: PublisherMoment, from rows: any DeliveryRows
    ) {
        guard let content = inFlight.take(place)?.content else { return }
        if case .control(let message) = content { return unnamed(message, fault) }
        refused(content, .topicNameInvalid, at: moment, from: rows)
    }

    /// The message is left out, and no broker can retain a message on its topic.
    mutating func unnamed(_ message: OutgoingMessage, _ fault: TopicFault) {
        want(.forgetRetained(topic: message.topic))
        log(
            .warning, "a message is left out, because its topic is none",
            ["mqtt.topic": "\(message.topic)", "mqtt.reason": "\(fault)"])
    }

    // MARK: - Waiting

    /// How long the machine has nothing to do without an event; nil if everything waits for an event.
    ///
    /// - Parameter isWriting: The socket has not taken all octets so far, and will report when it can.
    mutating func wait(from moment: PublisherMoment, isWriting: Bool = false) -> Duration? {
        let now = moment.now
        guard isConnected else { return nil }
        if let end = refusals.pauseEnd { return inFlight.isEmpty ? end - now : nil }
        var waits: [Duration] = []
        if control.isEmpty { waits.append(gateway.statisticsWait(from: now)) }
        if let due = gateway.claim?.watch.due { waits.append(max(due - now, .zero)) }
        if let due = gateway.claim?.answerDue { waits.append(max(due - now, .zero)) }
        if let due = discovery?.nextDue { waits.append(due - now) }
        if let due = leases?.nextDue { waits.append(max(due - now, .zero)) }
        if let due = presence.formerDue { waits.append(max(due - now, .zero)) }
        if let due = sparkplug?.nextDue { waits.append(due - now) }
        // A wait for an acknowledgement has no deadline.
        if inFlight.hasRoom, !makesRoom, lanesAreOpen {
            let uptime = moment.stamp.uptimeMilliseconds
            let isReadable = reading.isOpen(at: now)
            if let wait = reading.wait(from: now) { waits.append(wait) }
            if live.heldFrom != nil { waits.append(Self.holdInterval) }
            if isReadable, let refused = nextRefused(.live) { waits.append(refused.until - now) }
            if isReadable, let end = live.nextEnd {
                waits.append(.milliseconds(max(end.subtractingSaturated(uptime), 0)))
            }
            if isReadable, let end = live.endings.next {
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

    /// Sends as many messages as may be in flight. While ``hasMore`` is true afterwards, the caller carries out the
    /// wishes and calls this function again.
    ///
    /// - Parameter isWriting: The socket has not taken all octets so far.
    mutating func publish(at moment: PublisherMoment, from rows: any DeliveryRows, isWriting: Bool) {
        turn.begin()
        learnTime(at: moment)
        guard !refusals.isPaused(at: moment.now, isIdle: inFlight.isEmpty) else { return }
        settleOwners(at: moment)
        if presence.isFormerDue(at: moment.now) { clearFormerAvailability(known: rows) }
        gateway.update(moment.update)
        announceUpdate()
        announceRadio(moment.radio, boot: moment.stamp.boot)
        announceProblems(at: moment)
        announceLimits(at: moment)
        answerClaim(at: moment.now)
        watchNamesake(at: moment.now)
        publishDiscovery(at: moment.now)
        publishSparkplug(at: moment, from: rows)
        while inFlight.hasRoom, let message = control.popFirst() { publish(message, as: .control(message)) }
        publishAnswers()
        if !makesRoom, lanesAreOpen { publishLanes(at: moment, from: rows, isWriting: isWriting) }
        if control.isEmpty, gateway.takeStatistics(at: moment.now, every: configuration.statisticsInterval) {
            guard sparkplug == nil else { return mentionNode(at: moment, rows.statistics) }
            let payload = GatewayStatistics(
                gateway: topics.gateway, stamp: moment.stamp, journal: rows.statistics, lanes: counts,
                history: history.mode, slots: moment.slots, nonce: gateway.claim?.nonce
            ).payload
            want(.mention(OutgoingMessage(topic: topics.statistics, payload: payload)))
        }
    }

    /// A message of history has to go with nothing else in flight, so no message follows the present messages in
    /// flight.
    private var makesRoom: Bool { sizing.goesAlone && history.mode != .paused && !inFlight.isEmpty }

    private mutating func publishLanes(at moment: PublisherMoment, from rows: any DeliveryRows, isWriting: Bool) {
        let now = moment.now
        if sizing.isHistorysTurn, reading.isOpen(at: now) {
            publishHistory(at: moment, from: rows, isWriting: isWriting)
            sizing.hadTurn(!inFlight.isEmpty)
            guard inFlight.isEmpty else { return }
        }
        sizing.hadTurn(false)
        if reading.isOpen(at: now) { publishLive(at: moment, from: rows) }
        // Rows that were just given up must not be read again.
        if !hasMore, reading.isOpen(at: now) { publishHistory(at: moment, from: rows, isWriting: isWriting) }
        reading.succeeded(at: now)
    }

    mutating func cannotRead(_ error: any Error, at now: MonotonicTime) {
        guard let tries = reading.failed(at: now) else { return }
        log(.error, "journal cannot be read", ["journal.tries": "\(tries)", "error": "\(error)"])
    }
}
