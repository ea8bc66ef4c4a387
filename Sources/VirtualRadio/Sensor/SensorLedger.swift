// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Every value that a sensor's stack accepted for a subscribed client, in order, and how far each value got.
package struct SensorLedger: Sendable {
    package struct Entry: Equatable, Sendable {
        package let sequence: UInt32
        package let characteristic: BluetoothUUID
        package let value: [UInt8]
        package let acceptedAt: MonotonicTime
        /// The collector's controller handed the whole value to its host. Values in flight when a link drops are never
        /// delivered.
        package fileprivate(set) var isDelivered = false
    }

    /// The latest entries, at most as many as the air's settings allow.
    package private(set) var entries: [Entry] = []
    /// All values ever accepted.
    package private(set) var accepted = 0
    package private(set) var delivered = 0
    private let capacity: Int
    private var dropped = 0

    init(capacity: Int) { self.capacity = max(0, capacity) }

    /// Returns the mark for ``deliver(_:)``.
    mutating func accept(
        _ value: [UInt8], sequence: UInt32, of characteristic: BluetoothUUID, at time: MonotonicTime
    ) -> Int {
        accepted += 1
        entries.append(
            Entry(sequence: sequence, characteristic: characteristic, value: value, acceptedAt: time))
        if entries.count > capacity {
            // A quarter at a time, so that a full ledger does not move all entries for each new one.
            let excess = min(entries.count, entries.count - capacity + capacity / 4)
            entries.removeFirst(excess)
            dropped += excess
        }
        return accepted - 1
    }

    mutating func deliver(_ mark: Int) {
        delivered += 1
        let index = mark - dropped
        if entries.indices.contains(index) { entries[index].isDelivered = true }
    }
}

/// The state of a sensor.
package struct SensorState: Sendable {
    package let id: AirNodeID
    package let name: String
    package let address: DeviceAddress
    package let kind: VirtualSensor.Kind
    package let isInRange: Bool
    package let isConnected: Bool
    package let isSubscribed: Bool
    /// Values that the sensor's stack accepted, and values that reached a host.
    package let accepted: Int
    package let delivered: Int
}
