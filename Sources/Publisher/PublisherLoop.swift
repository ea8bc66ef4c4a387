// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Glibc
import Logging
import MQTT
import Platform
import Readings

/// The publisher's thread: connects, serves the connection until its end, waits, and begins again.
///
/// Only this thread uses the loop.
final class PublisherLoop {
    static let answerTimeout: Duration = .seconds(15)
    /// While messages and acknowledgements flow, the socket is served at most this often: twenty at once cost little
    /// more than one.
    private static let rest: Duration = .milliseconds(1)
    /// After this time without messages and acknowledgements, nothing flows.
    private static let flowTime: Duration = .milliseconds(5)
    /// Time limit for the goodbye at the end of a drain.
    private static let goodbyeTime: Duration = .milliseconds(250)
    /// Time limit for the look-up of a broker's name, and for the TCP connection to the broker.
    static let dialTime: Duration = .seconds(10)
    /// Time limit for each step of the check for TLS.
    private static let speechTime: Duration = .seconds(3)

    /// The share of a wait that is taken, by chance.
    static let spread = 0.5...1.5
    /// Pause between the orderly end of a session and the next session.
    private static let newSessionTime: Duration = .seconds(1)

    let configuration: MQTTConfiguration
    private let clientID: String
    let journal: any DeliveryJournal
    let clock: any WallClock
    let surroundings: PublisherSurroundings
    let mailbox: PublisherMailbox
    let logger: Logger
    var machine: PublisherMachine
    var randomness: Randomness
    /// The machine's complaint in the last report.
    private var reported: String?
    var places = MessagePlaces()
    /// The present or last wishes of the machine.
    var effects: [PublisherEffect] = []
    var rotation: BrokerRotation
    private var retries: RetrySchedule
    /// The habits of each broker, in the order of the rotation.
    var habits: [BrokerHabits]
    /// The socket and the wake-up, for poll(2).
    private var descriptors = [pollfd](repeating: pollfd(), count: 2)
    /// The try to connect that is made, or the connection that came of it.
    var attempt = ConnectionTry()
    var subscriptions = SubscriptionWatch()

    init(
        _ configuration: MQTTConfiguration, gateway: String, information: GatewayInformation,
        journal: any DeliveryJournal,
        clock: any WallClock, mailbox: PublisherMailbox, superseded: [LiveLane.Stream: Int64]?,
        surroundings: PublisherSurroundings, logger: Logger
    ) {
        self.surroundings = surroundings
        randomness = surroundings.randomness
        self.configuration = configuration
        self.mailbox = mailbox
        self.logger = logger
        clientID = configuration.clientID ?? "martlet-\(gateway)"
        let layout = configuration.layout.messages(Topics(prefix: configuration.topicPrefix, gateway: gateway))
        self.journal = journal
        self.clock = clock
        rotation = BrokerRotation(configuration.addresses)
        habits = Array(repeating: BrokerHabits(), count: configuration.addresses.count)
        retries = RetrySchedule(configuration.reconnectDelay, takenOver: configuration.takenOverDelay)
        machine = PublisherMachine(
            configuration, layout: layout, information: information, boot: clock.stamp().boot,
            sensors: surroundings.sensors, nonce: surroundings.nonce)
        if let superseded { machine.takeOver(superseded) }
    }

    func run() {
        defer { mailbox.progress?.tell(.stopped) }
        // A write to a connection that the broker has closed must not end the process.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)

        while mayTry {
            let begin = clock.now
            attempt.begin()
            mailbox.updateStatistics { $0.broker = rotation.current.description }
            self.begin(.name)
            do throws(MQTTFailure) {
                let will = machine.will(at: moment(), from: journal)
                perform()
                let connection = try MQTTConnection(
                    configuration, at: rotation.current, clientID: clientID, version: habits[rotation.position].version,
                    will: will, retainsWill: !habits[rotation.position].refusesRetained,
                    startsClean: startsClean, hears: hears)
                try connect(connection)
                machine.usedWill()
                try serve(connection)
                if mailbox.stopBy != nil { return }
                waitForNextTry(Self.newSessionTime)
            } catch {
                failed(diagnosed(error), after: clock.now - begin)
            }
        }
    }

