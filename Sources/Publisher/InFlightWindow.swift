// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The messages that are on their way to the broker and wait for an acknowledgement; a value.
///
/// It says how many more may go, which of them belong to a lane or a device, and since when the oldest waits.
struct InFlightWindow {
    /// What an acknowledgement will settle.
    enum Content {
        case live(Int64, LiveLane.Stream)
        case history([Int64], device: Int64, octets: Int)
        case control(OutgoingMessage)
        case offline
    }

    /// What is on its way.
    struct Sent {
        let content: Content
        /// When it went out; nil for what is no reading.
        var time: MonotonicTime?
    }

    /// Of what kind a message is that has gone out.
    enum Kind: Equatable {
        case live
        case history(rows: Int)
        case other
    }

    /// The largest messages of history that are on their way, in octets.
    struct Largest: Equatable {
        /// Of those with several rows.
        var gathered = 0
        /// Of those with one row.
        var single = 0
    }

    /// Octets of history that may be on their way: on a slow line, what is on its way holds up what comes after it.
    static let historyOctets = 131_072

    /// Messages that may be on their way at once.
    private var limit = 1
    /// By their places in the order in which messages were sent.
    private var messages: [Int: Sent] = [:]
    private var history = (messages: 0, octets: 0)
    /// The last place that was given to a message.
    private var lastPlace = 0
    /// The oldest message's place, and since when it is the oldest: what overtakes it does not count for it.
    private var oldest: (place: Int, since: MonotonicTime)?
    /// When something was sent or acknowledged last.
    private(set) var lastTraffic = MonotonicTime.zero

    // MARK: - Connections

    mutating func begin(limit: Int) { self.limit = max(limit, 1) }

    /// Nothing of it will be acknowledged any more.
    mutating func end() {
        messages.removeAll(keepingCapacity: true)
        history = (0, 0)
        oldest = nil
    }

    // MARK: - Messages

    /// Puts a message on its way.
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

    /// The message has gone out.
    ///
    /// - Returns: Nil for one that is not on its way.
    mutating func sent(_ place: Int, at now: MonotonicTime) -> Kind? {
        // Looked up once for both.
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

    /// The broker has said something of the message: it is not on its way any more.
    mutating func settle(_ place: Int, at now: MonotonicTime) -> Sent? {
        guard let sent = take(place) else { return nil }
        lastTraffic = now
        return sent
    }

    /// What was on its way at a place, and is not any more.
    mutating func take(_ place: Int) -> Sent? {
        guard let sent = messages.removeValue(forKey: place) else { return nil }
        if case .history(_, _, let octets) = sent.content {
            history.messages -= 1
            history.octets -= octets
        }
        return sent
    }

    /// After messages were settled. Brokers answer in the order of what they got (MQTT 5.0, 4.6), so whichever is the
    /// oldest now had to wait for those before it, and its time begins.
    mutating func noteOldest() {
        guard let place = messages.keys.min() else { return oldest = nil }
        if place != oldest?.place { oldest = (place, lastTraffic) }
    }

    // MARK: - Questions

    var isEmpty: Bool { messages.isEmpty }
    var count: Int { messages.count }
    var hasRoom: Bool { messages.count < limit }
    /// Some of the room is kept for the live lane.
    var hasRoomForHistory: Bool {
        hasRoom && history.messages < max(limit / 2, 1) && history.octets < Self.historyOctets
    }
    /// Messages of history that are on their way.
    var historyCount: Int { history.messages }

    /// Some message was not acknowledged for so long.
    func isOverdue(at now: MonotonicTime, after timeout: Duration) -> Bool {
        oldest.map { now - $0.since >= timeout } ?? false
    }

    /// The numbers of all rows that are on their way.
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

    /// The rows of the live lane that are on their way.
    var live: [(n: Int64, stream: LiveLane.Stream)] {
        messages.values.compactMap { message in
            if case .live(let n, let stream) = message.content { (n, stream) } else { nil }
        }
    }

    /// Something of the device is on its way on the lane.
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

    /// The row of history that is on its way without other history, after everything before it was acknowledged.
    var rowAlone: Int64? {
        guard history.messages == 1, let first = messages.min(by: { $0.key < $1.key })?.value.content,
            case .history(let numbers, _, _) = first, numbers.count == 1
        else { return nil }
        return numbers.first
    }
}
