// SPDX-License-Identifier: Apache-2.0

import Readings

/// A message that is ready to be sent.
struct OutgoingMessage: Equatable, Sendable {
    var topic: String
    var payload: [UInt8]
    var retain = false
    /// The journal's number of the device that the readings are of.
    var device: Int64 = 0
    /// The journal's rows in it, which its acknowledgement settles.
    var rows: [Int64] = []
    /// Whether the readings in it have times: those without one are in messages of their own.
    var hasTimes = true
    /// The least that can be said of the times in it.
    var clock = ClockQuality.synced
}

/// First in, first out.
struct Deque<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var isEmpty: Bool { head == elements.count }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        defer {
            elements[head] = nil
            head += 1
            if head == elements.count { removeAll() }
        }
        return elements[head]
    }

    mutating func removeAll() {
        elements.removeAll(keepingCapacity: true)
        head = 0
    }
}