    /// The gateway looks for another gateway under its name.
    var claims: Bool {
        machine.gateway.claim != nil && habits[rotation.position].claimFailures < BrokerHabits.claimPatience
    }

    /// Messages from the broker are wanted.
    private var hears: Bool { configuration.subscribes || claims }

    /// A session with strange subscriptions, or with unwanted subscriptions of this gateway, would make the broker send
    /// unwanted messages.
    private var startsClean: Bool {
        habits[rotation.position].hasStrangeSession
            || !hears && Self.mayHaveSubscribed(journal)
    }

    /// A broker hangs up, sends nonsense, or stays silent if the gateway uses TLS and the broker does not, or the other
    /// way round; so does a web server. If this may be the reason, the gateway checks which speech the listener uses, as
    /// often as the log reports the failure.
    private func diagnosed(_ failure: MQTTFailure) -> MQTTFailure {
        guard !attempt.wasAccepted, failure.mayBeOtherSpeech else { return failure }
        // The address that has failed is asked, and no other one.
        let address = BrokerAddress(host: attempt.dialed?.host ?? rotation.current.host, port: rotation.current.port)
        if retries.nextIsNews, mailbox.stopBy == nil {
            let speech = SpeechCheck.speech(
                at: address, usesTLS: configuration.tls != nil, timeout: Self.speechTime)
            habits[rotation.position].checked(address.host, speech)
        }
        return habits[rotation.position].otherSpeech(of: address.host)?.failure ?? failure
    }

    /// A stop still allows the first try: a drain may follow the start at once.
    private var mayTry: Bool {
        guard let stopBy = mailbox.stopBy else { return true }
        return retries.isFirst && clock.now < stopBy
    }

    /// Serves a connection until the publisher stops or needs a new session; throws the reason of an earlier end.
    private func serve(_ connection: MQTTConnection) throws(MQTTFailure) {
        do throws(MQTTFailure) {
            try attend(to: connection)
            ended(nil)
        } catch {
            if claims, attempt.wasAccepted, connection.awaitsSubscriptions {
                habits[rotation.position].claimUnanswered()
            }
            ended(error)
            throw error
        }
    }

    private func attend(to connection: MQTTConnection) throws(MQTTFailure) {
        let answerDeadline = clock.now + Self.answerTimeout
        subscriptions = SubscriptionWatch()
        var nextTick = clock.now
        var isServing = false
        while true {
            let now = clock.now
            if now >= nextTick {
                connection.tick()
                nextTick = now + .seconds(1)
            }
            settle(connection)
            takeMessages(from: connection)
            watchSubscriptions(of: connection, at: now)
            if let failure = connection.failure { throw failure }
            if machine.isOverdue(at: now) { throw .noAcknowledgement(configuration.acknowledgementTimeout) }
            if attempt.step == .tls, connection.isSecured { begin(.broker) }
            if connection.acceptance != nil, !isServing {
                isServing = true
                began(connection)
                try subscribe(on: connection)
                subscriptions.begin(at: now)
                reportConnected(connection)
            }
            takeRequests()
            let stopBy = mailbox.stopBy
            if isServing {
                if machine.wantsNewSession { return try sayGoodbye(on: connection, by: now + Self.goodbyeTime) }
                // Intervals end now, because the publisher stops.
                if stopBy != nil { machine.live.endIntervals() }
                connection.gather(true)
                try publish(to: connection, at: now)
                connection.gather(false)
                report()
                if let stopBy, machine.isDrained(at: moment(now), from: journal) || now + Self.goodbyeTime >= stopBy {
                    return try sayGoodbye(on: connection, by: max(stopBy, now + Self.goodbyeTime))
                }
            } else if let stopBy, now >= stopBy {
                // CONNECT has gone out, maybe late. Without DISCONNECT the broker would publish the will.
                return connection.disconnect()
            } else if now >= answerDeadline {
                throw attempt.step == .tls ? .noHandshake : connection.cutAnswer ?? .noAnswer
            }
            var wait = nextTick - now
            if let wish = machine.wait(from: moment(now), isWriting: connection.wantsWrite) { wait = min(wait, wish) }
            if let stopBy { wait = min(wait, stopBy - now - (isServing ? Self.goodbyeTime : .zero)) }
            // Messages without an acknowledgement are settled when they are written, which makes room.
            if connection.hasSettlements { wait = .zero }
            if machine.inFlightCount > 0, now - machine.lastTraffic < Self.flowTime, !connection.wantsWrite { rest() }
            poll(connection, for: max(wait, .zero))
        }
    }

