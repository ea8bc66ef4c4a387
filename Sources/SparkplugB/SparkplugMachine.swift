// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// An edge node of Sparkplug B over successive connections: its births and deaths, the births and deaths of its
/// devices, the sequence of its messages, and the host application that it waits for. Without I/O and clocks.
///
/// The caller opens a session with each connection (``openSession(after:)``). It sends the result of
/// ``messagesDue(node:)`` first in each turn, and asks ``birth(before:)`` for the message that has to go before a
/// message with data. It gives each message its end at the time of sending (``end(_:timestamp:)``, ``sent(_:)``). So
/// the numbers follow the order of sending, whatever was prepared before.
package struct SparkplugMachine: Sendable {
    package static let rebirthMetric = "Node Control/Rebirth"
    static let sessionMetric = "bdSeq"
    /// Time from a birth to the next requested birth: endless requests cost at most one birth in this time.
    package static let rebirthInterval: Duration = .seconds(5)
    /// How long the death of a device waits: data received before the device went away still comes.
    package static let lingering: Duration = .seconds(2)
    /// Milliseconds by which the clock of the host application may be ahead.
    static let tolerance: Int64 = 60_000

    /// The result of a received message.
    package enum Notice: Equatable, Sendable {
        case rebirth
        /// The message asks for a forbidden change; the count of such messages.
        case ignored(Int)
        /// The message is no Sparkplug message; the count of such messages.
        case invalid(Int)
        /// The host application has already sent a later state; the count of such messages.
        case stale(Int)
        case hostOnline
        case hostOffline
    }

    let topics: SparkplugTopics
    private let waitsForHost: Bool

    /// The bdSeq of the will and the birth of this session.
    package private(set) var session: UInt8?
    /// A broker may have the will of this session.
    private var isSessionUsed = false
    private var isConnected = false
    /// The number of the next message.
    private var number: UInt8 = 0
    package private(set) var isBorn = false
    private var bornAt: MonotonicTime?
    private var isRebirthWanted = false
    private var host: HostApplicationState?
    /// The session has to end in order, and a new session has to begin: the host is offline.
    package private(set) var wantsEnd = false
    /// The node's own metrics, as consumers know them.
    private var node: [String: SparkplugMetric.Value] = [:]
    private var devices: [String: SparkplugDevice] = [:]
    /// Devices that may need a birth.
    private var arrived: Set<String> = []
    /// Devices that are away, and the time of their deaths.
    private var leaving: [String: MonotonicTime] = [:]
    /// The time of this turn.
    private var now = MonotonicTime.zero
    private var timestamp: Int64 = 0
    private var ignored = 0
    private var invalid = 0
    private var stale = 0

    /// - Parameter waitsForHost: Data flows only while the primary host application is online.
    package init(_ topics: SparkplugTopics, waitsForHost: Bool = false) {
        self.topics = topics
        self.waitsForHost = waitsForHost
    }

    /// Data may be sent.
    package var isOpen: Bool { isBorn && !wantsEnd }

    /// The node is connected, and the host application is not online.
    package var isWaitingForHost: Bool { isConnected && waitsForHost && host?.isOnline != true }

    // MARK: - Sessions

    /// Gives the next connection its number, which its will needs.
    ///
    /// - Parameter last: The stored number of an earlier run; nil: none.
    /// - Returns: The number, for storing.
    package mutating func openSession(after last: UInt8?) -> UInt8 {
        let next: UInt8
        if let session {
            // A session whose number no broker can have seen does not count.
            next = isSessionUsed ? session &+ 1 : session
        } else {
            next = last.map { $0 &+ 1 } ?? 0
        }
        session = next
        isSessionUsed = false
        return next
    }

    /// The packet with the will is on its way to a broker.
    package mutating func usedSession() { isSessionUsed = true }

    /// The broker has accepted the connection.
    package mutating func connected() {
        isConnected = true
        host = nil
        number = 0
    }

    package mutating func disconnected() {
        isConnected = false
        isBorn = false
        isRebirthWanted = false
        wantsEnd = false
        arrived.removeAll()
        leaving.removeAll()
        devices = devices.filter { !$0.value.isRemoved }
        for device in devices.keys { devices[device]?.isBorn = false }
    }

    /// The death of the node, as the will and as the last message.
    package func death(timestamp: Int64) -> (topic: String, payload: [UInt8]) {
        let metric = SparkplugMetric(Self.sessionMetric, .int64(Int64(session ?? 0)), at: timestamp)
        let end = SparkplugPayload.end(timestamp: timestamp, sequence: nil)
        return (topics.node(.death), SparkplugPayload.metrics([metric]) + end)
    }

    // MARK: - The sequence

    /// The end of a message's payload, if the message is sent now.
    package func end(_ order: SparkplugMessage.Order, timestamp: Int64) -> [UInt8] {
        SparkplugPayload.end(timestamp: timestamp, sequence: order == .first ? 0 : number)
    }

    /// A message with this end is on its way.
    package mutating func sent(_ order: SparkplugMessage.Order) { number = order == .first ? 1 : number &+ 1 }

    // MARK: - Received messages

    package mutating func received(command octets: [UInt8]) -> Notice {
        guard let command = try? SparkplugCommand(octets) else { return recordInvalid() }
        guard command.wantsRebirth else {
            ignored &+= 1
            return .ignored(ignored)
        }
        isRebirthWanted = true
        return .rebirth
    }

    /// - Parameter clock: Now, in milliseconds since 1970 UTC, by a trusted clock; nil: there is none.
    /// - Returns: Nil if the message changes nothing.
    package mutating func received(state octets: [UInt8], clock: Int64? = nil) -> Notice? {
        guard var state = HostApplicationState(octets) else { return recordInvalid() }
        // The will of an earlier session of the host may come after the birth of the present session.
        if let host, state.timestamp < host.timestamp {
            stale &+= 1
            return .stale(stale)
        }
        // A state from the future would make all later states stale until then.
        if let clock { state.timestamp = min(state.timestamp, clock.addingSaturated(Self.tolerance)) }
        let former = host?.isOnline
        host = state
        guard former != state.isOnline else { return nil }
        if !state.isOnline, isBorn { wantsEnd = true }
        return state.isOnline ? .hostOnline : .hostOffline
    }

    private mutating func recordInvalid() -> Notice {
        invalid &+= 1
        return .invalid(invalid)
    }

    // MARK: - Births and deaths

    /// Begins a turn: all messages of the turn have its time.
    ///
    /// - Parameter timestamp: Now, in milliseconds since 1970 UTC.
    package mutating func beginTurn(at now: MonotonicTime, timestamp: Int64) {
        (self.now, self.timestamp) = (now, timestamp)
    }

    /// When a message has to be sent without a further event; nil when an event has to come first.
    package var nextDue: MonotonicTime? {
        guard isConnected, !wantsEnd, !isWaitingForHost else { return nil }
        guard isBorn, arrived.isEmpty else { return .zero }
        return [nextRebirth, leaving.values.min()].compactMap { $0 }.min()
    }

    private var nextRebirth: MonotonicTime? {
        isRebirthWanted ? bornAt.map { $0 + Self.rebirthInterval } : nil
    }

    /// The messages that have to go out in this turn, in their order.
    ///
    /// - Parameter node: The node's own metrics.
    package mutating func messagesDue(node: [SparkplugMetric]) -> [SparkplugMessage] {
        guard let due = nextDue, due <= now else { return [] }
        let isBirth = !isBorn || nextRebirth.map { $0 <= now } ?? false
        return isBirth ? births(node) : settleDevices()
    }

    private mutating func births(_ metrics: [SparkplugMetric]) -> [SparkplugMessage] {
        isBorn = true
        bornAt = now
        isRebirthWanted = false
        arrived.removeAll()
        node = metrics.reduce(into: [:]) { $0[$1.name] = $1.value }
        let own = [
            SparkplugMetric(Self.sessionMetric, .int64(Int64(session ?? 0)), at: timestamp),
            SparkplugMetric(Self.rebirthMetric, .boolean(false), at: timestamp),
        ]
        let birth = SparkplugMessage(
            topic: topics.node(.birth), metrics: SparkplugPayload.metrics(own + metrics), order: .first)
        let living = devices.filter { $0.value.isOnline == true || $0.value.isBorn }.keys.sorted()
        return [birth] + living.compactMap { bear($0) }
    }

    /// The changed metrics of the node itself; nil when none has changed.
    package mutating func nodeData(_ metrics: [SparkplugMetric]) -> SparkplugMessage? {
        guard isOpen else { return nil }
        let news = metrics.filter { node[$0.name] != $0.value }
        guard !news.isEmpty else { return nil }
        for metric in news { node[metric.name] = metric.value }
        return SparkplugMessage(topic: topics.node(.data), metrics: SparkplugPayload.metrics(news), order: .next)
    }

    /// A device has become available, or unavailable.
    package mutating func setOnline(_ device: String, _ isOnline: Bool, at now: MonotonicTime) {
        devices[device, default: SparkplugDevice()].isOnline = isOnline
        if isOnline { devices[device]?.isRemoved = false }
        guard isBorn else { return }
        if isOnline {
            leaving[device] = nil
            arrived.insert(device)
        } else {
            arrived.remove(device)
            if devices[device]?.isBorn == true { leaving[device] = now + Self.lingering }
        }
    }

    /// A device no longer belongs to this node.
    package mutating func remove(_ device: String, at now: MonotonicTime) {
        arrived.remove(device)
        guard devices[device]?.isBorn == true else { return devices[device] = nil }
        devices[device]?.isOnline = nil
        devices[device]?.isRemoved = true
        leaving[device] = now
    }

    private mutating func settleDevices() -> [SparkplugMessage] {
        defer { arrived.removeAll() }
        let dead = leaving.filter { $0.value <= now }.keys.sorted()
        let deaths = dead.compactMap { name -> SparkplugMessage? in
            leaving[name] = nil
            guard let device = devices[name], device.isBorn else { return nil }
            devices[name]?.isBorn = false
            if device.isRemoved { devices[name] = nil }
            return SparkplugMessage(topic: topics.device(name, .death), metrics: [], order: .next)
        }
        return deaths + arrived.sorted().compactMap { devices[$0]?.isBorn == false ? bear($0) : nil }
    }

    /// The birth of a device; nil while the device has no metrics.
    private mutating func bear(_ name: String) -> SparkplugMessage? {
        guard let device = devices[name], !device.metrics.isEmpty else { return nil }
        devices[name]?.isBorn = true
        return SparkplugMessage(
            topic: topics.device(name, .birth), metrics: SparkplugPayload.metrics(device.birth(at: timestamp)),
            order: .next)
    }

    // MARK: - Data

    /// The message that has to go out before a message with data: consumers know a sending device and its metrics from
    /// its birth. A device that is away, and whose past is sent, gets a birth for this and dies a while later.
    package mutating func birth(before data: SparkplugData) -> SparkplugMessage? {
        let name = data.device
        var device = devices[name] ?? SparkplugDevice()
        let isNews = device.define(data.metrics)
        devices[name] = device
        let birth = isNews || !device.isBorn ? bear(name) : nil
        if !data.isHistorical { devices[name]?.record(data.metrics) }
        let isAway = device.isOnline == false || device.isOnline == nil && data.isHistorical && !device.isBorn
        if isAway || leaving[name] != nil { leaving[name] = now + Self.lingering }
        return birth
    }
}
