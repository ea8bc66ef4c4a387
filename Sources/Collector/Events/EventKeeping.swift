// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Platform

/// The sensors whose events go to the disk next, within a budget; a value.
///
/// A text costs about 16 KiB of flash memory: some pages of the journal, twice. After the first 64 texts there is one every 30 s, so
/// that a day costs 46 MiB at most, however often links come and go. A sensor whose events change all the time does not hold
/// the others up.
struct EventKeeping {
    /// A sensor's events are written again after this time.
    static let pause: Duration = .seconds(300)
    /// Limit of sensors that wait.
    static let capacity = 1_024

    /// The sensors with new events, by their places in the queue: a sensor that has just been written waits behind the others.
    private var changed: [String: UInt64] = [:]
    private var place: UInt64 = 0
    /// When the events of a sensor were written last, within ``pause``.
    private var kept: [String: MonotonicTime] = [:]
    private var allowance = Allowance(64, every: .seconds(30))

    /// Events wait to be written.
    var isWaiting: Bool { !changed.isEmpty }

    /// A sensor has new events.
    mutating func record(_ device: String) {
        guard changed[device] == nil, changed.count < Self.capacity else { return }
        place &+= 1
        changed[device] = place
    }

    /// The sensors whose events are written now.
    mutating func due(at now: MonotonicTime) -> [String] {
        kept = kept.filter { now - $0.value < Self.pause }
        var due: [String] = []
        let waiting = changed.filter { kept[$0.key] == nil }.sorted { $0.value < $1.value }
        for (device, _) in waiting {
            guard allowance.spend(at: now) == nil else { break }
            due.append(device)
            kept[device] = now
            changed[device] = nil
        }
        return due
    }

    /// These sensors go, because the gateway stops: those with waiting events are written once more.
    mutating func end(of devices: [String]) -> Set<String> {
        let waiting = Set(devices).intersection(changed.keys)
        for device in waiting { changed[device] = nil }
        return waiting
    }
}