    /// Lets acknowledgements gather.
    private func rest() {
        var time = timespec(tv_sec: 0, tv_nsec: Int(Self.rest.wholeNanoseconds))
        nanosleep(&time, nil)
    }

    /// Waits for the socket or the wake-up, and lets the library read and write.
    private func poll(_ connection: MQTTConnection, for wait: Duration) {
        var events = Int16(POLLIN)
        if connection.wantsWrite { events |= Int16(POLLOUT) }
        descriptors[0] = pollfd(fd: connection.descriptor, events: events, revents: 0)
        descriptors[1] = pollfd(fd: mailbox.wakeUp.descriptor, events: Int16(POLLIN), revents: 0)
        // Rounded up, so the deadline has passed when the wait ends.
        let milliseconds = Int32(min(wait.wholeMilliseconds + (wait > .zero ? 1 : 0), 60_000))
        guard Glibc.poll(&descriptors, 2, milliseconds) > 0 else { return }
        if descriptors[1].revents != 0 { mailbox.wakeUp.clear() }
        let socket = Int32(descriptors[0].revents)
        if socket & POLLOUT != 0 { connection.write() }
        if socket & ~POLLOUT != 0 { connection.read() }
    }

    private func takeRequests() {
        machine.accept(mailbox.take(), at: clock.now, from: journal)
        perform()
    }

    // MARK: - Start and end

    private func began(_ connection: MQTTConnection) {
        retries.connected()
        attempt.accepted()
        if let host = connection.dialedHost { habits[rotation.position].answered(host) }
        habits[rotation.position].accepted(connection.version)
        // The messages of a former process about updates stay valid.
        machine.gateway.update(surroundings.update())
        machine.begin(
            connection.acceptance ?? .init(), sizes: habits[rotation.position].sizes, at: clock.now, from: journal)
        perform()
    }

    /// SUBSCRIBE has gone out, so clients that see this state may send MQTT messages to the gateway.
    private func reportConnected(_ connection: MQTTConnection) {
        mailbox.updateStatistics { statistics in
            statistics.connected = true
            statistics.step = configuration.subscribes && connection.awaitsSubscriptions ? "subscriptions" : nil
            statistics.protocolVersion = connection.version.rawValue
            statistics.reconnects = retries.reconnects
            statistics.lastError = nil
        }
        mailbox.progress?.tell(.connected)
        logger.info(
            "connected to the broker",
            metadata: [
                "mqtt.broker": "\(mailbox.statistics.broker)", "mqtt.version": "\(connection.version.rawValue)",
                "mqtt.client_id": "\(clientID)",
            ])
    }

    private func ended(_ failure: MQTTFailure?) {
        machine.end(failure, at: clock.now)
        perform()
        places.removeAll()
        if attempt.wasAccepted { habits[rotation.position].learn(machine.sizes) }
        mailbox.updateStatistics { statistics in
            statistics.connected = false
            statistics.inFlight = 0
        }
    }

    private func report() {
        mailbox.updateStatistics { statistics in
            statistics.published = machine.counts.published
            statistics.acknowledged = machine.counts.acknowledged
            statistics.liveAcknowledged = machine.counts.liveAcknowledged
            statistics.acknowledgementTimes = machine.counts.times
            statistics.live = machine.counts.live
            statistics.history = machine.counts.history
            statistics.suppressed = machine.counts.suppressed
            statistics.historyMode = machine.history.mode.rawValue
            statistics.inFlight = machine.inFlightCount
            statistics.refusedSensors = machine.refusedSensors
            statistics.namesake = machine.gateway.claim?.isForeign(at: clock.now) == true ? true : nil
            // A complaint that is over goes; any other error stays.
            if let complaint = machine.complaint {
                statistics.lastError = complaint
            } else if let reported, statistics.lastError == reported {
                statistics.lastError = nil
            }
            reported = machine.complaint
        }
    }

