// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CMosquitto
import Glibc
import Logging

/// The publisher's thread: connects, serves the connection until it ends, waits, and begins again.
///
/// Everything here belongs to that thread alone.
final class PublisherLoop {
    private static let answerTimeout: Duration = .seconds(15)
    /// A connection that stood for this long proves that the way is good: the next wait begins small again.
    private static let stableTime: Duration = .seconds(30)
    /// While messages and acknowledgements flow, the socket is served at most this often: twenty at once cost little
    /// more than one.
    private static let rest: Duration = .milliseconds(1)
    /// Nothing sent and nothing acknowledged for this long is no flow.
    private static let flowTime: Duration = .milliseconds(5)
    /// What the goodbye may take at the end of a drain.
    private static let goodbyeTime: Duration = .milliseconds(250)

    private let configuration: MQTTConfiguration
    private let clientID: String
    private let topics: Topics
    private let mailbox: PublisherMailbox
    private let logger: Logger
    private var desk: PublisherDesk
    private var backoff: Backoff
    private var version = MQTTConnection.Version.v5
    /// The broker said in so many words that it does not speak MQTT 5.
    private var isVersionSettled = false
    /// The socket and the wake-up, for poll(2).
    private var descriptors = [pollfd](repeating: pollfd(), count: 2)
    private var connections = 0
    /// Connections in a row that were accepted and soon lost.
    private var shortConnections = 0
    private var wasAccepted = false
    /// Failures in a row, to log the first and then fewer.
    private var failures = 0

    init(
        _ configuration: MQTTConfiguration, gateway: String, information: GatewayInformation, journal: Journal,
        clock: any WallClock, mailbox: PublisherMailbox, logger: Logger
    ) {
        self.configuration = configuration
        self.mailbox = mailbox
        self.logger = logger
        clientID = configuration.clientID ?? "martlet-\(gateway)"
        topics = Topics(prefix: configuration.topicPrefix, gateway: gateway)
        backoff = Backoff(configuration.reconnectDelay)
        desk = PublisherDesk(
            configuration, gateway: gateway, topics: topics, information: information, journal: journal, clock: clock,
            logger: logger)
    }

    func run() {
        // A write to a connection that the broker has closed must not end the process.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)

        while mayTry {
            let begin = MonotonicTime.now
            wasAccepted = false
            do throws(MQTTFailure) {
                let connection = try MQTTConnection(
                    configuration, clientID: clientID, version: version, willTopic: topics.status)
                try connection.connect()
                try serve(connection)
                return  // stopped
            } catch {
                failed(error, after: MonotonicTime.now - begin)
            }
        }
    }

    /// Who wants the publisher to stop still gets the first try: a drain may follow the start at once.
    private var mayTry: Bool {
        guard let stopBy = mailbox.stopBy else { return true }
        return connections == 0 && failures == 0 && .now < stopBy
    }

