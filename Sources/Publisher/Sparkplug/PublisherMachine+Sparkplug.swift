// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Logging
import MQTT
import Platform
import Readings
import SparkplugB

/// The differences of a gateway that is an edge node of Sparkplug B. Births and deaths replace the JSON messages about
/// status, information and availability. Readings are data with QoS 0, settled when they have left the program.
extension PublisherMachine {
    private static let sessionFact = "sparkplug:bdseq"

    /// Readings may go out.
    var lanesAreOpen: Bool { sparkplug?.isOpen ?? true }

    /// The connection needs an orderly end, and another connection has to follow.
    var wantsNewSession: Bool { sparkplug?.wantsEnd ?? false }

    /// The broker publishes this message when the gateway goes without a goodbye.
    mutating func will(at moment: PublisherMoment, from facts: any FactSource) -> OutgoingMessage {
        guard sparkplug != nil else { return layout.will }
        let last = facts.identifier(for: Self.sessionFact).flatMap { UInt8($0) }
        if let session = sparkplug?.openSession(after: last), session != last {
            want(.keep("\(session)", key: Self.sessionFact))
        }
        return death(at: moment) ?? layout.will
    }

    /// The packet with the will is in flight.
    mutating func usedWill() { sparkplug?.usedSession() }

    /// The last message of a connection with an orderly end; nil if the node was not born.
    func goodbye(at moment: PublisherMoment) -> OutgoingMessage? {
        guard let sparkplug else { return layout.goodbye }
        return sparkplug.isBorn ? death(at: moment) : nil
    }

    private func death(at moment: PublisherMoment) -> OutgoingMessage? {
        sparkplug.map { $0.death(timestamp: moment.wall) }.map { OutgoingMessage(topic: $0.topic, payload: $0.payload) }
    }

    /// The octets of a message, with the end for the present moment.
    func payload(of message: OutgoingMessage, at moment: @autoclosure () -> PublisherMoment) -> [UInt8] {
        guard let order = message.order, let sparkplug else { return message.payload }
        return message.payload + sparkplug.end(order, timestamp: moment().wall)
    }

    /// A message with a Sparkplug end is in flight.
    mutating func used(_ order: SparkplugMessage.Order?) {
        if let order { sparkplug?.sent(order) }
    }

    /// Sends due births and deaths, without acknowledgements.
    mutating func publishSparkplug(at moment: PublisherMoment, from rows: any DeliveryRows) {
        guard sparkplug != nil else { return }
        composer.beginTurn(at: moment.wall)
        sparkplug?.beginTurn(at: moment.now, timestamp: moment.wall)
        if let due = sparkplug?.nextDue, due <= moment.now {
            let node = nodeMetrics(at: moment, rows.statistics)
            let messages = sparkplug?.messagesDue(node: node) ?? []
            for message in messages { want(.mention(OutgoingMessage(message))) }
        }
        if sparkplug?.isWaitingForHost == true, let host = configuration.sparkplug.primaryHost {
            refusals.complain("readings wait for the Sparkplug host application \(host) to be online")
        }
    }

    /// Sends the node's own changes.
    mutating func mentionNode(at moment: PublisherMoment, _ journal: JournalStatistics) {
        let metrics = nodeMetrics(at: moment, journal)
        guard let message = sparkplug?.nodeData(metrics) else { return }
        want(.mention(OutgoingMessage(message)))
    }

    private func nodeMetrics(at moment: PublisherMoment, _ journal: JournalStatistics) -> [SparkplugMetric] {
        func metric(_ name: String, _ value: SparkplugMetric.Value) -> SparkplugMetric {
            SparkplugMetric(name, value, at: moment.wall)
        }
        return [
            metric("Properties/version", .string(gateway.information.version)),
            metric("Properties/model", .string(gateway.information.model)),
            metric("Properties/os", .string(gateway.information.os)),
            metric("Properties/boot", .string(gateway.information.boot)),
            metric("clock", .string(moment.stamp.quality.rawValue)),
            metric("buffered", .int64(Int64(journal.buffered))),
            metric("received", .int64(Int64(journal.received))),
            metric("dropped", .int64(Int64(journal.dropped.values.reduce(0, &+)))),
        ]
    }

    /// - Returns: False for a message on another topic.
    mutating func receiveSparkplug(_ message: IncomingMessage, at moment: PublisherMoment) -> Bool {
        guard sparkplug != nil, let topics = composer.sparkplug?.topics else { return false }
        let notice: SparkplugMachine.Notice?
        switch message.topic.text {
        case topics.node(.command):
            // A retained command was meant for an earlier moment.
            guard !message.isRetained else { return true }
            notice = sparkplug?.received(command: message.payload)
        case configuration.sparkplug.primaryHost.map(SparkplugTopics.state(of:)):
            let isClockRight = [.synced, .holdover].contains(moment.stamp.quality)
            notice = sparkplug?.received(state: message.payload, clock: isClockRight ? moment.wall : nil)
        default: return false
        }
        if let notice { tell(notice, message.topic.text) }
        return true
    }

    private mutating func tell(_ notice: SparkplugMachine.Notice, _ topic: String) {
        switch notice {
        case .rebirth: logHeard(.debug, "births were asked for anew", ["mqtt.topic": "\(topic)"])
        case .ignored(let count):
            guard count & (count - 1) == 0 else { return }
            logHeard(
                .notice, "a command is ignored: the node takes no writes",
                ["mqtt.topic": "\(topic)", "mqtt.ignored": "\(count)"])
        case .invalid(let count):
            guard count & (count - 1) == 0 else { return }
            logHeard(
                .warning, "a message is ignored: it is not as Sparkplug has it",
                ["mqtt.topic": "\(topic)", "mqtt.ignored": "\(count)"])
        case .stale(let count):
            guard count & (count - 1) == 0 else { return }
            logHeard(
                .notice, "the host application's word is passed over: its timestamp is before that of an earlier one",
                ["mqtt.topic": "\(topic)", "mqtt.ignored": "\(count)"])
        case .hostOnline:
            refusals.withdraw()
            logHeard(.notice, "the host application is online", ["mqtt.topic": "\(topic)"])
        case .hostOffline:
            logHeard(.notice, "the host application is offline; readings wait for it", ["mqtt.topic": "\(topic)"])
        }
    }
}
