// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The messages in flight, which wait for an acknowledgement; a value.
///
/// The window says how many further messages may go, which messages belong to a lane or a device, and since when the
/// oldest waits.
struct InFlightWindow {
    /// The content that an acknowledgement will settle.
    enum Content {
        case live(Int64, LiveLane.Stream)
        case history([Int64], device: Int64, octets: Int)
        case control(OutgoingMessage)
        case offline
    }

    /// A message in flight.
    struct Sent {
        let content: Content
        /// The time of sending; nil for a message without readings.
        var time: MonotonicTime?
    }

    /// The kind of a sent message.
    enum Kind: Equatable {
        case live
        case history(rows: Int)
        case other
    }

    /// The largest messages of history in flight, in octets.
    struct Largest: Equatable {
        /// Messages with several rows.
        var gathered = 0
        /// Messages with a single row.
        var single = 0
    }

    /// Limit of history in flight, in octets: on a slow line, messages in flight delay later messages.
    static let historyOctets = 131_072

    /// Limit of messages in flight.
    private var limit = 1
    /// By their places in the order of sending.
    private var messages: [Int: Sent] = [:]
    private var history = (messages: 0, octets: 0)
    /// The last place of a message.
    private var lastPlace = 0
    /// The oldest message's place, and since when it is the oldest. Messages that overtake it do not count.
    private var oldest: (place: Int, since: MonotonicTime)?
    /// The time of the last sending or acknowledgement.
    private(set) var lastTraffic = MonotonicTime.zero

    // MARK: - Connections

    mutating func begin(limit: Int) { self.limit = max(limit, 1) }

    /// No acknowledgement will come any more.
    mutating func end() {
        messages.removeAll(keepingCapacity: true)
        history = (0, 0)
        oldest = nil
    }

    // MARK: - Messages

    /// Adds a message in flight.
    ///
    /// - Returns: Its place.
    mutating func add(_ content: Content) -> Int {
        lastPlace += 1
        messages[lastPlace] = Sent(content: content)
        if case .history(_, _, let octets) = content {
            history.messages += 1
            history.octets += octets
        }
        return lastPlace
    }

    /// The message was sent.
    ///
    /// - Returns: Nil for a message that is not in flight.
    mutating func sent(_ place: Int, at now: MonotonicTime) -> Kind? {
        // A single look-up for both uses.
        guard let index = messages.index(forKey: place) else { return nil }
        lastTraffic = now
        if oldest == nil { oldest = (place, now) }
        switch messages.values[index].content {
        case .live:
            messages.values[index].time = now
            return .live
        case .history(let numbers, _, _):
            messages.values[index].time = now
            return .history(rows: numbers.count)
        case .control, .offline: return .other
        }
    }

    /// The broker has answered the message, so the message is no longer in flight.
    mutating func settle(_ place: Int, at now: MonotonicTime) -> Sent? {
        guard let sent = take(place) else { return nil }
        lastTraffic = now
        return sent
    }

    /// Removes the message at a place.
    mutating func take(_ place: Int) -> Sent? {
        guard let sent = messages.removeValue(forKey: place) else { return nil }
        if case .history(_, _, let octets) = sent.content {
            history.messages -= 1
            history.octets -= octets
        }
        return sent
    }

    /// Called after messages were settled. Brokers answer in the order of reception (MQTT 5.0, 4.6). So the new oldest
    /// message had to wait for earlier messages, and its time begins now.
    mutating func updateOldest() {
        guard let place = messages.keys.min() else { return oldest = nil }
        if place != oldest?.place { oldest = (place, lastTraffic) }
    }

    // MARK: - Questions

    var isEmpty: Bool { messages.isEmpty }
    var count: Int { messages.count }
    var hasRoom: Bool { messages.count < limit }
    /// Part of the room is reserved for the live lane.
    var hasRoomForHistory: Bool {
        hasRoom && history.messages < max(limit / 2, 1) && history.octets < Self.historyOctets
    }
    /// Messages of history in flight.
    var historyCount: Int { history.messages }

    /// Some message has waited for its acknowledgement for `timeout`.
    func isOverdue(at now: MonotonicTime, after timeout: Duration) -> Bool {
        oldest.map { now - $0.since >= timeout } ?? false
    }

    /// The numbers of all rows in flight.
    var rows: Set<Int64> {
        var rows: Set<Int64> = []
        for message in messages.values {
            switch message.content {
            case .live(let n, _): rows.insert(n)
            case .history(let numbers, _, _): rows.formUnion(numbers)
            case .control, .offline: break
            }
        }
        return rows
    }

    /// The rows of the live lane in flight.
    var live: [(n: Int64, stream: LiveLane.Stream)] {
        messages.values.compactMap { message in
            if case .live(let n, let stream) = message.content { (n, stream) } else { nil }
        }
    }

    /// The device has a message in flight on the lane.
    func isBusy(with device: Int64, on lane: Lane) -> Bool {
        messages.values.contains { message in
            switch message.content {
            case .live(_, let stream): lane == .live && stream.device == device
            case .history(_, device, _): lane == .history
            case .history, .control, .offline: false
            }
        }
    }

    var largest: Largest {
        var largest = Largest()
        for message in messages.values {
            guard case .history(let numbers, _, let octets) = message.content else { continue }
            if numbers.count > 1 {
                largest.gathered = max(largest.gathered, octets)
            } else {
                largest.single = max(largest.single, octets)
            }
        }
        return largest
    }

    /// The single row of history in flight, if all earlier messages were acknowledged.
    var rowAlone: Int64? {
        guard history.messages == 1, let first = messages.min(by: { $0.key < $1.key })?.value.content,
            case .history(let numbers, _, _) = first, numbers.count == 1
        else { return nil }
        return numbers.first
    }
}