    /// Serves a connection until the publisher is to stop; throws why it ended before.
    private func serve(_ connection: MQTTConnection) throws(MQTTFailure) {
        let answerDeadline = MonotonicTime.now + Self.answerTimeout
        var nextTick = MonotonicTime.now
        var isServing = false
        defer { ended() }
        while true {
            let now = MonotonicTime.now
            if now >= nextTick {
                connection.tick()
                nextTick = now + .seconds(1)
            }
            desk.settle(connection.takeSettlements())
            if let failure = connection.failure { throw failure }
            if desk.isOverdue(at: now) { throw .noAcknowledgement(configuration.acknowledgementTimeout) }
            if connection.acceptance != nil, !isServing {
                isServing = true
                began(connection)
            }
            takeRequests()
            let stopBy = mailbox.stopBy
            if isServing {
                connection.gather(true)
                try desk.publish(to: connection, at: now)
                connection.gather(false)
                report()
                if let stopBy, desk.isDrained || now + Self.goodbyeTime >= stopBy {
                    return try sayGoodbye(on: connection, by: max(stopBy, now + Self.goodbyeTime))
                }
            } else if let stopBy, now >= stopBy {
                return
            } else if now >= answerDeadline {
                throw .noAnswer
            }
            var wait = nextTick - now
            if let wish = desk.nextDeadline { wait = min(wait, wish - now) }
            if let stopBy { wait = min(wait, stopBy - now - (isServing ? Self.goodbyeTime : .zero)) }
            if desk.inFlightCount > 0, now - desk.lastTraffic < Self.flowTime, !connection.wantsWrite { rest() }
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
        // Rounded up, so that a deadline has passed when its wait has.
        let milliseconds = Int32(min(wait.wholeMilliseconds + (wait > .zero ? 1 : 0), 60_000))
        guard Glibc.poll(&descriptors, 2, milliseconds) > 0 else { return }
        if descriptors[1].revents != 0 { mailbox.wakeUp.clear() }
        let socket = Int32(descriptors[0].revents)
        if socket & POLLOUT != 0 { connection.write() }
        if socket & ~POLLOUT != 0 { connection.read() }
    }

    private func takeRequests() {
        desk.accept(mailbox.take())
    }

    // MARK: - Beginning and end

    private func began(_ connection: MQTTConnection) {
        connections += 1
        failures = 0
        wasAccepted = true
        if connection.version == .v5 { isVersionSettled = true }
        desk.begin(on: connection)
        mailbox.updateStatistics { statistics in
            statistics.connected = true
            statistics.protocolVersion = connection.version.rawValue
            statistics.reconnects = connections - 1
            statistics.lastError = nil
        }
        logger.info(
            "connected to the broker",
            metadata: [
                "mqtt.broker": "\(mailbox.statistics.broker)", "mqtt.version": "\(connection.version.rawValue)",
                "mqtt.client_id": "\(clientID)",
            ])
    }

    private func ended() {
        desk.end()
        mailbox.updateStatistics { statistics in
            statistics.connected = false
            statistics.inFlight = 0
        }
    }

    private func report() {
        mailbox.updateStatistics { statistics in
            statistics.published = desk.published
            statistics.acknowledged = desk.acknowledged
            statistics.inFlight = desk.inFlightCount
            if let complaint = desk.complaint { statistics.lastError = complaint }
        }
    }

    /// `offline` in so many words; where it is not acknowledged in time, the will says the same.
    private func sayGoodbye(on connection: MQTTConnection, by deadline: MonotonicTime) throws(MQTTFailure) {
        try desk.sayOffline(on: connection)
        while !desk.isOffline, connection.failure == nil {
            let now = MonotonicTime.now
            guard now < deadline else { return }
            poll(connection, for: deadline - now)
            desk.settle(connection.takeSettlements())
        }
        connection.disconnect()
        report()
    }

    // MARK: - Failure

    private func failed(_ failure: MQTTFailure, after time: Duration) {
        failures += 1
        if time >= Self.stableTime { backoff.reset() }
        chooseVersion(after: failure)
        var error = failure.description
        if isStolen(failure, after: time) {
            error += " again, soon after it was made: does another client use the id \(clientID)?"
        }
        mailbox.updateStatistics { $0.lastError = error }
        let wait = backoff.wait(spread: Double.random(in: 0.5...1.5))
        // The first of a row, then at doubling distances: a broker that is away for a day is not news each minute.
        if failures & (failures - 1) == 0 {
            logger.warning(
                "no connection to the broker",
                metadata: [
                    "mqtt.broker": "\(mailbox.statistics.broker)", "mqtt.tries": "\(failures)", "error": "\(error)",
                    "mqtt.next_try": "\(wait)",
                ])
        }
        waitForNextTry(wait)
    }

    /// Whether connections keep being taken away: not every broker says that another client has the session.
    private func isStolen(_ failure: MQTTFailure, after time: Duration) -> Bool {
        guard wasAccepted, time < Self.stableTime, case .library = failure else {
            if time >= Self.stableTime { shortConnections = 0 }
            return false
        }
        shortConnections += 1
        return shortConnections > 2
    }

    /// Brokers that only speak MQTT 3.1.1 say so, or hang up on the unknown CONNECT without a word.
    private func chooseVersion(after failure: MQTTFailure) {
        switch failure {
        case .refused(.unsupportedProtocolVersion):
            version = version == .v5 ? .v3 : .v5
            isVersionSettled = version == .v3
            backoff.reset()
        case .library(code: Int32(MOSQ_ERR_CONN_LOST.rawValue), _) where !isVersionSettled,
            .library(code: Int32(MOSQ_ERR_PROTOCOL.rawValue), _) where !isVersionSettled,
            .library(code: Int32(MOSQ_ERR_MALFORMED_PACKET.rawValue), _) where !isVersionSettled:
            version = version == .v5 ? .v3 : .v5
        default:
            break
        }
    }

    private func waitForNextTry(_ wait: Duration) {
        let end = MonotonicTime.now + wait
        while mailbox.stopBy == nil {
            let rest = end - .now
            guard rest > .zero else { return }
            var descriptor = pollfd(fd: mailbox.wakeUp.descriptor, events: Int16(POLLIN), revents: 0)
            let milliseconds = Int32(min(rest.wholeMilliseconds + 1, 60_000))
            if Glibc.poll(&descriptor, 1, milliseconds) > 0 { mailbox.wakeUp.clear() }
            takeRequests()
        }
    }
}

extension MonotonicTime {
    static var now: MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
