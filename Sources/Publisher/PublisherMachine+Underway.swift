// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// What is on its way, and waits for an acknowledgement.
extension PublisherMachine {
    /// What an acknowledgement will settle.
    enum InFlight {
        case live(Int64, LiveLane.Stream)
        case history([Int64], device: Int64, octets: Int)
        case control(OutgoingMessage)
        case offline
    }

    /// What is on its way.
    struct Sent {
        let content: InFlight
        /// When it went out; nil for what is no reading.
        var time: MonotonicTime?
    }

    /// What was on its way at a place, and is not any more.
    mutating func take(_ place: Int) -> Sent? {
        guard let sent = inFlight.removeValue(forKey: place) else { return nil }
        if case .history(_, _, let octets) = sent.content {
            historyInFlight.messages -= 1
            historyInFlight.octets -= octets
        }
        return sent
    }

    /// After messages were settled. Brokers answer in the order of what they got (MQTT 5.0, 4.6), so whichever is the
    /// oldest now had to wait for those before it, and its time begins.
    mutating func noteOldest() {
        guard let place = inFlight.keys.min() else { return oldest = nil }
        if place != oldest?.place { oldest = (place, lastTraffic) }
    }

    /// The numbers of all rows that are on their way.
    var underway: Set<Int64> {
        var underway: Set<Int64> = []
        for message in inFlight.values {
            switch message.content {
            case .live(let n, _): underway.insert(n)
            case .history(let numbers, _, _): underway.formUnion(numbers)
            case .control, .offline: break
            }
        }
        return underway
    }
}
