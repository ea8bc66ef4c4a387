// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// An event in the air at a time that is known beforehand.
enum Occasion {
    case connectionEvent(AirLinkID)
    case supervision(AirLinkID, generation: UInt32)
    case establishmentFails(AirLinkID)
    case updateInstant(AirLinkID)
    case responseOverdue(AirLinkID)
    case encryptionOverdue(AirLinkID, generation: UInt32)
    case node(AirNodeID, NodeOccasion, generation: UInt32)
}

/// An occasion that a node has asked for. An outdated occasion carries an old generation and is ignored.
enum NodeOccasion {
    /// The next advertising event of a set; nil is the set of the legacy commands.
    case advertise(set: UInt8?)
    case advertisingEnds(set: UInt8?)
    case scanEnds
    case sample
    case confirmationOverdue
    case resumeAdvertising
    case fault(FaultState.Timer)
}

/// Occasions by time; occasions of one moment are in the order of their addition.
struct Agenda {
    private struct Entry {
        let time: MonotonicTime
        let ordinal: UInt64
        let occasion: Occasion

        func precedes(_ other: Entry) -> Bool {
            time == other.time ? ordinal < other.ordinal : time < other.time
        }
    }

    private var heap: [Entry] = []
    private var ordinal: UInt64 = 0

    var deadline: MonotonicTime? { heap.first?.time }

    mutating func add(_ occasion: Occasion, at time: MonotonicTime) {
        ordinal &+= 1
        heap.append(Entry(time: time, ordinal: ordinal, occasion: occasion))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].precedes(heap[parent]) else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// The next occasion that is due at `time`, with its planned moment.
    mutating func next(until time: MonotonicTime) -> (time: MonotonicTime, occasion: Occasion)? {
        guard let first = heap.first, first.time <= time else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return (first.time, first.occasion) }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in (2 * parent + 1)...(2 * parent + 2) where child < heap.count {
                if heap[child].precedes(heap[least]) { least = child }
            }
            guard least != parent else { break }
            heap.swapAt(parent, least)
            parent = least
        }
        return (first.time, first.occasion)
    }
}