    /// Publishes `offline`. If no acknowledgement comes in time, the will says `offline`.
    private func sayGoodbye(on connection: MQTTConnection, by deadline: MonotonicTime) throws(MQTTFailure) {
        machine.sayOffline(at: moment())
        try perform(on: connection)
        while !machine.isOffline, connection.failure == nil {
            let now = clock.now
            guard now < deadline else { return }
            poll(connection, for: deadline - now)
            settle(connection)
        }
        connection.disconnect()
        report()
    }

    // MARK: - Failure

    private func failed(_ failure: MQTTFailure, after time: Duration) {
        let wasAccepted = attempt.wasAccepted
        let wasStable = retries.failed(after: time, wasAccepted: wasAccepted)
        let blame = attempt.blame(for: failure)
        if let blame { habits[rotation.position].failed(blame.host) }
        let hasOtherHosts = blame?.triesNext == true
        mailbox.updateStatistics { $0.step = nil }
        let isContested = habits[rotation.position].contest.ended(
            failure, after: wasAccepted ? time : nil, isOverMessages: machine.endedOverHistory)
        let isTakenOver = failure == .disconnected(.sessionTakenOver)
        if isContested, let dialed = attempt.dialed { habits[rotation.position].failed(dialed.host) }
        var error = explained(failure)
        if isTakenOver {
            error += " (this one's is \(clientID))" + copyAdvice
        } else if isContested {
            error +=
                ", three times in a row less than \(SessionContest.soon.components.seconds) s after it was accepted: perhaps another "
                + "client uses the client id \(clientID), too (mqtt.client_id), or the broker does not like what it is sent: its log "
                + "may say which" + copyAdvice
        }
        mailbox.updateStatistics { $0.lastError = error }
        let lesson = habits[rotation.position].learn(
            from: failure, retains: configuration.retain, hasOtherHosts: hasOtherHosts)
        let isOtherWay = lesson == .atOnce
        if isOtherWay, case .refused = failure { retries.beginAnew() }
        let wait: Duration
        var isRoundOver = true
        if isTakenOver || isContested {
            wait = retries.waitOfContest(spread: randomness.number(in: Self.spread))
            habits[rotation.position].contest.waits(wait)
        } else if hasOtherHosts {
            wait = .zero
            isRoundOver = false
        } else if isOtherWay || rotation.goOn(wasStable: wasStable) {
            wait = retries.wait(after: failure, spread: randomness.number(in: Self.spread))
        } else {
            wait = .zero
            isRoundOver = false
        }
        if isRoundOver { attempt.roundIsOver() }
        if !wasAccepted {
            let end = ConnectionProgress.Failure(
                failure: failure, step: attempt.step, text: error, isTriedOtherwise: lesson != .nothing || !isRoundOver)
            mailbox.progress?.tell(.failed(end))
        }
        if retries.isNews {
            logger.warning(
                "no connection to the broker",
                metadata: [
                    "mqtt.broker": "\(mailbox.statistics.broker)", "mqtt.tries": "\(retries.failures)",
                    "error": "\(error)",
                    "mqtt.next_try": "\(wait.rounded)",
                ])
        }
        waitForNextTry(wait)
    }

    private func waitForNextTry(_ wait: Duration) {
        let end = clock.now + wait
        while mailbox.stopBy == nil {
            let rest = end - clock.now
            guard rest > .zero else { return }
            var descriptor = pollfd(fd: mailbox.wakeUp.descriptor, events: Int16(POLLIN), revents: 0)
            // Other gateways' claims end meanwhile.
            let longest: Int64 = configuration.sharesSensors ? 2_000 : 60_000
            let milliseconds = Int32(min(rest.wholeMilliseconds + 1, longest))
            if Glibc.poll(&descriptor, 1, milliseconds) > 0 { mailbox.wakeUp.clear() }
            takeRequests()
            machine.settleOwners(at: moment())
            perform()
        }
    }
}
